#include "spacetime/wait_groups.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// A wait for a holder, as the holder's own time is held against it.
struct Window {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    WaitGroup* group = nullptr;
};

// The overlaps of intervals, given in the order of time, with windows.
class Sweep {
  public:
    explicit Sweep(std::vector<Window> windows) : windows_(std::move(windows)) {
        std::sort(windows_.begin(), windows_.end(),
                  [](const Window& a, const Window& b) { return a.begin < b.begin; });
    }

    // overlap(group, ns) for every window that [begin, end) meets. `begin` never goes back.
    template <typename Overlap>
    void pass(std::uint64_t begin, std::uint64_t end, const Overlap& overlap) {
        while (next_ < windows_.size() && windows_[next_].begin < end) {
            active_.push_back(windows_[next_++]);
        }
        for (std::size_t i = 0; i < active_.size();) {
            const Window& window = active_[i];
            if (window.end <= begin) {
                active_[i] = active_.back();
                active_.pop_back();
                continue;
            }
            const std::uint64_t from = std::max(begin, window.begin);
            const std::uint64_t to = std::min(end, window.end);
            if (from < to) {
                overlap(*window.group, static_cast<std::int64_t>(to - from));
            }
            ++i;
        }
    }

  private:
    std::vector<Window> windows_;
    std::vector<Window> active_;
    std::size_t next_ = 0;
};

}  // namespace

class WaitGroups::Watch {
  public:
    Watch(const StreamData& of, std::vector<Window> windows) : stream(of), all(std::move(windows)), running(all) {}
    const StreamData& stream;
    std::vector<Window> all;
    Sweep running;
};

WaitGroups::WaitGroups(FileData& data) : data_(data), waits_(data.waits) {
    name_threads();
    make_groups();
    add_own_waits();
}

WaitGroups::~WaitGroups() = default;

void WaitGroups::name_threads() {
    for (const auto& [id, stream] : data_.streams) {
        const auto thread = static_cast<std::uint32_t>(waits_.threads.size());
        threads_[id] = thread;
        waits_.threads.push_back({data_.pid, stream.tid, stream.begin, stream.name});
        by_tid_[stream.tid].push_back(&stream);
        for (const auto& [kind, amount] : stream.brief_waits) {
            waits_.brief[{thread, kind}] += amount;
        }
    }
    for (auto& [tid, lives] : by_tid_) {
        std::sort(lives.begin(), lives.end(),
                  [](const StreamData* a, const StreamData* b) { return a->begin < b->begin; });
    }
}

WaitPath WaitGroups::path_of(const StreamData& of, std::uint32_t context) {
    WaitPath path;
    const StreamData* stream = &of;
    std::size_t joins = 0;
    while (context != 0 && context < stream->contexts.size() && path.size() < kWaitPathFrames) {
        if (const auto join = stream->joins.find(context); join != stream->joins.end()) {
            const auto other = data_.streams.find(join->second.first);
            if (other == data_.streams.end() || ++joins > kWaitPathFrames) {
                break;
            }
            stream = &other->second;
            context = join->second.second;
            continue;
        }
        const ContextInfo& frame = stream->contexts[context];
        path.push_back({image_index(frame.image), frame.offset});
        context = frame.parent;
    }
    return path;
}

std::uint32_t WaitGroups::image_index(std::uint64_t id) {
    const auto known = image_indices_.find(id);
    if (known != image_indices_.end()) {
        return known->second;
    }
    const auto found = data_.images.find(id);
    waits_.images.push_back(found == data_.images.end() ? ImageInfo{{}, {}, data_.machine} : found->second);
    return image_indices_[id] = static_cast<std::uint32_t>(waits_.images.size() - 1);
}

// The thread that had this id when the wait was over.
const StreamData* WaitGroups::thread_of(std::uint64_t tid, std::uint64_t at) const {
    const auto lives = by_tid_.find(tid);
    if (tid == 0 || lives == by_tid_.end()) {
        return nullptr;
    }
    const StreamData* last = nullptr;
    for (const StreamData* stream : lives->second) {
        if (stream->begin <= at) {
            last = stream;
        }
    }
    return last;
}

void WaitGroups::make_groups() {
    std::map<const StreamData*, std::vector<Window>> windows;
    for (const auto& [id, stream] : data_.streams) {
        for (const ThreadWait& wait : stream.waits) {
            const StreamData* holder = thread_of(wait.holder_tid, wait.end);
            if (holder == &stream) {
                holder = nullptr;
            }
            WaitGroup& group = waits_.groups[{.thread = threads_[id],
                                              .kind = wait.kind,
                                              .object = wait.object,
                                              .holder_tid = wait.holder_tid,
                                              .holder = holder == nullptr ? kNone : threads_[holder->id],
                                              .path = path_of(stream, wait.context)}];
            const auto ns = static_cast<std::int64_t>(wait.end - wait.begin);
            group.amount += {.ns = ns,
                             .count = 1,
                             .longest_ns = ns,
                             .open = (wait.flags & rec::kWaitOpen) != 0 ? 1U : 0U,
                             .abandoned = (wait.flags & rec::kWaitAbandoned) != 0 ? 1U : 0U};
            if (holder != nullptr) {
                windows[holder].push_back({wait.begin, wait.end, &group});
            }
        }
    }
    for (auto& [holder, all] : windows) {
        watches_[holder->id] = std::make_unique<Watch>(*holder, std::move(all));
    }
}

void WaitGroups::add_own_waits() {
    for (const auto& [id, watch] : watches_) {
        Sweep sweep(watch->all);
        std::vector<ThreadWait> own = watch->stream.waits;
        std::sort(own.begin(), own.end(), [](const ThreadWait& a, const ThreadWait& b) { return a.begin < b.begin; });
        for (const ThreadWait& wait : own) {
            const HolderKey key{wait.kind, path_of(watch->stream, wait.context)};
            sweep.pass(wait.begin, wait.end, [&](WaitGroup& group, std::int64_t ns) { group.meanwhile[key] += ns; });
        }
    }
}

WaitGroups::Watch* WaitGroups::watch_of(std::uint32_t stream) {
    const auto found = watches_.find(stream);
    return found == watches_.end() ? nullptr : found->second.get();
}

void WaitGroups::ran(Watch& watch, const StateInterval& interval, std::uint32_t context) {
    watch.running.pass(interval.begin, interval.end, [&](WaitGroup& group, std::int64_t ns) {
        group.meanwhile[{rec::WaitKind{}, path_of(watch.stream, context)}] += ns;
    });
}

}  // namespace kymo::spacetime
