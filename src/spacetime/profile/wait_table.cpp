#include "spacetime/profile/wait_table.h"

#include "spacetime/profile/own_code.h"
#include "spacetime/profile/profile.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <tuple>

namespace kymo::spacetime {
namespace {

using recording::WaitKind;

class TableBuilder {
  public:
    TableBuilder(const Waits& waits, const std::vector<std::uint32_t>& request_of,
                 const std::vector<program::Request>& requests, const program::Symbols& symbols)
        : waits_(waits), request_of_(request_of), requests_(requests), symbols_(symbols) {}

    WaitTable build() {
        for (const auto& [key, group] : waits_.groups) {
            add(key, group);
        }
        WaitTable table;
        for (auto& [key, sums] : rows_) {
            table.rows.push_back(finish(key, sums));
        }
        for (auto& [pair, sums] : blockings_) {
            table.blockings.push_back(finish(pair, sums));
        }
        const auto longer = [](const auto& a, const auto& b) { return a.amount.ns > b.amount.ns; };
        std::stable_sort(table.rows.begin(), table.rows.end(), longer);
        std::stable_sort(table.blockings.begin(), table.blockings.end(), longer);
        return table;
    }

  private:
    using Meanwhile = std::map<std::pair<WaitKind, program::SourcePlace>, std::int64_t>;
    struct HolderSums {
        WaitAmount amount;
        Meanwhile meanwhile;
    };
    struct RowSums {
        WaitAmount amount;
        std::map<WaitThreadIndex, std::int64_t> waiters;
        std::map<std::pair<WaitThreadIndex, std::uint64_t>, HolderSums> holders;  // by thread and thread id
    };
    struct PairSums {
        WaitAmount amount;
        std::map<WaitKind, std::int64_t> kinds;
        Meanwhile meanwhile;
    };
    using RowKey = std::tuple<std::uint64_t, WaitKind, std::uint64_t, program::SourcePlace>;

    std::span<const program::Frame> frames_of(const WaitFrame& frame) const {
        const std::uint32_t request = request_of_[frame.image];
        const auto& offsets = requests_[request].offsets;
        const auto at = std::lower_bound(offsets.begin(), offsets.end(), ImageOffset{frame.offset});
        return symbols_.images[request].at(static_cast<std::size_t>(at - offsets.begin()));
    }

    // For a wait the call itself, in an inlined function too; for running code the function that it was compiled
    // into, whose own lines show more of what is done under a lock than the innermost helper's.
    const program::SourcePlace& place_of(const WaitPath& path, bool is_running = false) {
        const auto [entry, is_new] = places_.try_emplace({is_running, path});
        if (!is_new || path.empty()) {
            return entry->second;
        }
        for (const WaitFrame& frame : path) {
            const auto frames = frames_of(frame);
            for (const auto& inner : std::views::reverse(frames)) {
                if (!(is_running && inner.inlined) &&
                    !is_runtime(symbols_.functions[inner.function], symbols_.files[inner.file])) {
                    return entry->second = symbols_.place_of(inner);
                }
            }
        }
        const auto innermost = frames_of(path.front());
        return entry->second = innermost.empty() ? program::SourcePlace{} : symbols_.place_of(innermost.back());
    }

    void add(const WaitKey& key, const WaitGroup& group) {
        RowSums& row = rows_[{key.thread.in(waits_.threads).pid, key.kind, key.object, place_of(key.path)}];
        row.amount += group.amount;
        row.waiters[key.thread] += group.amount.ns;
        if (key.holder_tid == 0) {
            return;
        }
        HolderSums& holder = row.holders[{key.holder, key.holder_tid}];
        holder.amount += group.amount;
        PairSums* pair = key.holder == kNone ? nullptr : &blockings_[{key.holder, key.thread}];
        if (pair != nullptr) {
            pair->amount += group.amount;
            pair->kinds[key.kind] += group.amount.ns;
        }
        for (const auto& [what, ns] : group.meanwhile) {
            const std::pair where{what.kind, place_of(what.path, what.kind == WaitKind{})};
            holder.meanwhile[where] += ns;
            if (pair != nullptr) {
                pair->meanwhile[where] += ns;
            }
        }
    }

    struct Longest {
        WaitKind doing{};
        program::SourcePlace place;
        std::int64_t ns = 0;
    };

    // The function with most time, and the line in it with most of that.
    static Longest longest(const Meanwhile& meanwhile) {
        std::map<std::tuple<WaitKind, std::string_view, std::string_view>, std::int64_t> functions;
        for (const auto& [where, ns] : meanwhile) {
            functions[{where.first, where.second.function, where.second.module}] += ns;
        }
        Longest most;
        std::int64_t line_ns = 0;
        for (const auto& [where, ns] : meanwhile) {
            const std::int64_t all = functions[{where.first, where.second.function, where.second.module}];
            if (all > most.ns || (all == most.ns && ns > line_ns)) {
                most = {where.first, where.second, all};
                line_ns = ns;
            }
        }
        return most;
    }

