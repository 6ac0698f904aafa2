#include "findings/rules/shared/common.h"

#include "findings/cases/sides.h"
#include "findings/rules/shared/spare.h"
#include "findings/statistics/robust.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace kymo::findings {

using namespace spacetime;

std::vector<ThreadTime> by_thread(const SpaceNode& node, const std::function<std::int64_t(const TimeTerms&)>& value) {
    std::map<std::uint32_t, double> sums;
    double kept = 0;
    for (std::size_t row = 0; row < node.rows.size(); ++row) {
        const auto ns = static_cast<double>(value(node.rows.terms[row]));
        sums[node.rows.thread[row]] += ns;
        kept += ns;
    }
    const bool is_whole = node.rows.size() == node.occurrences;
    const double scale = is_whole ? 1 : kept > 0 ? static_cast<double>(value(node.total)) / kept : 0;
    std::vector<ThreadTime> result;
    result.reserve(sums.size());
    for (const auto& [thread, ns] : sums) {
        result.push_back({thread, ns * scale});
    }
    return result;
}

NodeIndex innermost(const Evidence& evidence, NodeIndex node) {
    for (const NodeIndex child : indices(evidence.nodes)) {
        const SpaceNode& space = child.in(evidence.nodes);
        if (space.parent == node && space.kind != SpaceKind::kIteration && space.kind != SpaceKind::kMark &&
            !is_tool(evidence, child) && space.total.wall() * 5 >= node.in(evidence.nodes).total.wall() * 4) {
            return innermost(evidence, child);
        }
    }
    return node;
}

std::uint32_t regular_distance(std::span<const std::uint32_t> orders) {
    if (orders.size() < 5) {
        return 0;
    }
    std::vector<double> distances;
    for (std::size_t i = 1; i < orders.size(); ++i) {
        distances.push_back(static_cast<double>(orders[i] - orders[i - 1]));
    }
    const double usual = std::floor(median(distances));
    const double tolerance = std::max(usual / 10, usual >= 5 ? 1.0 : 0.0);
    const auto kept = std::count_if(distances.begin(), distances.end(),
                                    [&](double distance) { return std::abs(distance - usual) <= tolerance; });
    return usual >= 3 && static_cast<std::size_t>(kept) * 5 >= distances.size() * 4
               ? static_cast<std::uint32_t>(usual)
               : 0;
}

double regular_amount(std::span<const double> amounts) {
    if (amounts.size() < 5) {
        return 0;
    }
    std::vector<double> distances;
    for (std::size_t i = 1; i < amounts.size(); ++i) {
        distances.push_back(amounts[i] - amounts[i - 1]);
    }
    const double usual = median(distances);
    const auto kept = std::count_if(distances.begin(), distances.end(),
                                    [&](double distance) { return std::abs(distance - usual) <= usual / 10; });
    return usual > 0 && static_cast<std::size_t>(kept) * 5 >= distances.size() * 4 ? usual : 0;
}

double share_of_threads(const Case& subject) {
    const double time =
        duration_ns(*subject.evidence) * static_cast<double>(std::max<std::size_t>(1, subject.threads.size()));
    return time > 0 ? static_cast<double>(subject.excess.total()) / time : 0;
}

std::size_t threads_of(const OccurrenceTable& occurrences) {
    return std::set<std::uint32_t>(occurrences.thread.begin(), occurrences.thread.end()).size();
}

bool are_first_of_threads(const Case& subject) {
    const OccurrenceTable& occurrences = subject.space().rows;
    const auto first =
        static_cast<std::size_t>(std::count_if(subject.bad_rows.begin(), subject.bad_rows.end(),
                                               [&](std::size_t row) { return occurrences.order[row] == 0; }));
    return first > 0 && first * 5 >= subject.bad.count * 4 && first * 2 >= threads_of(occurrences);
}

bool is_negligible(const Case& subject) {
    constexpr double kLeast = 0.02;
    return subject.bad.count < kLeastTested &&
           static_cast<double>(subject.excess.total()) < kLeast * duration_ns(*subject.evidence);
}

double unseen_taken(const Evidence& evidence, double taken) {
    return taken / 2 + std::sqrt(taken * sampling_period(evidence));  // each late tick represents a period
}

