// collective-imbalance: ranks reach collective operations at different times, and wait there for the last.
#include "findings/rule.h"
#include "findings/rules/messages/message_waits.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastLateShare = 0.05;  // of the run: a rank's waiting beyond that of the last
constexpr double kLeastLateRatio = 2;
constexpr double kLastAtWork = 0.5;  // of the others' waiting
constexpr std::uint64_t kLeastCalls = 3;

// What a rank waits in collective operations longer than the last for the work of that one. Both live as long: what
// the last waits longer for messages is part of its being late, and goes with those waits.
double waits_for_work(const RankWaits& rank, const RankWaits& last) {
    return rank.collective_ns - last.collective_ns - std::max(0.0, last.receive_ns - rank.receive_ns);
}

void claim_collective_imbalance(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    std::vector<RankWaits> ranks = rank_waits(evidence);
    if (serial_chain_ns(evidence, ranks) > 0) {
        return;
    }
    std::erase_if(ranks, [](const RankWaits& rank) { return rank.collectives < kLeastCalls; });
    if (ranks.size() < 2) {
        return;
    }
    const auto less = [](const RankWaits& a, const RankWaits& b) { return a.collective_ns < b.collective_ns; };
    const RankWaits& last = *std::min_element(ranks.begin(), ranks.end(), less);
    const RankWaits& most = *std::max_element(ranks.begin(), ranks.end(), less);
    if (waits_for_work(most, last) < kLeastLateShare * duration_ns(evidence) ||
        most.collective_ns < kLeastLateRatio * last.collective_ns) {
        return;
    }
    const Meanwhile during = meanwhile(evidence, most, most.collective_ns, last);
    if (during.working < kLastAtWork || is_late_for_crowd(evidence, last.thread) ||
        slower_ns(evidence, last, most) >= kMostByPace * waits_for_work(most, last)) {
        return;
    }
    Claim claim;
    claim.own_terms = kMessageTerms;
    double sum = 0;
    for (const RankWaits& rank : ranks) {
        if (rank.thread != last.thread) {
            claim.own.push_back({rank.thread, std::max(0.0, waits_for_work(rank, last))});
            sum += rank.collective_ns;
        }
    }
    claim.threads = {last.thread};
    const NodeIndex call = longest_call(evidence, most.thread);
    claim.node = caller_of(evidence, call);
    const std::size_t others = ranks.size() - 1;
    claim.title =
        fmt::format("Rank {} comes last to collective operations: {} wait{} for it, {}{}, in {}{}.", last.rank,
                    others == 1 ? fmt::format("rank {}", most.rank) : fmt::format("the {} other ranks", others),
                    others == 1 ? "s" : "", in_seconds(sum / static_cast<double>(others)), others == 1 ? "" : " each",
                    call_name(evidence, call),
                    during.node == kNone ? std::string() : ", while it is in " + name(evidence, during.node));
    claim.evidence = {seconds("in collectives, longest against shortest of the ranks", most.collective_ns / 1e9,
                              last.collective_ns / 1e9,
                              last.collective_ns > 0 ? most.collective_ns / last.collective_ns : kUnknown)};
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kCollectiveImbalance{
    .place = 30,
    .kind = "collective-imbalance",
    .contrast = Contrast::kRun,
    .needs =
        "a rank is in collective operations for a twentieth of the run longer than another (less what that one waits "
        "longer for messages), and for twice as long; the one that is there shortest is outside MPI for half of that "
        "time",
    .against =
        "the last one waits for messages itself meanwhile, or for a processor, of which there are fewer than ranks; "
        "its processor was slower, which may explain half of it; "
        "all wait for one another in turn; another rank comes "
        "last at every operation: that "
        "is reported as load-imbalance",
    .look = claim_collective_imbalance,
    .direction =
        "take from the last rank what the others do not have to do (output, serial work), or overlap it with the "
        "operation by its nonblocking form (MPI_Iallreduce, MPI_Ibarrier)",
    .confirm = "leave that work out once, and see the others' time in the operation go",
    .least_gain = 0.4,
};

}  // namespace kymo::findings
