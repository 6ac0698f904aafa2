// Recurring places of waiting: in which occurrences of the enclosing node they recur.
//
// That a thread waited, where and when is recorded exactly, however noisy the occurrences' own durations are: so a
// pause is found by where its waits are among the rounds, and not by how long those took. Waits for other threads
// are left out: they mirror what the others do. Polling and accepting are how programs wait for work.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"
#include "findings/statistics/recurrence.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace kymo::findings {
namespace {

using namespace spacetime;
using recording::WaitKind;

constexpr std::size_t kLeastReturns = 3;  // in a thread: two distances
constexpr std::size_t kMostOften = 3;     // one occurrence in this many: more are not exceptional

constexpr std::size_t kMostElsewhere =
    4;  // of the waits, one in this many: if the loop is left after one, its end may be seen before it

bool can_pause(WaitKind kind) {
    return kind == WaitKind::kRead || kind == WaitKind::kWrite || kind == WaitKind::kConnect ||
           kind == WaitKind::kSync || kind == WaitKind::kSleep || kind == WaitKind::kChild ||
           kind == WaitKind::kFileLock;
}

std::map<std::uint32_t, std::size_t> occurrences_by_thread(const OccurrenceTable& occurrences) {
    std::map<std::uint32_t, std::size_t> result;
    for (const std::uint32_t thread : occurrences.thread) {
        ++result[thread];
    }
    return result;
}

// Waits inside an occurrence of the enclosing node, each with the node's occurrence that it is in or follows. None
// if more than a few are elsewhere: then this node does not enclose the place.
std::vector<WaitReturn> returns_to(const Evidence& evidence, NodeIndex node, const std::vector<TimedWait>& waits) {
    const SpaceNode& space = node.in(evidence.nodes);
    std::size_t elsewhere = 0;
    std::vector<WaitReturn> returns;
    for (const TimedWait& wait : waits) {
        if (space.parent != kNone) {
            const OccurrenceTable& around = space.parent.in(evidence.nodes).rows;
            const auto row = row_at(around, wait.thread, wait.begin);
            if (!row || around.end[*row] <= wait.begin) {
                ++elsewhere;
                continue;
            }
        }
        const auto row = row_at(space.rows, wait.thread, wait.begin);
        if (!row) {
            continue;
        }
        const std::uint32_t order = space.rows.order[*row];
        if (!returns.empty() && returns.back().thread == wait.thread && returns.back().order == order) {
            returns.back().end = wait.end;
            returns.back().ns += wait.ns;
        } else {
            returns.push_back({wait.thread, order, wait.begin, wait.end, wait.ns});
        }
    }
    if (elsewhere * kMostElsewhere > waits.size()) {
        returns.clear();
    }
    return returns;
}

// Only of threads in which it recurs, as an exception.
void keep_rare(const OccurrenceTable& occurrences, std::vector<WaitReturn>* returns) {
    std::map<std::uint32_t, std::size_t> events;
    for (const WaitReturn& wait : *returns) {
        ++events[wait.thread];
    }
    const auto rounds = occurrences_by_thread(occurrences);
    std::erase_if(*returns, [&](const WaitReturn& wait) {
        const std::size_t own = events[wait.thread];
        return own < kLeastReturns || own * kMostOften > rounds.at(wait.thread);
    });
}

bool is_whole(const SpaceNode& node) {
    return node.rows.size() == node.occurrences && node.kind != SpaceKind::kMark;
}

// The best count of the returns is chosen before the test: the rounds of the innermost enclosing loop, or else the
// most visited node of the innermost level.
std::optional<ReturnGround> ground_of(const Evidence& evidence, const std::vector<TimedWait>& waits) {
    std::optional<ReturnGround> best;
    const auto rank = [&](NodeIndex node) {
        const SpaceNode& space = node.in(evidence.nodes);
        return std::tuple(space.kind == SpaceKind::kIteration, space.depth, space.occurrences);
    };
    for (const NodeIndex node : indices(evidence.nodes)) {
        const SpaceNode& space = node.in(evidence.nodes);
        if (!is_whole(space) || (space.parent != kNone && !is_whole(space.parent.in(evidence.nodes))) ||
            (best && rank(node) <= rank(best->node))) {
            continue;
        }
        std::vector<WaitReturn> returns = returns_to(evidence, node, waits);
        keep_rare(space.rows, &returns);
        if (!returns.empty()) {
            best = ReturnGround{.node = node, .targets = {}, .returns = std::move(returns)};
        }
    }
    return best;
}

// Case::returns as they would be in rounds drawn at random.
void shuffle_returns(const OccurrenceTable& occurrences, Random* random, std::vector<WaitReturn>* returns) {
    std::vector<char> label(occurrences.size(), 0);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> rows;
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        rows[{occurrences.thread[row], occurrences.order[row]}] = row;
    }
    for (const WaitReturn& wait : *returns) {
        label[rows.at({wait.thread, wait.order})] = 1;
    }
    label = exchanged_labels(occurrences.thread, label, random);
    std::size_t next = 0;
    for (std::size_t row = 0; row < occurrences.size(); ++row) {
        if (label[row] != 0) {
            WaitReturn& wait = (*returns)[next++];
            wait = {occurrences.thread[row], occurrences.order[row], occurrences.begin[row], occurrences.end[row],
                    wait.ns};
        }
    }
}

}  // namespace

