// late-sender: ranks wait for messages that another rank sends late, after other work.
#include "findings/rule.h"
#include "findings/rules/messages/message_waits.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastSenderShare = 0.05;  // of the run: waiting of one rank for another
constexpr double kLeastNsEach = 200e3;      // ns a message: a message itself takes less
constexpr double kSenderAtWork = 0.5;       // of the waiting
constexpr std::uint64_t kLeastMessages = 3;

struct Late {
    std::vector<ThreadTime> waiting;
    std::vector<std::uint32_t> threads;
    std::uint64_t messages = 0;
    double ns = 0;
    Meanwhile longest;  // of the receiver that waits longest
    double longest_ns = 0;
};

void claim_late_sender(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const std::vector<RankWaits> ranks = rank_waits(evidence);
    if (ranks.size() < 2 || serial_chain_ns(evidence, ranks) > 0) {
        return;
    }
    std::map<std::uint64_t, const RankWaits*> known;
    for (const RankWaits& rank : ranks) {
        known[rank.rank] = &rank;
    }
    const double wall = duration_ns(evidence);
    std::map<std::uint64_t, Late> by_sender;
    for (const PairWait& pair : pair_waits(evidence)) {
        if (pair.messages < kLeastMessages || pair.ns < kLeastSenderShare * wall ||
            pair.ns < kLeastNsEach * static_cast<double>(pair.messages) || !known.contains(pair.receiver) ||
            !known.contains(pair.sender) || pair.receiver == pair.sender) {
            continue;
        }
        const Meanwhile during = meanwhile(evidence, *known[pair.receiver], pair.ns, *known[pair.sender]);
        if (during.working < kSenderAtWork) {
            continue;
        }
        const double lost = pair.ns * during.working;
        Late& late = by_sender[pair.sender];
        late.waiting.push_back({known[pair.receiver]->thread, lost});
        late.threads.push_back(known[pair.receiver]->thread);
        late.messages += pair.messages;
        late.ns += pair.ns;
        if (lost > late.longest_ns) {
            late.longest_ns = lost;
            late.longest = during;
        }
    }
    for (auto& [sender, late] : by_sender) {
        std::sort(late.threads.begin(), late.threads.end());
        const NodeIndex call = longest_call(evidence, late.waiting.front().thread);
        Claim claim;
        claim.own_terms = kMessageTerms;
        claim.own = late.waiting;
        claim.node = caller_of(evidence, call);
        claim.threads = {known[sender]->thread};
        claim.title = fmt::format(
            "{} {} {} in {} for {} messages of rank {}, {} each{}: rank {} sends late.",
            thread_names(evidence, late.threads), does(late.threads, "wait"), in_seconds(late.ns),
            call_name(evidence, call), number(static_cast<double>(late.messages)), sender,
            in_seconds(late.ns / static_cast<double>(late.messages)),
            late.longest.node == kNone ? std::string() : ", while that is in " + name(evidence, late.longest.node),
            sender);
        claim.evidence = {seconds("inside calls for the messages", late.ns / 1e9),
                          share_of("it in which the sender is outside MPI", late.longest.working)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kLateSender{
    .place = 10,
    .kind = "late-sender",
    .contrast = Contrast::kRun,
    .needs =
        "a rank is inside calls for another's messages for a twentieth of the run, 200 µs a message and more, and "
        "the "
        "sender is outside MPI for half of that time",
    .against = "the ranks are a serial chain; the sender waits for messages itself meanwhile",
    .look = claim_late_sender,
    .direction =
        "send as soon as the data are there and do the rest after it, or let the receiver do work that does not need "
        "them before it waits (MPI_Irecv early, MPI_Wait late)",
    .confirm = "move the send before the sender's other work, and see the receiver's time in the call go",
};

}  // namespace kymo::findings
