// The second pass over a recording: occurrences of kept nodes, pairs of consecutive addresses, marks, and the number
// of threads on a processor over time.
#pragma once

#include "base/result.h"
#include "spacetime/evidence/account/paths.h"
#include "spacetime/evidence/account/schedule.h"
#include "spacetime/evidence/account/time_grid.h"
#include "spacetime/evidence/kept_nodes.h"
#include "spacetime/evidence/occurrences/occurrence_sums.h"
#include "spacetime/evidence/occurrences/pair_table.h"
#include "spacetime/evidence/occurrences/sampled_addresses.h"
#include "spacetime/evidence/occurrences/stream_occurrences.h"
#include "spacetime/evidence/operands/operand_sums.h"
#include "spacetime/evidence/run_facts.h"
#include "team/members.h"
#include "team/team.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kymo::spacetime {

// Columns of PairTable's sums before the counters.
inline constexpr std::size_t kPairUser = 0;
inline constexpr std::size_t kPairColumns = 1;

struct MarkRow {
    std::uint64_t time = 0;
    recording::MarkKind kind{};
    std::uint32_t name = 0;  // index of OccurrencePass::mark_names
};

struct OccurrencePass {
    OccurrenceSums occurrences;
    PairTable pairs;
    std::vector<std::uint64_t> pair_ends;  // by profile node: pairs of the clock's samples that end there
    TimeGrid at_work;                      // threads on a processor or ready for one, not polling; row: process
    TimeGrid ready;                        // on a processor or waiting for one; one row: all processes
    TimeGrid lacking;                      // ready without a processor, or it was taken unreported; row: thread
    ScheduleGrids schedule;
    std::vector<std::string> mark_names;
    std::map<std::uint32_t, std::vector<MarkRow>> marks;  // by thread, in time
    bool too_many_marks = false;
    std::vector<std::vector<ProcessorSamples>> processors;  // by thread; in no order
    OperandSums operands;
};
KYMO_MEMBERS(OccurrencePass, occurrences, pairs, pair_ends, at_work, ready, lacking, schedule, mark_names, marks,
             too_many_marks, processors, operands)

struct CountedLoops;  // loop_progress.h

// By profile node: on a call path whose root end is missing, if such samples are few (under a fifth), or in no
// kept space. A thread that is seen there may be anywhere, and continues its occurrences. If they are many, they
// are what there is to compare.
std::vector<bool> lost_nodes(const Profile& profile, const KeptNodes& kept);

// `wait_targets`: by thread, then by ThreadProfile::waits: index of the target. All processes of a team get all of
// it.
Result<OccurrencePass> run_occurrence_pass(const recording::Recording& recording, const Profile& profile,
                                           const KeptNodes& kept, const SampledAddresses& addresses,
                                           const CountedLoops& loops, const OperandUses& uses, const PathEnds& paths,
                                           const std::vector<std::vector<std::uint32_t>>& wait_targets,
                                           const OccurrenceLimits& limits, team::Team* team = nullptr);

}  // namespace kymo::spacetime
