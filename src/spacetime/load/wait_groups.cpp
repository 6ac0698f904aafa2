#include "spacetime/load/wait_groups.h"

#include "base/hash.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

// A wait for a holder, for comparison with the holder's own time.
struct Window {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    WaitGroup* group = nullptr;
};

// The overlaps of intervals, given in the order of time, with windows by their begins.
class Sweep {
  public:
    // `windows` must outlive this.
    explicit Sweep(std::span<const Window> windows) : windows_(windows) {}

    // overlap(group, ns) for every window that [begin, end) meets. `begin` never decreases.
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
    std::span<const Window> windows_;
    std::vector<Window> active_;
    std::size_t next_ = 0;
};

}  // namespace

class WaitGroups::Watch {
  public:
    Watch(const StreamData& of, std::vector<Window> windows)
        : stream(of), windows_(in_time(std::move(windows))), sweep_(windows_) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() = default;

    void ran(const StateInterval& interval, std::uint32_t context) {
        sweep_.pass(interval.begin, interval.end,
                    [&](WaitGroup& group, std::int64_t ns) { sum_of({&group, context}) += ns; });
    }
    std::span<const Window> windows() const { return windows_; }

    // By group and call path, on a processor. Sums of integers: in any order the same.
    template <typename Each>
    void each(Each&& each) const {
        for (const auto& [at, ns] : meanwhile_) {
            each(*at.first, at.second, ns);
        }
    }

    const StreamData& stream;

  private:
    using At = std::pair<WaitGroup*, std::uint32_t>;
    struct Recent {
        At at;
        std::int64_t* ns = nullptr;  // in meanwhile_
    };
    struct Hash {
        std::size_t operator()(const At& at) const {
            return hash_of(reinterpret_cast<std::uintptr_t>(at.first), at.second);
        }
    };
    // A program returns to the same few call paths: most sums are found without a look-up in the table.
    std::int64_t& sum_of(const At& at) {
        Recent& recent = recent_[Hash{}(at) % recent_.size()];
        if (recent.ns == nullptr || recent.at != at) {
            recent = {at, &meanwhile_[at]};
        }
        return *recent.ns;
    }
    static std::vector<Window> in_time(std::vector<Window> windows) {
        std::sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) { return a.begin < b.begin; });
        return windows;
    }

    std::vector<Window> windows_;
    Sweep sweep_;
    std::unordered_map<At, std::int64_t, Hash> meanwhile_;  // values stay where they are
    std::vector<Recent> recent_ = std::vector<Recent>(256);
};

WaitGroups::WaitGroups(FileData& data) : data_(data), waits_(data.waits) {
    name_threads();
    make_groups();
    add_own_waits();
}

WaitGroups::~WaitGroups() = default;

void WaitGroups::name_threads() {
    for (const auto& [id, stream] : data_.streams) {
        const WaitThreadIndex thread(waits_.threads.size());
        threads_[id] = thread;
        waits_.threads.push_back({data_.pid, stream.tid, stream.begin, stream.name});
        by_tid_[stream.own_tid].push_back(&stream);
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
        // Waits of one kind recur: their group is looked up by a key without a call path.
        using Short = std::tuple<rec::WaitKind, std::uint64_t, std::uint64_t, const StreamData*, std::uint32_t>;
        std::map<Short, WaitGroup*> known;
        for (const ThreadWait& wait : stream.waits) {
            const StreamData* holder = thread_of(wait.holder_tid, wait.end);
            if (holder == &stream) {
                holder = nullptr;
            }
            WaitGroup*& at = known[{wait.kind, wait.object, wait.holder_tid, holder, wait.context}];
            if (at == nullptr) {
                at = &waits_.groups[{.thread = threads_[id],
                                     .kind = wait.kind,
                                     .object = wait.object,
                                     .holder_tid = wait.holder_tid,
                                     .holder = holder == nullptr ? kNone : threads_[holder->id],
                                     .path = path_of(stream, wait.context)}];
            }
            WaitGroup& group = *at;
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
        const auto& waits = watch->stream.waits;
        std::vector<std::uint32_t> order(waits.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return waits[a].begin < waits[b].begin; });
        Sweep sweep(watch->windows());
        std::map<std::pair<rec::WaitKind, std::uint32_t>, HolderKey> keys;
        for (const std::uint32_t i : order) {
            const ThreadWait& wait = waits[i];
            const auto [key, is_new] = keys.try_emplace({wait.kind, wait.context});
            if (is_new) {
                key->second = {wait.kind, path_of(watch->stream, wait.context)};
            }
            sweep.pass(wait.begin, wait.end,
                       [&](WaitGroup& group, std::int64_t ns) { group.meanwhile[key->second] += ns; });
        }
    }
}

WaitGroups::Watch* WaitGroups::watch_of(std::uint32_t stream) {
    const auto found = watches_.find(stream);
    return found == watches_.end() ? nullptr : found->second.get();
}

void WaitGroups::ran(Watch& watch, const StateInterval& interval, std::uint32_t context) {
    watch.ran(interval, context);
}

void WaitGroups::finish() {
    for (const auto& [id, watch] : watches_) {
        // By context, so that images get the same numbers each time.
        std::map<std::uint32_t, HolderKey> keys;
        watch->each([&](WaitGroup&, std::uint32_t context, std::int64_t) { keys[context]; });
        for (auto& [context, key] : keys) {
            key.path = path_of(watch->stream, context);
        }
        watch->each([&](WaitGroup& group, std::uint32_t context, std::int64_t ns) {
            group.meanwhile[keys.at(context)] += ns;
        });
    }
}

}  // namespace kymo::spacetime
