// Ranks' waits for messages: the channels' exact sums, and beside them the samples, which show where a rank
// waits and what another one does meanwhile.
#pragma once

#include "base/index.h"
#include "findings/finding.h"
#include "findings/terms.h"
#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kymo::findings {

// Ranks wait by polling or asleep. Lacking a processor meanwhile is not a cost of messages.
inline constexpr TermSet kMessageTerms =
    set_of(Term::kUser, Term::kSpinning, Term::kSystem, Term::kWaiting, Term::kOther);

struct RankWaits {
    std::uint64_t rank = 0;
    std::uint32_t thread = kNone;  // index of RunFacts::threads: the rank's that works most
    std::uint64_t begin = 0;       // the rank's first message
    std::uint64_t end = 0;         // the thread's end
    double life_ns = 0;            // between them
    double receive_ns = 0;         // inside calls for what others send
    double collective_ns = 0;
    double inside_ns = 0;  // inside calls for any channel, sends too
    std::uint64_t collectives = 0;
};

// Of the ranks that have channels and a sampled thread, by rank.
std::vector<RankWaits> rank_waits(const spacetime::Evidence& evidence);

// A rank's time inside calls that receive messages from another rank, or send them to it. Receives from any sender
// are distributed by messages.
struct PairWait {
    std::uint64_t rank = 0;
    std::uint64_t peer = 0;
    double ns = 0;
    std::uint64_t messages = 0;
};
std::vector<PairWait> pair_waits(const spacetime::Evidence& evidence, spacetime::ChannelDirection direction);

// While one rank waits inside MPI calls, for this long by its channels: the part of it in which another is
// outside, and the smallest function in which that is for most of the time (kNone: no single one). The part is
// what samples of both show, or what is certain without them, if that is more: the other's calls all together are
// shorter than the waiting (a rank that waits without a processor has no samples).
struct Meanwhile {
    double working = 0;  // 0 … 1
    NodeIndex node;
};
Meanwhile meanwhile(const spacetime::Evidence& evidence, const RankWaits& waiting, double waited_ns,
                    const RankWaits& working);

// A rank's time outside MPI is mostly time in which it was ready and had no processor, since the ranks are more than
// the processors: others wait for it for that reason, not for its work (oversubscription). Cost: occurrences of
// calls.
bool is_late_for_crowd(const spacetime::Evidence& evidence, std::uint32_t thread);

// What one rank works for longer than it would at another's pace: the same arithmetic took longer on its processors,
// which may be shared with other machines. 0 where that was not measured. Its work is the time outside MPI.
inline constexpr double kMostByPace = 0.5;  // of a wait: where it is more, the processors may be the cause
double slower_ns(const spacetime::Evidence& evidence, const RankWaits& rank, const RankWaits& other);

// Of the MPI calls with this in their names, that in which a thread is longest; kNone: in none.
NodeIndex longest_call(const spacetime::Evidence& evidence, std::uint32_t thread, std::string_view part = {});
// The program's own code with such a call, which can be changed. The call itself if none is known.
NodeIndex caller_of(const spacetime::Evidence& evidence, NodeIndex call);
// "`MPI_Recv`"; "calls of MPI" where no single one is known.
std::string call_name(const spacetime::Evidence& evidence, NodeIndex call);

// Ranks wait for one another in turn, three or more of them: on average hardly more than one works. Overlapping
// them could save this much of the run; 0: they do not.
double serial_chain_ns(const spacetime::Evidence& evidence, const std::vector<RankWaits>& ranks);

}  // namespace kymo::findings
