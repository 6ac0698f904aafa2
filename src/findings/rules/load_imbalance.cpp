// load-imbalance: one thread has more work than its peers between two meetings, and they wait for it.
#include "findings/cases/sides.h"
#include "findings/rule.h"
#include "findings/rules/shared/alone.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/messages.h"
#include "findings/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kUneven = 1.1;  // longest by mean
constexpr double kEven = 1.05;
constexpr double kSure = 3;           // standard errors
constexpr double kLeastIdle = 0.5;    // of what the peers should have waited
constexpr double kLeastIdleBy = 0.8;  // likewise if the longest is a changing thread

struct Work {
    std::vector<double> busy;  // by peer, over all steps
    std::vector<double>
        lost;  // by step: longest − mean, as far as the others are idle; 0 if sampling could be the reason
    std::vector<double> beyond;  // likewise without the part that sampling could cause
    double longest = 0;          // Σ over steps
    double mean = 0;             // Σ over steps
    double idle_expected = 0;    // Σ over steps and peers: longest − own
    double alone = 0;            // Σ over steps in which one thread alone works: longest
};

// The most that even work would save of a step: nothing of the time for which a thread with less work was not idle. A
// thread that was not seen in the step (NaN) may have been idle.
double lost_ns(const StepRow& step, double longest) {
    double lost = 0;
    for (std::size_t i = 0; i < step.busy_ns.size(); ++i) {
        const double less = longest - step.busy_ns[i];
        lost += std::isnan(step.idle_ns[i]) ? less : std::min(less, step.idle_ns[i]);
    }
    return lost / static_cast<double>(step.busy_ns.size());
}

Work work_of(const Case& subject) {
    Work work;
    // A thread's work in a step is known to a period: for even work the longest is too long by at most that.
    const SpaceNode& node = subject.space();
    const double period =
        node.samples > 0 ? static_cast<double>(processor(node.total)) / static_cast<double>(node.samples) : 0;
    work.busy.assign(subject.threads.size(), 0);
    for (const StepRow& step : subject.steps) {
        const double longest = *std::max_element(step.busy_ns.begin(), step.busy_ns.end());
        const double sum = std::accumulate(step.busy_ns.begin(), step.busy_ns.end(), 0.0);
        const double mean = sum / static_cast<double>(step.busy_ns.size());
        for (std::size_t i = 0; i < step.busy_ns.size(); ++i) {
            work.busy[i] += step.busy_ns[i];
        }
        const auto working =
            std::count_if(step.busy_ns.begin(), step.busy_ns.end(), [](double ns) { return ns > 0; });
        work.alone += working == 1 ? longest : 0;
        const double lost = lost_ns(step, longest);
        work.lost.push_back(longest - mean > period ? lost : 0);
        // A thread not seen in a step may have been counted in another: rounds are seen by samples.
        const bool are_seen =
            std::none_of(step.idle_ns.begin(), step.idle_ns.end(), [](double idle) { return std::isnan(idle); });
        work.beyond.push_back(are_seen ? std::max(0.0, lost - period) : 0);
        work.longest += longest;
        work.mean += mean;
        work.idle_expected += longest * static_cast<double>(step.busy_ns.size()) - sum;
    }
    return work;
}

// A sleep ends by the clock, whatever the others do.
double asleep_ns(const Evidence& evidence, const ThreadFacts& thread) {
    double asleep = 0;
    for (const OccurrenceWait& wait : thread.waits) {
        const bool is_sleep = evidence.wait_targets[wait.target].kind == recording::WaitKind::kSleep;
        asleep += is_sleep ? static_cast<double>(wait.ns) : 0;
    }
    for (const BriefWaits& brief : thread.brief) {
        asleep += brief.kind == recording::WaitKind::kSleep ? static_cast<double>(brief.ns) : 0;
    }
    return asleep;
}

// The peers together waited (or spun in a wait, or were not there) while this code's threads lived. A thread that
// lacks a processor is not idle, nor one that sleeps. Ranks wait for messages on the processor.
double idle_beside_ns(const Case& subject) {
    const RunFacts& run = subject.evidence->run;
    const ByThread messages = run.threads[subject.threads[0]].rank ? in_messages(*subject.evidence) : ByThread{};
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    const OccurrenceTable& occurrences = subject.space().rows;
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        begin = std::min(begin, occurrences.begin[row]);
        end = std::max(end, occurrences.end[row]);
    }
    double idle = 0;
    for (const std::uint32_t thread : subject.threads) {
        const ThreadFacts& facts = run.threads[thread];
        const double life = static_cast<double>(facts.end - std::min(facts.end, facts.begin));
        const double in_span = static_cast<double>(end - begin);
        // Over its life; before and behind it the thread is not there at all, which is idle as well.
        const auto message = messages.find(thread);
        const double off = life - static_cast<double>(processor(facts.total) + facts.total.run_queue) -
                           asleep_ns(*subject.evidence, facts) + (message != messages.end() ? message->second : 0);
        idle += std::clamp(off + std::max(0.0, in_span - life), 0.0, in_span);
    }
    return idle;
}