    static WaitRow finish(const RowKey& key, const RowSums& sums) {
        WaitRow row;
        std::tie(row.pid, row.kind, row.object, row.place) = key;
        row.amount = sums.amount;
        std::vector<std::pair<std::int64_t, WaitThreadIndex>> waiters;
        waiters.reserve(sums.waiters.size());
        for (const auto& [thread, ns] : sums.waiters) {
            waiters.emplace_back(-ns, thread);
        }
        std::sort(waiters.begin(), waiters.end());
        for (const auto& [ns, thread] : waiters) {
            row.waiters.push_back(thread);
        }
        for (const auto& [who, holder] : sums.holders) {
            WaitHolder entry;
            entry.thread = who.first;
            entry.tid = who.second;
            entry.amount = holder.amount;
            for (const auto& [where, ns] : holder.meanwhile) {
                entry.seen_ns += ns;
            }
            Longest most = longest(holder.meanwhile);
            entry.doing = most.doing;
            entry.place = std::move(most.place);
            entry.place_ns = most.ns;
            row.holders.push_back(std::move(entry));
        }
        std::stable_sort(row.holders.begin(), row.holders.end(),
                         [](const WaitHolder& a, const WaitHolder& b) { return a.amount.ns > b.amount.ns; });
        return row;
    }

    static Blocking finish(const std::pair<WaitThreadIndex, WaitThreadIndex>& who, const PairSums& sums) {
        Blocking blocking;
        blocking.holder = who.first;
        blocking.waiter = who.second;
        blocking.amount = sums.amount;
        blocking.kind = std::max_element(sums.kinds.begin(), sums.kinds.end(), [](const auto& a, const auto& b) {
                            return a.second < b.second;
                        })->first;
        Longest most = longest(sums.meanwhile);
        blocking.doing = most.doing;
        blocking.place = std::move(most.place);
        return blocking;
    }

    const Waits& waits_;
    const std::vector<std::uint32_t>& request_of_;
    const std::vector<program::Request>& requests_;
    const program::Symbols& symbols_;
    std::map<std::pair<bool, WaitPath>, program::SourcePlace> places_;
    std::map<RowKey, RowSums> rows_;
    std::map<std::pair<WaitThreadIndex, WaitThreadIndex>, PairSums> blockings_;
};

}  // namespace

std::vector<std::uint32_t> add_frames(const Waits& waits, std::span<const ImageInfo> known,
                                      std::vector<program::Request>& requests) {
    std::map<ImageInfo, std::uint32_t> request_of_image;
    for (std::size_t i = 0; i < known.size(); ++i) {
        request_of_image.try_emplace(known[i], static_cast<std::uint32_t>(i));
    }
    std::vector<std::uint32_t> request_of;
    for (const ImageInfo& image : waits.images) {
        const auto [entry, is_new] = request_of_image.try_emplace(image, static_cast<std::uint32_t>(requests.size()));
        if (is_new) {
            requests.emplace_back().image = {image.path, image.build_id, image.machine, image.content};
        }
        request_of.push_back(entry->second);
    }
    const auto want = [&](const WaitPath& path) {
        for (const WaitFrame& frame : path) {
            requests[request_of[frame.image]].offsets.push_back(ImageOffset{frame.offset});
        }
    };
    for (const auto& [key, group] : waits.groups) {
        want(key.path);
        for (const auto& [what, ns] : group.meanwhile) {
            want(what.path);
        }
    }
    return request_of;
}

WaitTable make_wait_table(const Waits& waits, const std::vector<std::uint32_t>& request_of,
                          const std::vector<program::Request>& requests, const program::Symbols& symbols) {
    return TableBuilder(waits, request_of, requests, symbols).build();
}

WaitTable make_wait_table(const Waits& waits) {
    std::vector<program::Request> requests;
    const std::vector<std::uint32_t> request_of = add_frames(waits, {}, requests);
    program::sort_offsets(requests);
    return make_wait_table(waits, request_of, requests, program::symbolize(requests));
}

std::string_view wait_kind_words(recording::WaitKind kind) {
    static constexpr std::array<std::string_view, recording::kWaitKinds> kWords = {
        "running",      "mutex",    "read lock",   "write lock", "spin lock",  "condition", "barrier",
        "semaphore",    "join",     "read",        "write",      "poll",       "accept",    "connect",
        "sync",         "sleep",    "child",       "once",       "futex",      "other",     "omp barrier",
        "omp critical", "omp lock", "omp ordered", "omp tasks",  "omp single", "omp idle",  "omp atomic",
        "file lock",    "message",  "signal"};
    const auto index = static_cast<std::size_t>(kind);
    return index < kWords.size() ? kWords[index] : "other";
}

std::string wait_kind_key(recording::WaitKind kind) {
    std::string words(wait_kind_words(kind));
    std::replace(words.begin(), words.end(), ' ', '-');
    return words;
}

std::string_view file_kind_words(recording::FileKind kind) {
    using recording::FileKind;
    switch (kind) {
        case FileKind::kPipe:
            return "pipe";
        case FileKind::kDevice:
            return "device";
        case FileKind::kDirectory:
            return "directory";
        case FileKind::kDisk:
            return "disk";
        case FileKind::kFile:
            return "file";
        case FileKind::kSocket:
            return "socket";
        default:
            return "";
    }
}

std::string wait_words(recording::WaitKind kind, std::uint64_t object) {
    const std::string_view file = file_kind_words(recording::file_kind_of(kind, object));
    const std::string_view preposition =
        kind == WaitKind::kRead ? " from a " : (kind == WaitKind::kWrite ? " to a " : "");
    std::string words(wait_kind_words(kind));
    return file.empty() || preposition.empty() ? words : words.append(preposition).append(file);
}

}  // namespace kymo::spacetime
