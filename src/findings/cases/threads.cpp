// Threads at the same step of one node.
//
// A step is an iteration of the loop around (VisitTable::step); where the analysis found none, the whole run is one.
// So it is where threads do not keep step with each other: then nothing makes the quicker one wait at a step's end,
// and which of their iterations belong together is not known.
// Only what threads *worked* counts: processor time; waiting is its mirror image. Threads that were not there at the
// same time are no peers and are not compared.
#include "findings/cases/make.h"

#include <algorithm>
#include <map>

namespace kymo::findings {
namespace {

using spacetime::SpaceNode;

// Threads of one process share its work, ranks of a job share the job's.
bool share_work(const spacetime::ThreadFacts& a, const spacetime::ThreadFacts& b) {
    return a.process == b.process || (a.rank && b.rank);
}

// Threads that share work and whose visits overlap most of the time, ascending.
std::vector<std::uint32_t> peers(const spacetime::Evidence& evidence, const SpaceNode& space) {
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

// Do the steps follow each other in time? Half of them and more must begin, in every thread, after most of the step
// before is over in all of them.
bool keep_step(const SpaceNode& space, const std::vector<std::uint32_t>& threads) {
    struct Span {
        std::uint64_t first_begin = ~std::uint64_t{0};
        std::uint64_t last_end = 0;
    };
    std::map<std::uint32_t, Span> steps;
    for (std::size_t row = 0; row < space.rows.size(); ++row) {
        if (std::binary_search(threads.begin(), threads.end(), space.rows.thread[row])) {
            Span& span = steps[space.rows.step[row]];
            span.first_begin = std::min(span.first_begin, space.rows.begin[row]);
            span.last_end = std::max(span.last_end, space.rows.end[row]);
        }
    }
    std::size_t parted = 0;
    const Span* before = nullptr;
    for (const auto& [step, span] : steps) {
        if (before != nullptr) {
            const std::uint64_t length = before->last_end - before->first_begin;
            const std::uint64_t both = before->last_end - std::min(before->last_end, span.first_begin);
            parted += both * 4 <= length ? 1 : 0;
        }
        before = &span;
    }
    return steps.size() < 2 || (parted + 1) * 2 >= steps.size();
}

}  // namespace

void add_thread_cases(const spacetime::Evidence& evidence, std::vector<Case>* cases) {
    for (std::uint32_t node = 0; node < evidence.nodes.size(); ++node) {
        const SpaceNode& space = evidence.nodes[node];
        // Sums by step and thread are true only where no visit was left out.
        if (space.threads.size() < 2 || space.rows.size() != space.visits) {
            continue;
        }
        Case subject;
        subject.evidence = &evidence;
        subject.contrast = Contrast::kThreads;
        subject.node = node;
        subject.threads = peers(evidence, space);
        if (subject.threads.size() < 2) {
            continue;
        }
        const bool has_steps = keep_step(space, subject.threads);
        std::map<std::uint32_t, std::vector<double>> steps;
        for (std::size_t row = 0; row < space.rows.size(); ++row) {
            const auto place =
                std::lower_bound(subject.threads.begin(), subject.threads.end(), space.rows.thread[row]);
            if (place == subject.threads.end() || *place != space.rows.thread[row]) {
                continue;
            }
            std::vector<double>& busy = steps[has_steps ? space.rows.step[row] : 0];
            busy.resize(subject.threads.size(), 0);
            busy[static_cast<std::size_t>(place - subject.threads.begin())] +=
                static_cast<double>(processor(space.rows.terms[row]));
        }
        for (auto& [step, busy] : steps) {
            subject.steps.push_back({step, std::move(busy)});
        }
        subject.bad.count = subject.steps.size();
        cases->push_back(std::move(subject));
    }
}

}  // namespace kymo::findings
