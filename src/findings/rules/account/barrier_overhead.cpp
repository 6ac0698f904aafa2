// barrier-overhead: threads meet so often that meeting itself takes a good part of the run, though their work is
// even.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kMostEach = 200e3;  // ns of one wait: a thread that falls asleep and is woken needs some 50 µs
constexpr std::uint64_t kLeastMeetings = 500;
constexpr double kLeastOfMean = 0.4;  // of a thread's waiting: one that waits less is what the others wait for
// The C++ library's barrier polls for some microseconds before it sleeps. How often is not counted.
constexpr double kMostlyPolled = 4;  // times the time asleep
constexpr double kSureOfMeetings = 0.8;

bool meets(recording::WaitKind kind) {
    return kind == recording::WaitKind::kBarrier || kind == recording::WaitKind::kOmpBarrier ||
           kind == recording::WaitKind::kFutex;
}

void claim_barrier_overhead(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    for (const AccountSums& own : sums_by_function(evidence.account, is_meeting)) {
        Claim claim = claim_of(evidence, own, set_of(Term::kWaiting, Term::kSpinning, Term::kSystem));
        claim.targets = targets_at(evidence, own.most->place, meets);
        std::uint64_t count = 0;
        double slept = 0;
        for (const std::uint32_t target : claim.targets) {
            if (target < evidence.wait_sums.size()) {
                count += evidence.wait_sums[target].count;
                slept += static_cast<double>(evidence.wait_sums[target].ns);
            }
        }
        const double polled = static_cast<double>(own.ns) - std::min(static_cast<double>(own.ns), slept);
        const bool is_counted = count >= kLeastMeetings && slept <= kMostEach * static_cast<double>(count);
        const bool is_polled = own.most->detail.starts_with("std::") && polled >= kMostlyPolled * slept;
        const double mean = sum(own.threads) / static_cast<double>(own.threads.size());
        const bool is_even = std::all_of(own.threads.begin(), own.threads.end(),
                                         [&](const auto& time) { return time.second >= kLeastOfMean * mean; });
        // More threads than processors wait for a processor there (oversubscription).
        const bool have_processors = own.threads.size() <= evidence.run.processors && !is_crowded(evidence);
        if (own.threads.size() < 2 || !have_processors || !is_even || !(is_counted || is_polled) ||
            static_cast<double>(own.shorter_ns) < least_ns(evidence)) {
            continue;
        }
        claim.own_sure = kSureOfMeetings;
        claim.title = fmt::format(
            "{} threads meet in {} again and again, {} in all: {}.", own.threads.size(), name(*claim.place),
            in_seconds(static_cast<double>(own.ns)),
            is_counted ? fmt::format("they wait there {} times, {} each", number(static_cast<double>(count)),
                                     in_seconds(slept / static_cast<double>(count)))
                       : fmt::format("so shortly that {} of it is polling", in_seconds(polled)));
        claim.evidence = {seconds_of("at barriers", static_cast<double>(own.ns) / 1e9)};
        if (is_counted) {
            claim.evidence.push_back({"waits there", static_cast<double>(count)});
        }
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kBarrierOverhead{
    .place = 326,
    .kind = "barrier-overhead",
    .needs =
        "two threads or more wait at the barriers of one function five hundred times and more, 200 µs at most on "
        "average (or, at the C++ library's barriers and latches, poll for four fifths of the time there), none of "
        "them "
        "less than two fifths of the mean; the run could be a tenth shorter without that",
    .against =
        "one thread hardly waits: the others wait for its work (load-imbalance, serial-section); more threads meet "
        "than "
        "there are processors (oversubscription)",
    .look = claim_barrier_overhead,
    .direction =
        "meet less often: do several steps between two barriers, give each thread more at a time, keep two copies of "
        "the data so that one barrier a step is enough, or let a thread wait for its neighbours alone",
    .confirm = "leave out every other barrier for one run, even if the result is then wrong: the time must fall",
};

}  // namespace kymo::findings
