// Code that is never most of the code between two samples, in time: one stream's runs of pairs of samples in which a
// group of same spaces has a part. A run ends with the first pair in which it has none, or in which the stream
// waited. Nothing is bridged, and what fills the gaps is not recorded.
#pragma once

#include "spacetime/evidence/occurrences/occurrence_sums.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kymo::spacetime {

class PartRuns {
  public:
    // `nodes`: by group; added to, one worker's at a time. `cap`: occurrences kept of each group.
    PartRuns(std::uint32_t thread, std::size_t groups, std::size_t cap, std::vector<NodeSums>& nodes)
        : thread_(thread), cap_(cap), nodes_(nodes), last_(groups) {}

    // A sample of the clock: its pair began at `begin`, and the running sums of the stream were
    // `before` then and are `after` now. `group`: kNone: none has a part in it.
    void end_pair(std::uint64_t begin, std::uint64_t end, std::uint32_t group, std::uint32_t processor,
                  const SumRow& before, const SumRow& after);
    void finish();

  private:
    // The end of a group's last run, and the number of its runs.
    struct Last {
        std::uint32_t runs = 0;
        std::uint64_t end = 0;
        SumRow sums;
    };

    std::uint32_t thread_;
    std::size_t cap_;
    std::vector<NodeSums>& nodes_;
    std::vector<Last> last_;
    std::uint32_t group_ = kNone;  // of the present run
    std::uint32_t processor_ = 0;  // of its first sample
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    SumRow from_;
    SumRow to_;
};

}  // namespace kymo::spacetime
