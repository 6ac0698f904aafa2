// serial-chain: ranks wait for one another in turn, so that hardly more than one works at a time.
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

constexpr double kLeastChainShare = 0.05;  // of the run

void claim_serial_chain(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const std::vector<RankWaits> ranks = rank_waits(evidence);
    const double saved = serial_chain_ns(evidence, ranks);
    if (saved <= 0 || saved < kLeastChainShare * duration_ns(evidence)) {
        return;
    }
    Claim claim;
    claim.own_terms = kMessageTerms;
    double work = 0;
    double life = 0;
    const RankWaits* longest = &ranks.front();
    for (const RankWaits& rank : ranks) {
        claim.own.push_back({rank.thread, std::min(rank.receive_ns + rank.collective_ns, saved)});
        claim.threads.push_back(rank.thread);
        work += rank.life_ns - rank.receive_ns - rank.collective_ns;
        life = std::max(life, rank.life_ns);
        longest = rank.receive_ns > longest->receive_ns ? &rank : longest;
    }
    std::sort(claim.threads.begin(), claim.threads.end());
    const NodeIndex call = longest_call(evidence, longest->thread);
    claim.node = caller_of(evidence, call);
    claim.title = fmt::format(
        "{} wait for one another in turn, in {}: on average {} of them {} at work. Overlapped, the run would "
        "be about {} shorter.",
        thread_names(evidence, claim.threads), call_name(evidence, call), number(work / life),
        number(work / life) == "1" ? "is" : "are", in_seconds(saved));
    claim.evidence = {
        {"ranks at work at a time, on average", work / life},
        seconds("in calls for others' messages, of the rank that waits longest", longest->receive_ns / 1e9)};
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kSerialChain{
    .place = 20,
    .kind = "serial-chain",
    .contrast = Contrast::kRun,
    .needs =
        "three ranks or more, all of them waiting in calls of MPI for a third of their lives and more, three tenths "
        "of it for others' messages, of which at most one rank waits for none; on average at most one and a half "
        "work at a time, and none has more than three fifths of the work",
    .against = "one rank has most of the work: the others wait for it, which is a late sender",
    .look = claim_serial_chain,
    .direction =
        "let each rank work on what does not need its neighbour's result first, cut the work into smaller blocks so "
        "that the ranks overlap as in a pipeline, or choose an order without the chain (colouring, a tree)",
    .confirm = "run with fewer ranks: a chain takes as long with half of them",
};

}  // namespace kymo::findings