std::map<std::uint32_t, std::size_t> occurrences_by_thread(const OccurrenceTable& occurrences) {
    std::map<std::uint32_t, std::size_t> count;
    for (const std::uint32_t thread : occurrences.thread) {
        ++count[thread];
    }
    return count;
}

double taken_in(const OccurrenceTable& occurrences) {
    return static_cast<double>(std::accumulate(occurrences.taken.begin(), occurrences.taken.end(), std::int64_t{0}));
}

double most_lacking_share(const Case& subject) {
    const OccurrenceTable& occurrences = subject.space().rows;
    const auto mean = [](const std::vector<std::int64_t>& column, const std::vector<std::size_t>& rows) {
        double sum = 0;
        for (const std::size_t row : rows) {
            sum += static_cast<double>(column[row]);
        }
        return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
    };
    const auto more = [&](const std::vector<std::int64_t>& column) {
        return std::max(0.0, mean(column, subject.bad_rows) - mean(column, subject.good_rows)) *
               static_cast<double>(subject.bad_rows.size());
    };
    const auto without_queue = static_cast<double>(subject.excess.total() - subject.excess.terms.run_queue);
    // All of the time that was not found may be in the slow ones, and the reason why they are slow.
    const double lacking = more(occurrences.held_up) + unseen_taken(*subject.evidence, taken_in(occurrences));
    return without_queue > 0 ? lacking / without_queue : 1;
}

double own_queue_ns(const RunFacts& run) {
    double ns = 0;
    for (std::size_t ready = run.processors + 1; run.processors != 0 && ready < run.ready_ns.size(); ++ready) {
        ns += static_cast<double>(ready - run.processors) * static_cast<double>(run.ready_ns[ready]);
    }
    return ns;
}

double crowded_ns(const RunFacts& run) {
    double ns = 0;
    for (std::size_t ready = run.processors + 1; run.processors != 0 && ready < run.ready_ns.size(); ++ready) {
        ns += static_cast<double>(run.ready_ns[ready]);
    }
    return ns;
}

bool is_crowded(const Evidence& evidence) {
    constexpr double kCrowded = 0.2;
    return evidence.run.processors != 0 && crowded_ns(evidence.run) >= kCrowded * duration_ns(evidence);
}

double work_ratio(const Case& subject) {
    const OccurrenceTable& occurrences = subject.space().rows;
    const CounterIndex instructions = counter(*subject.evidence, "instructions");
    const auto ratio = [&](const std::function<double(std::size_t)>& work) {
        const auto total = [&](const std::vector<std::size_t>& rows) {
            double done = 0;
            double user = 0;
            for (const std::size_t row : rows) {
                if (const double value = work(row); !std::isnan(value)) {
                    done += value;
                    user += static_cast<double>(occurrences.terms[row].user);
                }
            }
            return std::pair(done, user);
        };
        const auto [bad, bad_user] = total(subject.bad_rows);
        const auto [good, good_user] = total(subject.good_rows);
        // Work by user time, of the bad against the good: 1 is the same speed.
        return bad > 0 && good > 0 && bad_user > 0 && good_user > 0 ? (bad / bad_user) / (good / good_user)
                                                                    : kUnknown;
    };
    const double by_progress = ratio([&](std::size_t row) { return occurrences.progress[row]; });
    if (!std::isnan(by_progress) || instructions == kNone) {
        return by_progress;
    }
    return ratio([&](std::size_t row) { return static_cast<double>(instructions.in(occurrences.deltas_of(row))); });
}

bool did_more_work(const Case& subject) {
    const double speed = work_ratio(subject);
    const auto user_of_occurrence = [&](const std::vector<std::size_t>& rows) {
        double user = 0;
        for (const std::size_t row : rows) {
            user += static_cast<double>(subject.space().rows.terms[row].user);
        }
        return rows.empty() ? 0 : user / static_cast<double>(rows.size());
    };
    const double usual = user_of_occurrence(subject.good_rows);
    if (std::isnan(speed) || usual <= 0) {
        return false;
    }
    const double longer = user_of_occurrence(subject.bad_rows) / usual;
    return longer > 1 && speed * longer - 1 >= (longer - 1) / 2;
}

