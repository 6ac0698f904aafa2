#include "spacetime/evidence/operands/shared_lines.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kMostThreads = 256;  // of a line that are compared, each with each: the first
constexpr std::uint32_t kLeastUses = 2;    // of a line by a thread: one says nothing of when it used it

// A thread's use of a line.
struct Part {
    std::uint32_t thread = 0;
    std::uint64_t bytes = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint32_t uses = 0;
    bool is_written = false;
};

std::vector<Part> parts_of(std::span<const MemoryUse> uses) {
    std::vector<Part> parts;
    for (const MemoryUse& use : uses) {  // by thread
        if (parts.empty() || parts.back().thread != use.thread) {
            parts.push_back({.thread = use.thread, .first = use.time, .last = use.time});
        }
        Part& part = parts.back();
        part.bytes |= use.bytes;
        part.first = std::min(part.first, use.time);
        part.last = std::max(part.last, use.time);
        part.is_written = part.is_written || use.is_written;
        ++part.uses;
    }
    std::erase_if(parts, [](const Part& part) { return part.uses < kLeastUses; });
    parts.resize(std::min(parts.size(), kMostThreads));
    return parts;
}

bool is_shared(const Part& a, const Part& b) {
    return (a.is_written || b.is_written) && a.first <= b.last && b.first <= a.last;
}

// The threads that share the line falsely, and no bytes of it.
std::set<std::uint32_t> false_sharers(const std::vector<Part>& parts) {
    std::set<std::uint32_t> falsely;
    std::set<std::uint32_t> truly;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t k = i + 1; k < parts.size(); ++k) {
            if (is_shared(parts[i], parts[k])) {
                auto& to = (parts[i].bytes & parts[k].bytes) == 0 ? falsely : truly;
                to.insert({parts[i].thread, parts[k].thread});
            }
        }
    }
    std::erase_if(falsely, [&](std::uint32_t thread) { return truly.contains(thread); });
    return falsely;
}

}  // namespace

SharedLines find_shared_lines(const Profile& profile, std::size_t uses, std::vector<MemoryUse> memory) {
    const auto process = [&](const MemoryUse& use) { return profile.threads[use.thread].process; };
    const auto line = [&](const MemoryUse& use) { return std::pair(process(use), use.line); };
    std::sort(memory.begin(), memory.end(), [&](const MemoryUse& a, const MemoryUse& b) {
        return std::tuple(process(a), a.line, a.thread, a.time, a.use) <
               std::tuple(process(b), b.line, b.thread, b.time, b.use);
    });
    SharedLines result;
    result.false_rows.resize(uses);
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> counted;  // thread, use, row
    for (auto begin = memory.begin(); begin != memory.end();) {
        const auto end =
            std::find_if(begin, memory.end(), [&](const MemoryUse& use) { return line(use) != line(*begin); });
        if (begin->thread != std::prev(end)->thread) {
            const std::set<std::uint32_t> sharers = false_sharers(parts_of(std::span(begin, end)));
            SharedLine shared{process(*begin), begin->line * kLineBytes, 0, {sharers.begin(), sharers.end()}};
            for (auto use = begin; use != end; ++use) {
                if (!use->is_near && sharers.contains(use->thread) &&
                    counted.emplace(use->thread, use->use, use->row).second) {
                    ++shared.samples;
                    ++result.false_rows[use->use];
                }
            }
            if (shared.samples != 0) {
                result.falsely.push_back(std::move(shared));
            }
        }
        begin = end;
    }
    std::stable_sort(result.falsely.begin(), result.falsely.end(),
                     [](const SharedLine& a, const SharedLine& b) { return a.samples > b.samples; });
    return result;
}

}  // namespace kymo::spacetime
