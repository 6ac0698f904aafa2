// Speed of loops, from the registers of consecutive samples: work done, measured without any hardware counter.
//
// An address in a loop represents the outermost loop around it whose rounds a register counts
// (program/flow/induction.h): between two samples in one such loop, the register gives the rounds in between. The
// usual time of a round, over the whole run, makes rounds of different loops comparable: as user time at the usual
// speed. If a loop is left and entered again between samples, its register is of no use; values that
// decrease show that, and if more than a quarter do, the loop cannot be measured.
#pragma once

#include "base/result.h"
#include "spacetime/evidence/code_map.h"
#include "spacetime/evidence/occurrences/sampled_addresses.h"
#include "team/team.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kymo::spacetime {

struct CountedLoop {
    std::uint32_t loop = kNone;  // dense numbers; kNone: the address is not in a loop that a register counts
    program::Induction steps;
};

struct CountedLoops {
    std::vector<CountedLoop> of_address;  // by number of SampledAddresses
    std::vector<double> usual_ns;         // by loop: user time a round; 0: not known
};

// One stream's samples, in order.
class StreamProgress {
  public:
    explicit StreamProgress(const CountedLoops& loops) : loops_(loops) {}

    // A sample at an address (kNone: not known); `user`: since the sample before, without meaning if
    // `is_cut` (measurement was switched off in between).
    void sample(std::uint32_t address, std::int64_t user, bool is_cut);

    struct Rounds {
        std::uint32_t loop = 0;
        std::optional<std::uint64_t> rounds;  // none: the loop was left in between
        std::int64_t user = 0;
    };
    // The registers of that sample, by DWARF number. None: it and the one before are not in one loop.
    std::optional<Rounds> registers(std::span<const std::uint64_t> values);

  private:
    struct At {
        CountedLoop loop;
        std::optional<std::uint64_t> value;
    };
    const CountedLoops& loops_;
    At last_;
    At now_;
    std::int64_t user_ = 0;
};

// Nothing if no registers were recorded. Otherwise a pass of its own over the samples. Error: a file cannot be
// read. Makes the graphs of the sampled functions; single-threaded except for the pass.
Result<CountedLoops> count_loops(const recording::Recording& recording, const Profile& profile,
                                 const SampledAddresses& addresses, CodeMap& code, team::Team* team = nullptr);

}  // namespace kymo::spacetime
