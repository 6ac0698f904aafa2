// delayed-acknowledgement: both ends of a TCP connection wait for the time for which an acknowledgement is delayed.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/other_ends.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

// Linux delays acknowledgements by 40 ms at least (TCP_DELACK_MIN); waking takes longer.
constexpr double kLeastNs = 38e6;
constexpr double kMostNs = 60e6;
constexpr std::uint64_t kLeastDelayed = 10;
constexpr std::uint64_t kOneSegment = 1448;  // a message of one segment of an Ethernet frame
constexpr double kMostByClock = 0.5;         // of the waiting: others sleep for longer, and may send by the clock
constexpr double kSureOfDelay = 0.8;

// Bytes a message that a process receives over TCP from others of the run; 0: it receives none.
std::uint64_t bytes_each(const RunFacts& run, std::uint32_t process) {
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    for (const Channel& channel : run.channels) {
        if (channel.kind == ChannelKind::kTcpLoopback && channel.direction == ChannelDirection::kReceive &&
            run.parties[channel.party].pid == run.processes[process].pid) {
            bytes += channel.bytes;
            messages += channel.messages;
        }
    }
    return messages == 0 ? 0 : std::max<std::uint64_t>(1, bytes / messages);
}

double asleep_ns(const Evidence& evidence) {
    double ns = 0;
    for (std::size_t i = 0; i < evidence.wait_targets.size() && i < evidence.wait_sums.size(); ++i) {
        ns += evidence.wait_targets[i].kind == WaitKind::kSleep ? static_cast<double>(evidence.wait_sums[i].ns) : 0;
    }
    return ns;
}

struct DelayedWaits {
    ByThread threads;
    std::uint64_t count = 0;
    double ns = 0;
    std::uint64_t bytes = 0;  // of the smallest messages
    const WaitTarget* longest = nullptr;
    double longest_ns = 0;
};

DelayedWaits delayed_waits(const Evidence& evidence) {
    DelayedWaits found;
    std::set<std::uint32_t> targets;
    for (std::uint32_t i = 0; i < evidence.wait_targets.size() && i < evidence.wait_sums.size(); ++i) {
        const WaitTarget& target = evidence.wait_targets[i];
        const WaitSum& sum = evidence.wait_sums[i];
        const double mean = sum.count == 0 ? 0 : static_cast<double>(sum.ns) / static_cast<double>(sum.count);
        if (target.kind != WaitKind::kRead || sum.count < kLeastDelayed || mean < kLeastNs || mean > kMostNs ||
            static_cast<double>(sum.longest_ns) > 2 * kMostNs ||
            recording::file_kind_of(target.kind, target.object) != recording::FileKind::kSocket ||
            !is_within_run(evidence, target)) {
            continue;
        }
        const std::uint64_t bytes = bytes_each(evidence.run, target.process);
        if (bytes == 0 || bytes > kOneSegment) {
            continue;
        }
        targets.insert(i);
        found.count += sum.count;
        found.ns += static_cast<double>(sum.ns);
        found.bytes = found.bytes == 0 ? bytes : std::min(found.bytes, bytes);
        if (static_cast<double>(sum.ns) > found.longest_ns) {
            found.longest_ns = static_cast<double>(sum.ns);
            found.longest = &target;
        }
    }
    for (std::uint32_t thread = 0; thread < evidence.run.threads.size(); ++thread) {
        for (const OccurrenceWait& wait : evidence.run.threads[thread].waits) {
            if (targets.contains(wait.target)) {
                found.threads[thread] += static_cast<double>(wait.ns);
            }
        }
    }
    return found;
}

void claim_delayed_acknowledgement(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const DelayedWaits found = delayed_waits(evidence);
    if (found.longest == nullptr || found.threads.empty() || evidence.run.ready_ns.empty() ||
        asleep_ns(evidence) >= kMostByClock * found.ns) {
        return;
    }
    double longest = 0;
    for (const auto& [thread, ns] : found.threads) {
        longest = std::max(longest, ns);
    }
    const double shorter = std::min(longest, static_cast<double>(evidence.run.ready_ns[0]));
    if (shorter < least_ns(evidence)) {
        return;
    }
    Claim claim;
    claim.own = at_most(found.threads, shorter);
    claim.own_terms = set_of(Term::kWaiting);
    claim.own_sure = kSureOfDelay;
    claim.shorter_ns = shorter;
    claim.threads = main_threads(found.threads);
    claim.place = to_place(found.longest->place);
    claim.node = node_of(evidence, found.longest->place);
    const double each = found.ns / static_cast<double>(found.count);
    claim.title = fmt::format(
        "{} {} {} times, {} each, in {} for messages of {} bytes over TCP from the same host, while nothing of the "
        "program works: as long as an acknowledgement is delayed.",
        thread_names(evidence, claim.threads), does(claim.threads, "wait"), number(static_cast<double>(found.count)),
        in_seconds(each), name(*claim.place), number(static_cast<double>(found.bytes)));
    claim.evidence = {seconds_of("waits for messages", found.ns / 1e9),
                      seconds("in which no thread was ready", static_cast<double>(evidence.run.ready_ns[0]) / 1e9)};
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kDelayedAcknowledgement{
    .place = 332,
    .kind = "delayed-acknowledgement",
    .needs =
        "threads wait ten times and more, 38 to 60 ms on average, for messages of 1,448 bytes at most over TCP from "
        "another process of the run, while none of its threads is ready; the run could be a tenth shorter without "
        "that",
    .against = "threads of the run sleep for half as long: then messages may come by the clock",
    .look = claim_delayed_acknowledgement,
    .direction =
        "write each message whole, in one call (a buffer, writev, sendmsg), or set TCP_NODELAY on both ends: a "
        "second "
        "small write waits for the acknowledgement of the first (Nagle's algorithm), which the receiver delays by 40 "
        "ms "
        "while it has nothing to send",
    .confirm = "set TCP_NODELAY on both ends (setsockopt): the waits must fall from 40 ms to well under one",
};

}  // namespace kymo::findings
