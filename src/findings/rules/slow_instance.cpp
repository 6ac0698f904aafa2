// slow-instance: a few occurrences of a piece of code take much longer than the rest of them.
//
// The generic rule: it reports what happened and the parts of the excess. Other rules find the cause; if none of
// them explains half of it, this one is shown.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/interpreter.h"
#include "findings/rules/shared/more_inside.h"
#include "findings/rules/shared/other_ends.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

// An interruption of an occurrence by one sample is taken for a sample in the wrong place and bridged, as is other
// code that alternates with this one and happened to be seen only once. Slow occurrences at most as long as the
// usual ones on both sides of a bridge, with the usual time between, may be several.
bool are_joined(const Case& subject) {
    const spacetime::OccurrenceTable& occurrences = subject.space().rows;
    const auto& intervals = subject.evidence->intervals;
    const auto interval = std::find_if(intervals.begin(), intervals.end(),
                                       [&](const auto& of) { return of.node == raw(subject.node); });
    const double gap = interval == intervals.end() ? 0 : static_cast<double>(interval->median_gap_ns);
    const auto joined = std::count_if(subject.bad_rows.begin(), subject.bad_rows.end(), [&](std::size_t row) {
        const auto bridges = static_cast<double>(occurrences.bridged[row]);  // a sample each
        return bridges > 0 && static_cast<double>(own_ns(occurrences.terms[row])) <=
                                  kLeastSlower * ((bridges + 1) * subject.good.median_ns + bridges * gap);
    });
    return static_cast<std::size_t>(joined) * 2 > subject.bad_rows.size();
}

// Slow occurrences of any thread that crowd in a tenth of a second, with no more than a few usual occurrences
// between, happened at one moment. Occurrences at one moment are not independent: what befell the machine then befell
// them all.
std::size_t moments_of(const Case& subject) {
    constexpr std::uint64_t kLongestMoment = 100'000'000;  // ns
    constexpr double kFew = 4;
    const spacetime::OccurrenceTable& occurrences = subject.space().rows;
    std::vector<std::size_t> rows = subject.bad_rows;
    std::sort(rows.begin(), rows.end(),
              [&](std::size_t a, std::size_t b) { return occurrences.begin[a] < occurrences.begin[b]; });
    const auto few = static_cast<std::uint64_t>(kFew * subject.good.median_ns);
    std::size_t moments = 0;
    std::uint64_t first = 0;
    std::uint64_t last_end = 0;
    for (const std::size_t row : rows) {
        if (moments == 0 || occurrences.begin[row] > last_end + few ||
            occurrences.begin[row] > first + kLongestMoment) {
            ++moments;
            first = occurrences.begin[row];
        }
        last_end = std::max(last_end, occurrences.end[row]);
    }
    return moments;
}

// Occurrences of a moment or two that were slower, on the processor or off it, without a known reason (they did no
// more work, as far as that is known): a processor that was slower for a moment (by the other thread of its core,
// or because the host took it without a record) looks the same. On a virtual machine that happens every few
// seconds, for milliseconds to tens of them. If the host reports how much it took, that may have been here: all of
// it looks like time on the processor, and delays threads that wait for this one.
bool may_be_processor(const Case& subject) {
    constexpr double kLeastOfMoments = 0.05;  // of the run
    const std::size_t moments = moments_of(subject);
    if (did_more_work(subject) || moments >= kLeastTested) {
        return false;
    }
    const bool is_crowded = subject.bad.count > moments;
    const auto excess = static_cast<double>(subject.excess.total());
    const auto waits = static_cast<double>(
        excess_waiting(subject, [](const spacetime::WaitTarget& target) { return target.holder != kNone; }));
    const double taken =
        waits + excess * subject.excess_share(set_of(Term::kUser, Term::kSystem, Term::kSpinning, Term::kOther));
    const auto steal = static_cast<double>(subject.evidence->run.steal_ns.value_or(0));
    return taken > 0.5 * excess &&
           ((is_crowded ? share_of_threads(subject) < kLeastOfMoments : is_negligible(subject)) || taken <= steal);
}

// One or two that are most of what their threads did, and too few to be tested: that is the program's normal work,
// and no boundary between rounds was seen.
bool is_what_it_does(const Case& subject) {
    return subject.bad.count < kLeastTested && share_of_threads(subject) > 0.5;
}