std::vector<ReturnGround> return_grounds(const Evidence& evidence) {
    using Key = std::tuple<std::uint32_t, WaitKind, program::SourcePlace>;
    std::map<Key, std::vector<TimedWait>> places;
    for (const TimedWait& wait : evidence.timed_waits) {
        const WaitTarget& at = evidence.wait_targets[wait.target];
        if (can_pause(at.kind)) {
            places[{at.process, at.kind, at.place}].push_back(wait);
        }
    }
    std::vector<ReturnGround> grounds;
    for (const auto& [place, waits] : places) {
        auto ground = ground_of(evidence, waits);
        if (!ground) {
            continue;
        }
        std::set<std::uint32_t> targets;
        for (const TimedWait& wait : waits) {
            targets.insert(wait.target);
        }
        ground->targets.assign(targets.begin(), targets.end());
        grounds.push_back(std::move(*ground));
    }
    return grounds;
}

void add_return_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const ReturnGround& ground : grounds.returns) {
        Case subject;
        subject.evidence = &grounds.evidence;
        subject.contrast = Contrast::kReturns;
        subject.node = ground.node;
        subject.targets = ground.targets;
        subject.returns = ground.returns;
        const OccurrenceTable& occurrences = subject.space().rows;
        if (options.shuffle != nullptr) {
            shuffle_returns(occurrences, options.shuffle, &subject.returns);
        }
        std::map<std::uint32_t, RoundEvents> streams;
        for (const WaitReturn& wait : subject.returns) {
            streams[wait.thread].at.push_back(wait.order);
        }
        std::vector<RoundEvents> events;
        std::size_t rounds = 0;
        const auto by_thread = occurrences_by_thread(occurrences);
        for (auto& [thread, stream] : streams) {
            stream.rounds = static_cast<std::uint32_t>(by_thread.at(thread));
            rounds += stream.rounds;
            events.push_back(stream);
            subject.threads.push_back(thread);
        }
        subject.bad.count = subject.returns.size();
        subject.good.count = rounds - subject.bad.count;
        const Recurrence test = recurrence_test(events, Random(0x2e70 + raw(ground.node)));
        subject.every = test.every;
        subject.tested = true;
        subject.p = test.p;
        subject.features.push_back({.name = std::string(kUnevenness),
                                    .bad = test.unevenness,
                                    .good = test.by_chance,
                                    .effect = kUnknown,
                                    .p = test.p,
                                    .q = test.p});
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
