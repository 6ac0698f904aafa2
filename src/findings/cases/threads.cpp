// Threads at the same step of one node.
//
// A step is an iteration of the enclosing loop (OccurrenceTable::step); if the analysis found none, the whole run
// is one. Iterations between which threads do not wait for each other count as one step: a faster thread loses
// nothing there, and which of their iterations belong together is not known. Only what threads *worked* counts:
// processor time; waiting is its mirror image. Threads that did not exist at the same time are not peers and are
// not compared.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace kymo::findings {
namespace {

using spacetime::SpaceNode;

constexpr std::uint64_t kMostBoth = 4;  // one part in this many of a step may lie in the next as well

// Threads of one process share its work, ranks of a job share the job's.
bool share_work(const spacetime::ThreadFacts& a, const spacetime::ThreadFacts& b) {
    return a.process == b.process || (a.rank && b.rank);
}

// Threads that share work and whose occurrences overlap most of the time, ascending.
std::vector<std::uint32_t> sharers(const spacetime::Evidence& evidence, const SpaceNode& space) {
    std::map<std::uint32_t, TimeRange> spans;
    for (std::size_t row = 0; row < space.rows.size(); ++row) {
        const auto [entry, is_new] =
            spans.try_emplace(space.rows.thread[row], TimeRange{space.rows.begin[row], space.rows.end[row]});
        entry->second.end = std::max(entry->second.end, space.rows.end[row]);
    }
    // The one that was there longest; with it those that share its work and were there during half of their own time.
    const auto length = [](const TimeRange& range) { return range.end - range.begin; };
    const auto longest = std::max_element(spans.begin(), spans.end(), [&](const auto& a, const auto& b) {
        return length(a.second) < length(b.second);
    });
    std::vector<std::uint32_t> result;
    for (const auto& [thread, span] : spans) {
        const std::uint64_t begin = std::max(span.begin, longest->second.begin);
        const std::uint64_t end = std::min(span.end, longest->second.end);
        if (share_work(evidence.run.threads[thread], evidence.run.threads[longest->first]) && end >= begin &&
            (end - begin) * 2 >= length(span)) {
            result.push_back(thread);
        }
    }
    return result;
}

// By step, the first of those that count as one with it. At a step's end the quicker threads wait only if none of
// them begins the next one before most of this one is over in all of them: steps that run into each other are one.
std::map<std::uint32_t, std::uint32_t> joined_steps(const SpaceNode& space,
                                                    const std::vector<std::uint32_t>& threads) {
    std::map<std::uint32_t, TimeRange> steps;
    for (std::size_t row = 0; row < space.rows.size(); ++row) {
        if (std::binary_search(threads.begin(), threads.end(), space.rows.thread[row])) {
            const TimeRange occurrence{space.rows.begin[row], space.rows.end[row]};
            TimeRange& span = steps.try_emplace(space.rows.step[row], occurrence).first->second;
            span = {std::min(span.begin, occurrence.begin), std::max(span.end, occurrence.end)};
        }
    }
    std::map<std::uint32_t, std::uint32_t> first_of;
    std::uint32_t first = 0;
    const TimeRange* before = nullptr;
    for (const auto& [step, span] : steps) {
        const bool is_parted = before == nullptr || (before->end - std::min(before->end, span.begin)) * kMostBoth <=
                                                        before->end - before->begin;
        first = is_parted ? step : first;
        first_of[step] = first;
        before = &span;
    }
    return first_of;
}

// From the occurrence's begin to the thread's next occurrence: off the processor in it, and all of the time behind it
// except the time without a processor. Behind the last one anything may be.
std::int64_t idle_until_next_ns(const spacetime::OccurrenceTable& occurrences, std::size_t row) {
    const spacetime::TimeTerms& terms = occurrences.terms[row];
    const std::int64_t inside = terms.spinning + terms.waiting + terms.other;
    if (row + 1 == occurrences.size() || occurrences.thread[row + 1] != occurrences.thread[row]) {
        return std::numeric_limits<std::int64_t>::max() / 2;
    }
    const auto behind = static_cast<std::int64_t>(occurrences.begin[row + 1] -
                                                  std::min(occurrences.begin[row + 1], occurrences.end[row]));
    const std::int64_t lacking = occurrences.ready_before[row + 1] - occurrences.ready_before[row] - terms.run_queue;
    return inside + behind - std::clamp<std::int64_t>(lacking, 0, behind);
}

// A thread that polls for the end of a step is on a processor and waits: the shorter its work, and the longer another
// is kept from its own processor, the longer it polls.
void take_out_polling(const spacetime::Evidence& evidence, NodeIndex node, const std::vector<std::uint32_t>& threads,
                      const std::map<std::uint32_t, std::uint32_t>& first_of,
                      std::map<std::uint32_t, StepRow>* steps) {
    const spacetime::OccurrenceTable& occurrences = node.in(evidence.nodes).rows;
    for (const NodeIndex inner : indices(evidence.nodes)) {
        const SpaceNode& polling = inner.in(evidence.nodes);
        if (!polling.polls || !is_inside(evidence, inner, node)) {
            continue;
        }
        for (std::size_t row = 0; row < polling.rows.size(); ++row) {
            const auto place = std::lower_bound(threads.begin(), threads.end(), polling.rows.thread[row]);
            const auto around = row_at(occurrences, polling.rows.thread[row], polling.rows.begin[row]);
            if (place == threads.end() || *place != polling.rows.thread[row] || !around) {
                continue;
            }
            StepRow& step = steps->at(first_of.at(occurrences.step[*around]));
            const auto thread = static_cast<std::size_t>(place - threads.begin());
            const double polled =
                std::min(step.busy_ns[thread], static_cast<double>(processor(polling.rows.terms[row])));
            step.busy_ns[thread] -= polled;
            step.idle_ns[thread] += polled;
        }
    }
}

// A thread's work here between waits without a sample is in no occurrence. It worked all the same,
// and equally in its steps, as far as known.
void add_unseen(const SpaceNode& space, const std::vector<std::uint32_t>& threads,
                std::map<std::uint32_t, StepRow>* steps) {
    for (std::size_t i = 0; i < threads.size(); ++i) {
        double seen = 0;
        for (std::size_t row = 0; row < space.rows.size(); ++row) {
            const spacetime::TimeTerms& terms = space.rows.terms[row];
            seen += space.rows.thread[row] == threads[i] ? static_cast<double>(terms.user + terms.system) : 0;
        }
        const double unseen = static_cast<double>(space.work_of(threads[i]).all()) - seen;
        double busy = 0;
        for (const auto& [first, step] : *steps) {
            busy += step.busy_ns[i];
        }
        if (unseen <= 0 || busy <= 0) {
            continue;
        }
        for (auto& [first, step] : *steps) {
            const double more = unseen * step.busy_ns[i] / busy;
            step.busy_ns[i] += more;
            step.idle_ns[i] = std::isnan(step.idle_ns[i]) ? kUnknown : std::max(0.0, step.idle_ns[i] - more);
        }
    }
}

}  // namespace

