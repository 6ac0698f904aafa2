// load-imbalance among threads or forked processes that one place makes together, round after round, and waits for.
#include "findings/rule.h"
#include "findings/rules/shared/account_rows.h"
#include "findings/rules/shared/common.h"
#include "findings/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace kymo::findings {
namespace {

using namespace spacetime;

constexpr double kLeastLonger = 1.3;  // the longest life by the mean one
constexpr double kWorking = 0.8;      // of the longest one's life, on a processor
constexpr double kMostOfExcess = 0.5;
constexpr double kSameWork = 0.1;  // in that function, of the others by the longest ones: less is another task

// Threads that were made by one thread, or processes by one process, so that each began before any of them ended.
using Group = std::vector<std::uint32_t>;

std::vector<Group> groups_of(const RunFacts& run) {
    std::map<std::pair<bool, std::uint32_t>, Group> siblings;
    for (std::uint32_t i = 0; i < run.threads.size(); ++i) {
        const ThreadFacts& thread = run.threads[i];
        if (thread.creator != kNone) {
            siblings[{true, thread.creator}].push_back(i);
        } else if (is_copy(run, thread.process)) {
            siblings[{false, run.processes[thread.process].parent}].push_back(i);
        }
    }
    std::vector<Group> groups;
    for (auto& [maker, all] : siblings) {
        std::stable_sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
            return run.threads[a].begin < run.threads[b].begin;
        });
        std::uint64_t first_end = 0;
        for (const std::uint32_t thread : all) {
            if (run.threads[thread].begin >= first_end) {
                groups.emplace_back();
                first_end = run.threads[thread].end;
            }
            groups.back().push_back(thread);
            first_end = std::min(first_end, run.threads[thread].end);
        }
    }
    std::erase_if(groups, [](const Group& group) { return group.size() < 2; });
    return groups;
}

// A thread's life as it would be on a processor of the group's mean pace.
std::vector<double> lives_of(const RunFacts& run, const Group& group) {
    double pace = 0;
    for (const std::uint32_t thread : group) {
        pace += run.threads[thread].pace / static_cast<double>(group.size());
    }
    std::vector<double> lives;
    for (const std::uint32_t thread : group) {
        const ThreadFacts& facts = run.threads[thread];
        const auto life = static_cast<double>(facts.end - facts.begin);
        lives.push_back(facts.pace > 0 && pace > 0 ? life * pace / facts.pace : life);
    }
    return lives;
}

struct Uneven {
    double excess_ns = 0;
    double longest_ns = 0;
    double mean_ns = 0;
    std::size_t rounds = 0;
    ByThread longer;  // what the longest of each round has more than the mean
    std::map<std::pair<std::string, std::string>, double> places;
};

void add_group(const Evidence& evidence, const Group& group, Uneven* uneven) {
    const RunFacts& run = evidence.run;
    const std::vector<double> lives = lives_of(run, group);
    const auto at = static_cast<std::size_t>(std::max_element(lives.begin(), lives.end()) - lives.begin());
    const ThreadFacts& longest = run.threads[group[at]];
    double all = 0;
    double work = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        all += lives[i];
        work += static_cast<double>(processor(run.threads[group[i]].total));
    }
    const double mean = all / static_cast<double>(group.size());
    const double least = std::max(mean, work / static_cast<double>(std::max<std::uint64_t>(1, run.processors)));
    if (lives[at] < kLeastLonger * mean || lives[at] <= least ||
        static_cast<double>(processor(longest.total)) < kWorking * static_cast<double>(longest.end - longest.begin)) {
        return;
    }
    uneven->excess_ns += lives[at] - least;
    uneven->longest_ns += lives[at];
    uneven->mean_ns += mean;
    ++uneven->rounds;
    uneven->longer[group[at]] += lives[at] - least;
    for (const AccountRow& row : evidence.account.rows) {
        if (!is_processor_time(row) || row.place.function.empty()) {
            continue;
        }
        for (const AccountTime& part : row.threads) {
            const bool is_in = std::find(group.begin(), group.end(), part.thread) != group.end();
            const double share = (part.thread == group[at] ? 1.0 : 0.0) - 1 / static_cast<double>(group.size());
            uneven->places[{row.place.module, row.place.function}] +=
                is_in ? share * static_cast<double>(part.ns) : 0;
        }
    }
}

void claim_uneven_children(const Case& subject, std::vector<Claim>* claims) {
    const Evidence& evidence = *subject.evidence;
    Uneven uneven;
    for (const Group& group : groups_of(evidence.run)) {
        add_group(evidence, group, &uneven);
    }
    const auto most = std::max_element(uneven.places.begin(), uneven.places.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (uneven.excess_ns < least_ns(evidence) || most == uneven.places.end() ||
        most->second < kMostOfExcess * uneven.excess_ns) {
        return;
    }
    const auto sums = sums_by_function(evidence.account, [&](const AccountRow& row) {
        return is_processor_time(row) && row.place.module == most->first.first &&
               row.place.function == most->first.second;
    });
    // Threads with different tasks are not to be even.
    double by_longest = 0;
    double by_others = 0;
    for (const auto& [thread, ns] : sums.front().threads) {
        (uneven.longer.contains(thread) ? by_longest : by_others) += ns;
    }
    if (by_others < kSameWork * by_longest) {
        return;
    }
    Claim claim;
    claim.node = node_of(evidence, sums.front().most->place);
    claim.place = to_place(sums.front().most->place);
    claim.own = at_most(uneven.longer, duration_ns(evidence));
    claim.own_terms = set_of(Term::kUser, Term::kWaiting);
    claim.shorter_ns = uneven.excess_ns;
    claim.threads = main_threads(uneven.longer);
    const auto rounds = static_cast<double>(uneven.rounds);
    claim.title = fmt::format(
        "{}, one of those that are made together works {} while they work {} on average, mostly in {}. Evenly "
        "shared, "
        "the run would be about {} shorter.",
        uneven.rounds == 1 ? "In one round" : fmt::format("In {} rounds", number(rounds)),
        in_seconds(uneven.longest_ns / rounds), in_seconds(uneven.mean_ns / rounds), name(*claim.place),
        in_seconds(uneven.excess_ns));
    claim.evidence = {seconds_of("work of the longest", uneven.longest_ns / rounds / 1e9,
                                 uneven.mean_ns / rounds / 1e9, uneven.longest_ns / uneven.mean_ns)};
    claims->push_back(std::move(claim));
}

}  // namespace

extern const Rule kUnevenChildren{
    .place = 265,
    .kind = "load-imbalance",
    .needs =
        "of threads that one thread makes together, or processes that another one forks, the longest works 1.3 times "
        "as long as they live on average, in one function for half of the difference; the run could be a tenth "
        "shorter",
    .against =
        "the longest is off the processor for a fifth of its life; a slower processor explains it; the others do "
        "something else",
    .look = claim_uneven_children,
    .direction =
        "deal the work out in smaller pieces as each becomes free, or by cost instead of by number; large pieces "
        "first",
    .confirm = "print each one's amount of work beside its time; then let the longest do half of its pieces",
    .is_generic = true,
};

}  // namespace kymo::findings
