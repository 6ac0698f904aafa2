// Whose the user time outside of waits is, in sum: shared among the samples outside of waits, by the user time that
// each of them stands for.
//
// Samples come after equal stretches of a thread's user time, in waits or not. So each stands for as much of it as
// any other, and code is right in sum that is shorter than such a stretch. What waits cut out exactly belongs to no
// sample outside of them, though: charged with what is left of the stretch before it, a sample right behind a wait
// would stand for less than one in the middle of long work (seen: 20 % in code between waits). What is left is shared
// out over some samples at a time, so that the parts of a run keep their own times.
//
// Where no wait lies between two samples, that is the time between them, to the nanosecond.
#pragma once

#include "spacetime/load/costs.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

class OwnTime {
  public:
    // User time outside of waits, ns; `seen`: the context to charge if no sample comes any more.
    void ran(std::int64_t ns, std::uint32_t seen) {
        since_ += ns;
        seen_ = seen;
    }

    // A sample outside of waits, and the user time since the sample before it, in waits or not.
    // `costs`, by context, gets what is known by now.
    void sample(std::uint32_t context, std::int64_t stretch, CostTable& costs) {
        shared_ += std::exchange(since_, 0);
        stretches_ += stretch;
        entries_.push_back({context, stretch});
        if (entries_.size() == kTogether || shared_ == stretches_) {
            share(costs);
        }
    }

    // No sample comes any more.
    void finish(CostTable& costs) {
        share(costs);
        if (since_ != 0) {
            costs[seen_][kUser] += std::exchange(since_, 0);
        }
    }

  private:
    static constexpr std::size_t kTogether = 64;
    struct Entry {
        std::uint32_t context = 0;
        std::int64_t stretch = 0;  // ns
    };

    void share(CostTable& costs) {
        std::int64_t upto = 0;
        std::int64_t given = 0;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            upto += entries_[i].stretch;
            const bool is_last = i + 1 == entries_.size();
            const double part = is_last || stretches_ == 0
                                    ? static_cast<double>(is_last)
                                    : static_cast<double>(upto) / static_cast<double>(stretches_);
            const std::int64_t until = is_last ? shared_ : std::llround(part * static_cast<double>(shared_));
            costs[entries_[i].context][kUser] += until - given;
            given = until;
        }
        entries_.clear();
        shared_ = stretches_ = 0;
    }

    std::vector<Entry> entries_;  // there may be 100,000 streams, most of them short
    std::int64_t stretches_ = 0;  // of the entries, ns
    std::int64_t shared_ = 0;     // ns: what they share
    std::int64_t since_ = 0;      // ns: after the last of them
    std::uint32_t seen_ = 0;
};

}  // namespace kymo::spacetime
