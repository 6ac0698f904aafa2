// late-sender: ranks wait for messages that another rank sends late, after other work. late-receiver: they wait until
// another rank takes theirs.
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

constexpr double kLeastShare = 0.05;   // of the run: waiting of one rank for another
constexpr double kLeastNsEach = 20e3;  // ns a message: a message itself takes less
constexpr double kPeerAtWork = 0.5;    // of the waiting
constexpr std::uint64_t kLeastMessages = 3;

struct Late {
    std::vector<ThreadTime> waiting;
    std::vector<std::uint32_t> threads;
    std::uint64_t messages = 0;
    double ns = 0;
    Meanwhile longest;  // of the rank that waits longest
    double longest_ns = 0;
};

template <ChannelDirection kDirection>
void claim_late_peer(const Case& subject, std::vector<Claim>* claims) {
    constexpr bool kIsSend = kDirection == ChannelDirection::kSend;
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
    std::map<std::uint64_t, Late> by_peer;
    for (const PairWait& pair : pair_waits(evidence, kDirection)) {
        if (pair.messages < kLeastMessages || pair.ns < kLeastShare * wall ||
            pair.ns < kLeastNsEach * static_cast<double>(pair.messages) || !known.contains(pair.rank) ||
            !known.contains(pair.peer) || pair.rank == pair.peer) {
            continue;
        }
        const Meanwhile during = meanwhile(evidence, *known[pair.rank], pair.ns, *known[pair.peer]);
        if (during.working < kPeerAtWork || is_late_for_crowd(evidence, known[pair.peer]->thread) ||
            slower_ns(evidence, *known[pair.peer], *known[pair.rank]) >= kMostByPace * pair.ns) {
            continue;
        }
        const double lost = pair.ns * during.working;
        Late& late = by_peer[pair.peer];
        late.waiting.push_back({known[pair.rank]->thread, lost});
        late.threads.push_back(known[pair.rank]->thread);
        late.messages += pair.messages;
        late.ns += pair.ns;
        if (lost > late.longest_ns) {
            late.longest_ns = lost;
            late.longest = during;
        }
    }
    for (auto& [peer, late] : by_peer) {
        std::sort(late.threads.begin(), late.threads.end());
        const NodeIndex call = longest_call(evidence, late.waiting.front().thread, kIsSend ? "end" : "");
        Claim claim;
        claim.own_terms = kMessageTerms;
        claim.own = late.waiting;
        claim.node = caller_of(evidence, call);
        claim.threads = {known[peer]->thread};
        claim.title = fmt::format(
            "{} {} {} in {} for {} messages {} rank {}, {} each{}: rank {} {} late.",
            thread_names(evidence, late.threads), does(late.threads, "wait"), in_seconds(late.ns),
            call_name(evidence, call), number(static_cast<double>(late.messages)), kIsSend ? "to" : "of", peer,
            in_seconds(late.ns / static_cast<double>(late.messages)),
            late.longest.node == kNone ? std::string() : ", while that is in " + name(evidence, late.longest.node),
            peer, kIsSend ? "receives" : "sends");
        claim.evidence = {
            seconds("inside calls for the messages", late.ns / 1e9),
            share_of(kIsSend ? "it in which the receiver is outside MPI" : "it in which the sender is outside MPI",
                     late.longest.working)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kLateSender{
    .place = 10,
    .kind = "late-sender",
    .contrast = Contrast::kRun,
    .needs =
        "a rank is inside calls for another's messages for a twentieth of the run, 20 µs a message and more, and "
        "the "
        "sender is outside MPI for half of that time",
    .against =
        "the ranks are a serial chain; the sender waits for messages itself meanwhile, or for a processor, of which "
        "there are fewer than ranks; its processor was slower, which may explain half of the waiting",
    .look = claim_late_peer<ChannelDirection::kReceive>,
    .direction =
        "send as soon as the data are there and do the rest after it, or let the receiver do work that does not need "
        "them before it waits (MPI_Irecv early, MPI_Wait late)",
    .confirm = "move the send before the sender's other work, and see the receiver's time in the call go",
    // The sender does its other work after it, beside the receiver: the longer one of the two remains.
    .least_gain = 0.2,
};

extern const Rule kLateReceiver{
    .place = 12,
    .kind = "late-receiver",
    .contrast = Contrast::kRun,
    .needs =
        "a rank is inside calls that send messages to another for a twentieth of the run, 20 µs a message and more, "
        "and the receiver is outside MPI for half of that time",
    .against =
        "the ranks are a serial chain; the receiver is inside MPI meanwhile, and the data on its way, or waits for a "
        "processor, of which there are fewer than ranks",
    .look = claim_late_peer<ChannelDirection::kSend>,
    .direction =
        "post the receives before the other work (MPI_Irecv), send without waiting (MPI_Isend), or give the sender a "
        "part of the receiver's work: as a stage of a pipeline it is the one that the rest waits for",
    .confirm = "leave out the receiver's work, as a test: the sender's time in the call goes",
    .least_gain = 0.2,
};

}  // namespace kymo::findings