void add_thread_cases(const spacetime::Evidence& evidence, std::vector<Case>* cases) {
    for (const NodeIndex node : indices(evidence.nodes)) {
        const SpaceNode& space = node.in(evidence.nodes);
        // Sums by step and thread are complete only if no occurrence was left out.
        if (space.threads.size() < 2 || space.rows.size() != space.occurrences || space.polls) {
            continue;
        }
        Case subject;
        subject.evidence = &evidence;
        subject.contrast = Contrast::kThreads;
        subject.node = node;
        subject.threads = sharers(evidence, space);
        if (subject.threads.size() < 2) {
            continue;
        }
        const auto first_of = joined_steps(space, subject.threads);
        std::map<std::uint32_t, StepRow> steps;
        for (std::size_t row = 0; row < space.rows.size(); ++row) {
            const auto place =
                std::lower_bound(subject.threads.begin(), subject.threads.end(), space.rows.thread[row]);
            if (place == subject.threads.end() || *place != space.rows.thread[row]) {
                continue;
            }
            const std::uint32_t first = first_of.at(space.rows.step[row]);
            StepRow& step = steps.try_emplace(first, StepRow{.step = first}).first->second;
            step.busy_ns.resize(subject.threads.size(), 0);
            step.idle_ns.resize(subject.threads.size(), kUnknown);
            const auto thread = static_cast<std::size_t>(place - subject.threads.begin());
            step.busy_ns[thread] += static_cast<double>(processor(space.rows.terms[row]));
            step.idle_ns[thread] = (std::isnan(step.idle_ns[thread]) ? 0 : step.idle_ns[thread]) +
                                   static_cast<double>(idle_until_next_ns(space.rows, row));
        }
        take_out_polling(evidence, node, subject.threads, first_of, &steps);
        add_unseen(space, subject.threads, &steps);
        for (auto& [first, step] : steps) {
            subject.steps.push_back(std::move(step));
        }
        subject.bad.count = subject.steps.size();
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
