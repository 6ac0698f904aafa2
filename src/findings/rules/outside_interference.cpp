// outside-interference: other programs used the machine as well.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastOfRun = 0.05;                   // every machine has less
constexpr std::uint64_t kLeastOccurrence = 5'000'000;  // ns
constexpr double kMostLoadingNs = 30e6;
constexpr double kWakeNs = 20'000;  // until a thread that is woken runs on a processor that is idle

// The cost of waking itself: a thread that switches a hundred thousand times a second is ready for some
// microseconds each time without any competitor.
double waking_ns(const RunFacts& run) {
    double switches = 0;
    for (const ThreadFacts& thread : run.threads) {
        switches += static_cast<double>(thread.voluntary + thread.involuntary);
    }
    return switches * kWakeNs;
}

// Work of the program's own processes that is not measured: while one is loaded, and becomes another program.
// At most kMostLoadingNs an image.
double loading_ns(const RunFacts& run) {
    struct Life {
        std::uint64_t begin = ~std::uint64_t{0};
        std::uint64_t end = 0;
        double seen = 0;
        double images = 0;
    };
    std::vector<TimeRange> seen(run.processes.size(), TimeRange{~std::uint64_t{0}, 0});
    for (const ThreadFacts& thread : run.threads) {
        if (thread.process < seen.size()) {
            TimeRange& range = seen[thread.process];
            range = {std::min(range.begin, thread.begin), std::max(range.end, thread.end)};
        }
    }
    std::map<std::uint64_t, Life> lives;
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
        const ProcessFacts& process = run.processes[i];
        Life& life = lives[process.pid];
        life.begin = std::min(life.begin, process.begin);
        life.end = std::max(life.end, process.end);
        life.seen += seen[i].end > seen[i].begin ? static_cast<double>(seen[i].end - seen[i].begin) : 0;
        ++life.images;
    }
    double unseen = 0;
    for (const auto& [pid, life] : lives) {
        const auto length = static_cast<double>(life.end - std::min(life.begin, life.end));
        unseen += std::clamp(length - life.seen, 0.0, life.images * kMostLoadingNs);
    }
    return unseen;
}

// Occurrences that were kept from a processor for a third of their time or more.
std::vector<TimeRange> times_of(const Evidence& evidence) {
    std::vector<TimeRange> times;
    for (const SpaceNode& node : evidence.nodes) {
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            const TimeTerms& terms = node.rows.terms[row];
            if (node.rows.duration(row) >= kLeastOccurrence && terms.run_queue * 3 >= terms.wall()) {
                times.push_back({node.rows.begin[row], node.rows.end[row]});
            }
        }
    }
    std::sort(times.begin(), times.end(), [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    std::vector<TimeRange> joined;
    for (const TimeRange& time : times) {
        if (!joined.empty() && time.begin <= joined.back().end) {
            joined.back().end = std::max(joined.back().end, time.end);
        } else {
            joined.push_back(time);
        }
    }
    return joined;
}

void claim_outside_interference(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    const auto queued = static_cast<double>(run.total.run_queue);
    const auto wall = static_cast<double>(run.end - run.begin);
    if (run.processors == 0 || wall <= 0) {
        return;
    }
    // Threads bound to one processor wait for each other: thread-migration reports that.
    const double outside = std::max(0.0, queued - own_queue_ns(run) - waking_ns(run) - loading_ns(run));
    const double part = queued > 0 && outside >= 0.5 * queued ? outside / queued : 0;
    Claim claim;
    double most = 0;
    double taken = 0;
    for (const ThreadFacts& thread : run.threads) {
        taken += static_cast<double>(thread.taken);
    }
    // Every machine has a few late ticks.
    const bool is_taken = taken >= kLeastOfRun * wall;
    for (std::uint32_t thread = 0; thread < run.threads.size(); ++thread) {
        const double unsaid = is_taken ? static_cast<double>(run.threads[thread].taken) : 0;
        const double ns = static_cast<double>(run.threads[thread].total.run_queue) * part + unsaid;
        if (ns > 0) {
            claim.own.push_back({thread, ns});
            most = std::max(most, ns);
            if (ns >= 0.01 * wall) {
                claim.threads.push_back(thread);
            }
        }
    }
    if (most < kLeastOfRun * wall) {
        return;
    }
    claim.own_sure = 0.9;
    claim.own_terms = set_of(Term::kRunQueue);
    claim.when = times_of(evidence);
    claim.place = Place{};
    std::vector<std::string> said;
    if (part > 0) {
        said.push_back(
            fmt::format("the program's threads were ready for {} without getting a processor, though it had no more "
                        "of them ready "
                        "than there are processors ({})",
                        in_seconds(outside), run.processors));
        claim.evidence.push_back(seconds("ready without a processor", queued / 1e9, own_queue_ns(run) / 1e9));
    }
    if (run.steal_ns.value_or(0) > 0) {
        said.push_back(
            fmt::format("the host took {} from the processors", in_seconds(static_cast<double>(*run.steal_ns))));
    }
    if (is_taken) {
        said.push_back(fmt::format(
            "for about {} something that the kernel does not account for took processors (timer ticks came late)",
            in_seconds(taken)));
        claim.evidence.push_back(seconds("represented by late ticks", taken / 1e9));
    }
    claim.title = fmt::format("The machine was busy with something else: {}.", fmt::join(said, "; "));
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kOutsideInterference{
    .place = 240,
    .kind = "outside-interference",
    .contrast = Contrast::kRun,
    .needs =
        "for at least 5 % of the run some thread was ready without a processor, where at least half of all such time "
        "is not explained by the program having more threads ready than there are processors, nor by 20 µs for each "
        "time that a thread is woken, nor by its processes that are just being loaded, or something the "
        "kernel does not account for took its processor: ticks of its own clock came late",
    .against =
        "threads that are held on one processor (thread-migration), more threads than processors (oversubscription)",
    .look = claim_outside_interference,
    .direction =
        "measure on a quiet machine, or reserve processors for the program; this says nothing about its code",
    .confirm =
        "look at the load at the times listed (top, /proc/loadavg, kymo doctor) and record again when it is quiet",
    .is_others_doing = true,
};

}  // namespace kymo::findings
