// message-overhead: ranks exchange so many small messages that the calls themselves take a good part of the run.
#include "findings/rule.h"
#include "findings/rules/messages/message_waits.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/words.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastInCalls = 0.1;  // of the run's main part, of each rank
constexpr double kMostBytes = 1024;    // of a message, on average
constexpr double kMostNsEach = 100e3;  // of a call: longer ones wait for the other rank
constexpr std::uint64_t kLeastCount = 1'000;
constexpr double kSureOfCalls = 0.7;  // larger messages cost something as well

struct Exchange {
    double ns = 0;
    double bytes = 0;
    double count = 0;
};

void claim_small_messages(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const std::vector<RankWaits> ranks = rank_waits(evidence);
    std::map<std::uint64_t, Exchange> by_rank;
    for (const Channel& channel : evidence.run.channels) {
        if (channel.is_of_mpi()) {
            Exchange& own = by_rank[channel.rank];
            own.ns += static_cast<double>(channel.blocked_ns);
            own.bytes += static_cast<double>(channel.bytes);
            own.count += static_cast<double>(channel.messages);
        }
    }
    if (ranks.size() < 2) {
        return;
    }
    // What the rank that is in calls for the shortest time spends there, no rank spends waiting for another's work.
    const RankWaits* least = nullptr;
    Exchange all;
    for (const RankWaits& rank : ranks) {
        const Exchange& own = by_rank[rank.rank];
        all.ns += own.ns;
        all.bytes += own.bytes;
        all.count += own.count;
        least = least == nullptr || own.ns < by_rank[least->rank].ns ? &rank : least;
    }
    const Exchange& shortest = by_rank[least->rank];
    if (shortest.ns < kLeastInCalls * main_part_ns(evidence) || shortest.count < static_cast<double>(kLeastCount) ||
        all.bytes > kMostBytes * all.count || all.ns > kMostNsEach * all.count) {
        return;
    }
    const NodeIndex call = longest_call(evidence, least->thread);
    Claim claim;
    claim.own_terms = kMessageTerms;
    claim.own_sure = kSureOfCalls;
    for (const RankWaits& rank : ranks) {
        claim.own.push_back({rank.thread, shortest.ns});
        claim.threads.push_back(rank.thread);
    }
    std::sort(claim.threads.begin(), claim.threads.end());
    claim.node = caller_of(evidence, call);
    claim.title = fmt::format(
        "{} ranks make {} calls for messages of {} bytes on average, most of the time in {}: {} "
        "each, {} in all.",
        ranks.size(), number(all.count), number(all.bytes / all.count), call_name(evidence, call),
        in_seconds(all.ns / all.count), in_seconds(all.ns));
    claim.evidence = {seconds("inside calls for messages", all.ns / 1e9), {"messages", all.count}};
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kSmallMessages{
    .place = 32,
    .kind = "message-overhead",
    .contrast = Contrast::kRun,
    .needs =
        "each rank is inside calls of MPI for a tenth of the run (without its start), a thousand times and more, for "
        "messages of 1 KiB "
        "at "
        "most and 100 µs each at most, on average",
    .against = "calls take longer: then they wait for another rank",
    .look = claim_small_messages,
    .direction =
        "send what belongs together as one message, and reduce an array in one call instead of number by number; let "
        "others work while messages are on their way (nonblocking calls)",
    .confirm = "send two messages as one for one run: the time in the calls must fall by nearly half",
};

}  // namespace kymo::findings
