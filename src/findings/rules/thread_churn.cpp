// thread-churn: threads are made and joined for pieces of work that are over almost at once.
#include "findings/rule.h"
#include "findings/rules/shared/common.h"
#include "findings/rules/shared/spare.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr std::size_t kLeastThreads = 100;
constexpr std::uint64_t kShortLife = 10'000'000;  // ns: ten milliseconds; the making costs some hundredths of one
constexpr double kMakingThreadNs = 30'000;        // about, for a thread made, switched to and joined
constexpr double kLeastLost = 0.1;                // of the time in which they come and go

struct Swarm {
    std::vector<std::uint32_t> threads;
    std::uint32_t creator = kNone;
};

void claim_thread_churn(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    const RunFacts& run = evidence.run;
    std::map<std::tuple<std::uint32_t, std::string, std::string>, Swarm> swarms;
    for (std::uint32_t i = 0; i < run.threads.size(); ++i) {
        const ThreadFacts& thread = run.threads[i];
        if (thread.creator != kNone && thread.end - thread.begin <= kShortLife) {
            Swarm& swarm = swarms[{thread.process, thread.created_at.function, thread.created_at.file}];
            swarm.threads.push_back(i);
            swarm.creator = thread.creator;
        }
    }
    for (const auto& [key, swarm] : swarms) {
        if (swarm.threads.size() < kLeastThreads) {
            continue;
        }
        std::uint64_t begin = run.end;
        std::uint64_t end = run.begin;
        double user = 0;
        for (const std::uint32_t thread : swarm.threads) {
            begin = std::min(begin, run.threads[thread].begin);
            end = std::max(end, run.threads[thread].end);
            user += static_cast<double>(run.threads[thread].total.user);
        }
        const auto span = static_cast<double>(end - std::min(begin, end));
        const double processors = static_cast<double>(std::max<std::uint64_t>(1, run.processors));
        // Between the first and the last, all time that is not the threads' own work is for making them, or waiting
        // for them.
        const double lost = span - user / processors;
        if (lost < kLeastLost * span) {
            continue;
        }
        const double about = kMakingThreadNs * static_cast<double>(swarm.threads.size()) / processors;
        const program::SourcePlace& place = run.threads[swarm.threads.front()].created_at;
        Claim claim;
        claim.own = {{swarm.creator, lost}};
        claim.own_sure = std::clamp(about / lost, 0.5, 1.0);  // the creator may have had other things to do
        claim.node = node_of(evidence, place);
        claim.place = to_place(place);
        claim.threads = {swarm.creator};
        claim.when = {{begin, end}};
        const double mean = user / static_cast<double>(swarm.threads.size());
        claim.title = fmt::format(
            "{} makes {} threads that compute for {} each on average: making and joining them takes up to {} of the "
            "{} "
            "in which they come and go.",
            name(*claim.place), number(static_cast<double>(swarm.threads.size())), in_seconds(mean), in_seconds(lost),
            in_seconds(span));
        claim.evidence = {{"threads made", static_cast<double>(swarm.threads.size())},
                          {"threads made a second", static_cast<double>(swarm.threads.size()) / (span / 1e9)},
                          seconds_of("work of one", mean / 1e9)};
        claims->push_back(std::move(claim));
    }
}

}  // namespace

extern const Rule kThreadChurn{
    .place = 50,
    .kind = "thread-churn",
    .contrast = Contrast::kRun,
    .needs = "a hundred threads and more are made at one place and live for ten milliseconds at most",
    .against = "their own work fills the processors while they come and go: then the making costs little beside it",
    .look = claim_thread_churn,
    .direction =
        "keep a few threads for the whole run and hand them the work (a pool, a parallel loop), or make the pieces "
        "larger",
    .confirm = "do several pieces in one thread: with half as many threads the time between them falls by half",
};

}  // namespace kymo::findings