// Mostly a wait that another finding covers: a turn in Python's interpreter (interpreter-lock); a process of the
// run at the other end of a pipe; or threads that usually wait here, and sometimes longer, until there is work.
bool waits_as_others_have_it(const Case& subject) {
    const std::int64_t elsewhere = excess_waiting(subject, [&](const spacetime::WaitTarget& target) {
        return is_interpreter_lock(target) || is_within_run(*subject.evidence, target);
    });
    const std::int64_t signalled = excess_waiting(subject, [](const spacetime::WaitTarget& target) {
        return target.kind == recording::WaitKind::kCondition || target.kind == recording::WaitKind::kSemaphore;
    });
    const bool waits_as_a_rule = subject.good.terms.waiting * 2 > subject.good.terms.wall();
    return elsewhere * 2 > subject.excess.total() || (waits_as_a_rule && signalled * 2 > subject.excess.total());
}

void claim_slow_instance(const Case& subject, std::vector<Claim>* claims) {
    // The exception is what is slow: if most occurrences are slow, the fast ones are the exception. An occurrence
    // that other threads kept from the processor, or whose awaited threads they did, is not due to the code.
    if (subject.bad.median_ns < kLeastSlower * subject.good.median_ns ||
        subject.bad.count * 2 > subject.bad.count + subject.good.count || may_be_several(subject) ||
        are_several(subject) || most_lacking_share(subject) > 0.5 ||
        (subject.space().kind == spacetime::SpaceKind::kIteration && has_more_inside(subject)) ||
        (are_first_of_threads(subject) && is_negligible(subject)) || are_joined(subject) ||
        is_what_it_does(subject) || waits_for_workers(subject) || waits_as_others_have_it(subject) ||
        may_be_processor(subject) ||
        (may_merge(*subject.evidence, subject.node) && subject.excess_share(set_of(Term::kWaiting)) < 0.5) ||
        std::all_of(subject.threads.begin(), subject.threads.end(),
                    [&](std::uint32_t thread) { return waits_for_work(*subject.evidence, thread); })) {
        return;
    }
    Claim claim;
    claim.explains = Explains{.terms = kAllTerms & ~set_of(Term::kRunQueue)};
    for (const ExcessPart& part : subject.excess.parts) {
        if (part.term == Term::kWaiting && part.target < subject.evidence->wait_targets.size() &&
            part.ns * 2 > subject.excess.total()) {
            claim.targets = {part.target};  // one story with the findings about that wait
        }
    }
    claim.title = fmt::format("{} and account{} for {}.", slow_words(subject), subject.bad.count == 1 ? "s" : "",
                              in_seconds(static_cast<double>(subject.excess.total())));
    if (const std::string account = account_words(subject); !account.empty()) {
        claim.title += " " + account + ".";
    }
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kSlowInstance{
    .place = 250,
    .kind = "slow-instance",
    .contrast = Contrast::kOccurrences,
    .needs = "a few occurrences (at most half) are clearly apart from the rest and take at least 1.2 times as long",
    .against =
        "more than half of the excess is waiting for a processor, or for threads that lacked one, or may be time "
        "that "
        "something the kernel does not account for took the processor (ticks came late); or another rule explains at "
        "least half of it; "
        "or "
        "a slow round holds about as many more occurrences of what is called in it: then it is several rounds; or "
        "threads that meet have fewer occurrences by as many as the slow ones would hold, were each several; or "
        "most "
        "slow occurrences are as long as usual ones on both sides of what was seen only once between, likewise; or "
        "what "
        "lies between occurrences is often too short to be seen and less than half of the excess is waiting, "
        "likewise; or "
        "the slow "
        "occurrences were all at one moment or two (a tenth of a second each at most) and had more time on the "
        "processor, "
        "off it for a reason not known, or waiting for a thread, less than a fiftieth of the run where each is by "
        "itself, "
        "a twentieth of these threads' time where there are several at a moment, or no more than the host took from "
        "the processors, and what it was "
        "spent on is not known: a processor that is slower for a moment looks the same; or one or two, too few to be "
        "tested, are most of what their threads do; or the threads wait for work, "
        "or for others that keep the processors busy; or most of the excess is waiting for Python's interpreter "
        "lock, "
        "for a process of the run at the other end of a pipe, or to be signalled, in code that mostly waits",
    .look = claim_slow_instance,
    .direction =
        "look at what these occurrences have in common (their times are listed): the same data, the same "
        "moment, the same caller",
    .confirm =
        "mark these occurrences in the program (kymo/monitor.h) with what they work on, record again, and "
        "compare the marks of the slow ones",
    .is_generic = true,
};

}  // namespace kymo::findings