// A thread whose processor was taken undetected seems to work longer, and its peers wait for it: at most this much
// of the loss. If it is the same threads at every step, their share and the others' even out.
double taken_ns(const Case& subject, bool is_static) {
    const auto threads = static_cast<double>(subject.threads.size());
    const double most = unseen_taken(*subject.evidence, taken_in(subject.space().rows)) * (threads - 1) / threads;
    return is_static ? most / std::sqrt(static_cast<double>(std::max<std::size_t>(1, subject.steps.size()))) : most;
}

// How many times as slow the processors of the threads that work longest were as the others'; 1 where that is not
// known, or little.
double slower_by(const Case& subject, const std::vector<std::uint32_t>& longest) {
    constexpr double kLeast = 1.3;
    double theirs = 0;
    double others = 0;
    for (const std::uint32_t thread : subject.threads) {
        const double pace = subject.evidence->run.threads[thread].pace;
        if (pace == 0) {
            return 1;
        }
        (std::binary_search(longest.begin(), longest.end(), thread) ? theirs : others) += pace;
    }
    const double peers = static_cast<double>(subject.threads.size() - longest.size());
    const double ratio = others > 0 ? theirs / static_cast<double>(longest.size()) / (others / peers) : 1;
    return ratio >= kLeast ? ratio : 1;
}

std::string peer_words(std::size_t peers, const char* whose) {
    return peers == 1 ? fmt::format("{} peer works", whose) : fmt::format("{} {} peers work", whose, peers);
}

// The same threads at every step.
std::string static_words(const Case& subject, const Work& work, const std::vector<std::uint32_t>& longest) {
    double theirs = 0;
    double others = 0;
    for (std::size_t i = 0; i < work.busy.size(); ++i) {
        const bool is_one = std::binary_search(longest.begin(), longest.end(), subject.threads[i]);
        (is_one ? theirs : others) += work.busy[i];
    }
    const std::size_t peers = subject.threads.size() - longest.size();
    const bool is_one = longest.size() == 1;
    return fmt::format("{} {} {}{} while {} {} on average and wait{} for {}",
                       thread_names(*subject.evidence, longest), does(longest, "work"),
                       in_seconds(theirs / static_cast<double>(longest.size())), is_one ? "" : " each",
                       peer_words(peers, is_one ? "its" : "their"), in_seconds(others / static_cast<double>(peers)),
                       peers == 1 ? "s" : "", is_one ? "it" : "them");
}

// One thread in one step, another in the next.
std::string changing_words(const Case& subject, const Work& work) {
    const auto count = static_cast<double>(subject.threads.size());
    return fmt::format("one {} or another works {} while {} {} on average and wait{} for it",
                       are_ranks(*subject.evidence, subject.threads) ? "rank" : "thread", in_seconds(work.longest),
                       peer_words(subject.threads.size() - 1, "its"),
                       in_seconds((work.mean * count - work.longest) / (count - 1)),
                       subject.threads.size() == 2 ? "s" : "");
}

constexpr std::string_view kRanksDirection =
    "divide the domain by what its parts cost instead of by their number (weights for the partitioner), or move work "
    "between ranks while the job runs";
constexpr std::string_view kRanksConfirm =
    "print how much work each rank gets beside its time here, or give the slowest rank half as much";

