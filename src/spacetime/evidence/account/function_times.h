// Processor time of functions in equal parts of the run, while a recording's samples are read.
#pragma once

#include "spacetime/load/thread_states.h"
#include "team/members.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kymo::spacetime {

inline constexpr std::size_t kTimeBatches = 64;
using TimeBatches = std::array<std::int64_t, kTimeBatches>;  // ns

struct FunctionTimes {
    std::uint32_t function = 0;  // of the symbols'; 0: not in users' code
    TimeBatches ns{};
};
KYMO_MEMBERS(FunctionTimes, function, ns)

// Entries of one function become one; by function.
inline void merge_times(std::vector<FunctionTimes>* times) {
    std::stable_sort(times->begin(), times->end(),
                     [](const FunctionTimes& a, const FunctionTimes& b) { return a.function < b.function; });
    std::size_t kept = 0;
    for (const FunctionTimes& one : *times) {
        if (kept != 0 && (*times)[kept - 1].function == one.function) {
            for (std::size_t i = 0; i < kTimeBatches; ++i) {
                (*times)[kept - 1].ns[i] += one.ns[i];
            }
        } else {
            (*times)[kept++] = one;
        }
    }
    times->resize(kept);
}

// Adds a stream's pieces up.
class StreamTimes {
  public:
    // Of a run from `begin` to `end`.
    StreamTimes(std::uint64_t begin, std::uint64_t end)
        : begin_(begin), width_(std::max<std::uint64_t>(1, (end - begin) / kTimeBatches + 1)) {}

    // A piece counts where it begins: it is no longer than from one sample to the next.
    void piece(const StateInterval& interval, std::uint32_t function) {
        if (interval.state != ThreadState::kUser && interval.state != ThreadState::kSystem) {
            return;
        }
        if (last_ == nullptr || last_->function != function) {
            last_ = &times_.try_emplace(function, FunctionTimes{.function = function, .ns = {}}).first->second;
        }
        const std::uint64_t since = interval.begin - std::min(interval.begin, begin_);
        last_->ns[std::min<std::uint64_t>(since / width_, kTimeBatches - 1)] += duration_of(interval);
    }

    void finish(std::vector<FunctionTimes>* to) {
        for (const auto& [function, times] : times_) {
            to->push_back(times);
        }
        times_.clear();
        last_ = nullptr;
        merge_times(to);
    }

  private:
    std::uint64_t begin_;
    std::uint64_t width_;
    std::unordered_map<std::uint32_t, FunctionTimes> times_;
    FunctionTimes* last_ = nullptr;  // a map's elements stay where they are
};

}  // namespace kymo::spacetime