bool is_copy(const RunFacts& run, std::uint32_t process) {
    if (process >= run.processes.size() || run.processes[process].parent >= run.processes.size()) {
        return false;
    }
    return run.processes[run.processes[process].parent].name == run.processes[process].name;
}

bool may_be_several(const Case& subject) {
    constexpr std::size_t kFew = 2;
    constexpr double kNear = 0.1;
    const auto user = [&](std::size_t row) { return static_cast<double>(subject.space().rows.terms[row].user); };
    double usual = 0;
    for (const std::size_t row : subject.good_rows) {
        usual += user(row) / static_cast<double>(subject.good_rows.size());
    }
    return did_more_work(subject) && subject.bad_rows.size() <= kFew && usual > 0 &&
           std::all_of(subject.bad_rows.begin(), subject.bad_rows.end(), [&](std::size_t row) {
               const double times = user(row) / usual;
               return std::round(times) >= 2 && std::abs(times - std::round(times)) < kNear;
           });
}

namespace {

bool is_meeting(recording::WaitKind kind) {
    return kind == recording::WaitKind::kBarrier || kind == recording::WaitKind::kOmpBarrier;
}

// How often threads came to a barrier, all of the case's processes.
double meetings_of(const Case& subject) {
    const Evidence& evidence = *subject.evidence;
    std::set<std::uint32_t> processes;
    for (const std::uint32_t thread : subject.space().threads) {
        processes.insert(evidence.run.threads[thread].process);
    }
    double count = 0;
    for (std::size_t i = 0; i < evidence.wait_sums.size(); ++i) {
        const WaitTarget& target = evidence.wait_targets[i];
        count += is_meeting(target.kind) && processes.contains(target.process)
                     ? static_cast<double>(evidence.wait_sums[i].count)
                     : 0;
    }
    for (const ThreadFacts& thread : evidence.run.threads) {
        for (const BriefWaits& brief : thread.brief) {
            count +=
                is_meeting(brief.kind) && processes.contains(thread.process) ? static_cast<double>(brief.count) : 0;
        }
    }
    return count;
}

}  // namespace

bool are_several(const Case& subject) {
    constexpr double kMost = 0.7;    // of what they take longer
    constexpr double kWhole = 0.12;  // of a time: nearer to a whole number of them
    const OccurrenceTable& occurrences = subject.space().rows;
    const std::map<std::uint32_t, std::size_t> count = occurrences_by_thread(occurrences);
    std::map<std::uint32_t, double> more;
    std::size_t whole = 0;
    for (const std::size_t row : subject.bad_rows) {
        const double times =
            static_cast<double>(own_ns(occurrences.terms[row])) / std::max(1.0, subject.good.median_ns);
        more[occurrences.thread[row]] += std::max(0.0, std::round(times) - 1);
        whole += times >= 1.5 && std::abs(times - std::round(times)) <= kWhole * times ? 1 : 0;
    }
    std::size_t most = 0;
    for (const auto& [thread, own] : count) {
        most = std::max(most, own);
    }
    double all = 0;
    double missing = 0;
    for (const auto& [thread, own] : more) {
        all += own;
        missing += std::min(own, static_cast<double>(most - count.at(thread)));
    }
    const double unseen = meetings_of(subject) - static_cast<double>(subject.space().occurrences);
    const bool are_whole = whole * 5 >= subject.bad_rows.size() * 4;
    return all > 0 && (missing >= kMost * all || (are_whole && unseen >= kMost * all));
}

std::int64_t excess_waiting(const Case& subject, const std::function<bool(const WaitTarget&)>& is_one) {
    std::int64_t waited = 0;
    for (const ExcessPart& part : subject.excess.parts) {
        if (part.term == Term::kWaiting && part.target < subject.evidence->wait_targets.size()) {
            waited += is_one(subject.evidence->wait_targets[part.target]) ? part.ns : 0;
        }
    }
    return waited;
}

bool waits_for_workers(const Case& subject) {
    constexpr double kMostlyWaiting = 0.5;
    constexpr double kLeastSpare = 0.2;
    const auto waited = static_cast<double>(subject.excess.terms.waiting);
    return subject.excess_share(set_of(Term::kWaiting)) > kMostlyWaiting &&
           spare_ns(*subject.evidence) * static_cast<double>(subject.threads.size()) < kLeastSpare * waited;
}

}  // namespace kymo::findings
