#include "spacetime/load/waits.h"

#include <algorithm>

namespace kymo::spacetime {

WaitAmount& WaitAmount::operator+=(const WaitAmount& other) {
    ns += other.ns;
    count += other.count;
    longest_ns = std::max(longest_ns, other.longest_ns);
    open += other.open;
    abandoned += other.abandoned;
    return *this;
}

void WaitsSum::add(const Waits& part) {
    std::vector<std::uint32_t> image_of;
    for (const ImageInfo& image : part.images) {
        const auto [entry, is_new] = images_.try_emplace(image, static_cast<std::uint32_t>(whole_.images.size()));
        if (is_new) {
            whole_.images.push_back(image);
        }
        image_of.push_back(entry->second);
    }
    std::vector<WaitThreadIndex> thread_of;
    for (const WaitThread& thread : part.threads) {
        const auto [entry, is_new] =
            threads_.try_emplace({thread.pid, thread.tid, thread.begin}, whole_.threads.size());
        if (is_new) {
            whole_.threads.push_back(thread);
        } else if (entry->second.in(whole_.threads).name.empty()) {
            entry->second.in(whole_.threads).name = thread.name;
        }
        thread_of.push_back(entry->second);
    }
    const auto moved = [&](WaitPath path) {
        for (WaitFrame& frame : path) {
            frame.image = image_of[frame.image];
        }
        return path;
    };
    for (const auto& [key, group] : part.groups) {
        WaitKey to = key;
        to.thread = key.thread.in(thread_of);
        to.holder = key.holder == kNone ? kNone : key.holder.in(thread_of);
        to.path = moved(key.path);
        WaitGroup& sum = whole_.groups[std::move(to)];
        sum.amount += group.amount;
        for (const auto& [what, ns] : group.meanwhile) {
            sum.meanwhile[{what.kind, moved(what.path)}] += ns;
        }
    }
    for (const auto& [key, amount] : part.brief) {
        whole_.brief[{key.first.in(thread_of), key.second}] += amount;
    }
    whole_.brief_below_ns = std::max(whole_.brief_below_ns, part.brief_below_ns);
    whole_.condensed += part.condensed;
    whole_.strange_rows += part.strange_rows;
}

}  // namespace kymo::spacetime
