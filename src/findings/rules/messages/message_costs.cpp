// message-overhead: ranks exchange so many small messages that the calls themselves take a good part of the run.
// message-volume: they exchange so much that its transfer does.
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

constexpr double kLeastOfTransfer = 0.2;     // of the run's main part, of each rank: some has to be sent
constexpr double kLeastBytes = 16.0 * 1024;  // of a message, on average
constexpr double kMostNsPerByte = 2;         // 0.5 GB/s: slower is waiting for the other rank, or a slow network
constexpr double kSureOfTransfer = 0.5;      // how much of it is needed is not known

struct Exchange {
    double ns = 0;
    double bytes = 0;
    double count = 0;
};

// Of all ranks, and of the one that is inside calls for the shortest time: that is time which no rank spends waiting
// for another's work.
struct Exchanges {
    std::vector<RankWaits> ranks;  // fewer than two: there is nothing to compare with
    Exchange all;
    Exchange least;
    std::uint32_t thread = kNone;  // of `least`
};

Exchanges exchanges_of(const Evidence& evidence) {
    Exchanges result;
    result.ranks = rank_waits(evidence);
    std::map<std::uint64_t, Exchange> by_rank;
    for (const Channel& channel : evidence.run.channels) {
        if (channel.is_of_mpi()) {
            Exchange& own = by_rank[channel.rank];
            own.ns += static_cast<double>(channel.blocked_ns);
            own.bytes += static_cast<double>(channel.bytes);
            own.count += static_cast<double>(channel.messages);
        }
    }
    for (const RankWaits& rank : result.ranks) {
        const Exchange& own = by_rank[rank.rank];
        result.all.ns += own.ns;
        result.all.bytes += own.bytes;
        result.all.count += own.count;
        if (result.thread == kNone || own.ns < result.least.ns) {
            result.least = own;
            result.thread = rank.thread;
        }
    }
    return result;
}

Claim claim_of_all(const Evidence& evidence, const Exchanges& exchanges, NodeIndex call, double sure) {
    Claim claim;
    claim.own_terms = kMessageTerms;
    claim.own_sure = sure;
    for (const RankWaits& rank : exchanges.ranks) {
        claim.own.push_back({rank.thread, exchanges.least.ns});
        claim.threads.push_back(rank.thread);
    }
    std::sort(claim.threads.begin(), claim.threads.end());
    claim.node = caller_of(evidence, call);
    claim.evidence = {seconds("inside calls for messages", exchanges.all.ns / 1e9),
                      {"messages", exchanges.all.count}};
    return claim;
}

void claim_small_messages(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const Exchanges exchanges = exchanges_of(evidence);
    const Exchange& all = exchanges.all;
    const Exchange& shortest = exchanges.least;
    if (exchanges.ranks.size() < 2 || shortest.ns < kLeastInCalls * main_part_ns(evidence) ||
        shortest.count < static_cast<double>(kLeastCount) || all.bytes > kMostBytes * all.count ||
        all.ns > kMostNsEach * all.count) {
        return;
    }
    const NodeIndex call = longest_call(evidence, exchanges.thread);
    Claim claim = claim_of_all(evidence, exchanges, call, kSureOfCalls);
    claim.title = fmt::format(
        "{} ranks make {} calls for messages of {} bytes on average, most of the time in {}: {} "
        "each, {} in all.",
        exchanges.ranks.size(), number(all.count), number(all.bytes / all.count), call_name(evidence, call),
        in_seconds(all.ns / all.count), in_seconds(all.ns));
    claims->push_back(std::move(claim));
}

void claim_large_messages(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const Exchanges exchanges = exchanges_of(evidence);
    const Exchange& all = exchanges.all;
    if (exchanges.ranks.size() < 2 || exchanges.least.ns < kLeastOfTransfer * main_part_ns(evidence) ||
        all.bytes < kLeastBytes * all.count || all.ns > kMostNsPerByte * all.bytes) {
        return;
    }
    const NodeIndex call = longest_call(evidence, exchanges.thread);
    Claim claim = claim_of_all(evidence, exchanges, call, kSureOfTransfer);
    claim.title = fmt::format("{} ranks exchange {} MB in {} calls, most of the time in {}: {} each, {} in all.",
                              exchanges.ranks.size(), number(all.bytes / 1e6), number(all.count),
                              call_name(evidence, call), in_seconds(all.ns / all.count), in_seconds(all.ns));
    claim.evidence.push_back({"bytes", all.bytes});
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

extern const Rule kLargeMessages{
    .place = 33,
    .kind = "message-volume",
    .contrast = Contrast::kRun,
    .needs =
        "each rank is inside calls of MPI for a fifth of the run (without its start), and they transfer 16 KiB and "
        "more each, in 2 ns a byte at most, on average",
    .against = "a byte takes longer: then they wait for another rank, or for the network; messages are small",
    .look = claim_large_messages,
    .direction =
        "send each rank only what it uses (the border of a field instead of all of it), in the smallest type that "
        "holds it, and not more often than it changes; let others work while messages are on their way (nonblocking "
        "calls)",
    .confirm =
        "send half of it for one run, even if the result is then wrong: the time in the calls must fall by half",
};

}  // namespace kymo::findings