void look_for_uneven(const Case& subject, std::vector<Claim>* claims) {
    if (are_ranks(*subject.evidence, subject.threads) && is_in_messages(*subject.evidence, subject.node)) {
        return;  // the rank that polls longest there has the least to do
    }
    const Work work = work_of(subject);
    const double most = *std::max_element(work.busy.begin(), work.busy.end());
    const double all = std::accumulate(work.busy.begin(), work.busy.end(), 0.0);
    const double mean = all / static_cast<double>(work.busy.size());
    const bool is_static = most >= kUneven * mean;
    // For one thread the errors of sampling level out over its steps; if the thread changes, the
    // longest of each step is taken, and the errors add up.
    const std::vector<double>& by_step = is_static ? work.lost : work.beyond;
    const double lost = std::accumulate(by_step.begin(), by_step.end(), 0.0);
    if (work.mean <= 0 || lost <= (kUneven - 1) * work.mean || work.alone * 2 >= work.longest ||
        serial_ns(*subject.evidence, subject.node) * 2 >= lost || taken_ns(subject, is_static) * 2 >= lost) {
        return;
    }
    // A thread's time here is known from its samples, to about the root of their number.
    const double longest = is_static ? most : work.longest;
    if (longest - (is_static ? mean : work.mean) < kSure * std::sqrt(longest * sampling_period(*subject.evidence))) {
        return;
    }
    if (idle_beside_ns(subject) < (is_static ? kLeastIdle : kLeastIdleBy) * work.idle_expected) {
        return;
    }
    Claim claim;
    for (std::size_t i = 0; i < work.busy.size(); ++i) {
        if (work.busy[i] - mean >= (most - mean) / 2) {
            claim.threads.push_back(subject.threads[i]);
        }
    }
    // A core shared with another process makes even work last longer; how much depends on the code.
    if (is_static &&
        most <= slower_by(subject, claim.threads) * (all - most) / static_cast<double>(work.busy.size() - 1)) {
        return;
    }
    claim.own.push_back({claim.threads.front(), lost});
    claim.own_parts = by_step;
    claim.own_terms =
        set_of(Term::kWaiting, Term::kSpinning, Term::kOther);  // it is the others' waiting that is lost
    claim.when.push_back({subject.space().rows.begin.front(), subject.space().rows.begin.front()});
    for (std::size_t row = 0; row < subject.space().rows.size(); ++row) {
        claim.when[0].begin = std::min(claim.when[0].begin, subject.space().rows.begin[row]);
        claim.when[0].end = std::max(claim.when[0].end, subject.space().rows.end[row]);
    }
    claim.title = fmt::format(
        "In {} {}{}. Evenly shared, the run would be about {} shorter.", name(*subject.evidence, subject.node),
        is_static ? static_words(subject, work, claim.threads) : changing_words(subject, work),
        subject.steps.size() > 1 ? fmt::format(" ({} steps)", subject.steps.size()) : "", in_seconds(lost));
    if (are_ranks(*subject.evidence, subject.threads)) {
        claim.direction = kRanksDirection;
        claim.confirm = kRanksConfirm;
    }
    claim.evidence.push_back(seconds_of("work, longest against mean of the threads", work.longest / 1e9,
                                        work.mean / 1e9, work.longest / work.mean));
    claims->push_back(std::move(claim));
}

void look_for_even(const Case& subject, std::vector<Claim>* claims) {
    const Work work = work_of(subject);
    if (work.mean <= 0 || work.longest > kEven * work.mean) {
        return;
    }
    const auto wall = static_cast<double>(subject.evidence->run.end - subject.evidence->run.begin);
    if (work.mean < 0.2 * wall) {
        return;
    }
    Claim claim;
    for (std::size_t i = 0; i < work.busy.size(); ++i) {
        claim.own.push_back({subject.threads[i], work.busy[i]});
    }
    claim.title = fmt::format("In {} the work is even: {} {} {} on average and {} at most.",
                              name(*subject.evidence, subject.node), thread_names(*subject.evidence, subject.threads),
                              does(subject.threads, "work"), in_seconds(work.mean), in_seconds(work.longest));
    claim.evidence.push_back(seconds_of("work, longest against mean of the threads", work.longest / 1e9,
                                        work.mean / 1e9, work.longest / work.mean));
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kLoadImbalance{
    .place = 230,
    .kind = "load-imbalance",
    .contrast = Contrast::kThreads,
    .needs =
        "threads of one process, or ranks of one job, work in the same code at the same time; step by step (where "
        "steps are known) the "
        "longest "
        "works 1.1 times the mean or more, by more than sampling could make of even work (a period a step; three "
        "standard errors of its samples over all steps)",
    .against =
        "the peers are not idle for at least half of the difference (four fifths where it is one thread now and "
        "another "
        "then; a sleep is not for a peer): they do something else meanwhile; or one thread has all of the work of "
        "most steps, or as much of it "
        "alone "
        "as is lost: that is a serial section; or half of what is lost may be time that something the kernel does "
        "not account for took processors (ticks came late); or the processors of those that work longest were as "
        "much slower, by the same arithmetic at every sample; of ranks, it is inside a call of MPI, where polling is "
        "waiting",
    .look = look_for_uneven,
    .direction =
        "deal the work out in smaller pieces as threads become free (dynamic or guided schedule, a work queue), or "
        "divide it by cost instead of by count",
    .confirm =
        "print how much work each thread gets, or run with the schedule changed (OMP_SCHEDULE=dynamic where the loop "
        "has "
        "schedule(runtime))",
    .is_of_parts = true,
};

extern const Rule kEvenLoad{
    .place = 260,
    .kind = "load-imbalance",
    .contrast = Contrast::kThreads,
    .needs =
        "threads of one process, or ranks of one job, work in the same code at the same time for at least a fifth of "
        "the run; the longest "
        "works at "
        "most 1.05 times the mean",
    .against = "",
    .look = look_for_even,
    .direction = "keep this division of work",
    .confirm = "",
    .is_advantage = true,
};

}  // namespace kymo::findings
