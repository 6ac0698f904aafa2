#include "made_evidence.h"

#include "findings/statistics/robust.h"

#include <algorithm>
#include <utility>

namespace kymo::findings {

using namespace spacetime;

namespace {

// `rows` has all columns of the occurrence already but those from ready_before on.
TimeTerms gap_before(const OccurrenceTable& rows, const MadeOccurrence& occurrence, bool has_one_before) {
    TimeTerms gap;
    if (has_one_before) {
        const std::size_t last = rows.ready_before.size() - 1;
        gap.run_queue = occurrence.ready_before - rows.ready_before[last] - rows.terms[last].run_queue;
        gap.user = static_cast<std::int64_t>(occurrence.begin - rows.end[last]) - gap.run_queue;
    }
    return gap;
}

}  // namespace

MadeEvidence::MadeEvidence(std::vector<std::string> counters, std::size_t threads) {
    evidence.run.counters = std::move(counters);
    evidence.run.processors = 2;
    evidence.run.deltas.assign(evidence.run.counters.size(), 0);
    for (std::size_t i = 0; i < threads; ++i) {
        ThreadFacts facts;
        facts.tid = 100 + i;
        facts.name = i == 0 ? "main" : "worker";
        facts.is_sampled = true;
        facts.creator = i == 0 ? kNone : 0;
        facts.deltas.assign(evidence.run.counters.size(), 0);
        evidence.run.threads.push_back(facts);
    }
}

std::uint32_t MadeEvidence::add_node(std::string function, std::uint32_t parent, SpaceKind kind) {
    SpaceNode node;
    node.kind = kind;
    node.parent = NodeIndex(parent);
    node.depth = parent == kNone ? 0 : evidence.nodes[parent].depth + 1;
    node.place.function = function;
    node.place.file = "program.c";
    node.place.line_begin = 10 * static_cast<std::uint32_t>(evidence.nodes.size() + 1);
    node.place.line_end = node.place.line_begin + 5;
    node.path = parent == kNone ? std::vector<std::string>() : evidence.nodes[parent].path;
    node.path.push_back(std::move(function));
    node.deltas.assign(evidence.run.counters.size(), 0);
    node.rows = OccurrenceTable(evidence.run.counters.size());
    node.rows.first_wait = {0};
    evidence.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(evidence.nodes.size() - 1);
}

void MadeEvidence::add_occurrence(std::uint32_t index, const MadeOccurrence& occurrence) {
    SpaceNode& node = evidence.nodes[index];
    OccurrenceTable& rows = node.rows;
    const auto order =
        static_cast<std::uint32_t>(std::count(rows.thread.begin(), rows.thread.end(), occurrence.thread));
    const auto wall = static_cast<std::uint64_t>(occurrence.terms.wall());
    rows.thread.push_back(occurrence.thread);
    rows.begin.push_back(occurrence.begin);
    rows.end.push_back(occurrence.begin + wall);
    rows.samples.push_back(wall / static_cast<std::uint64_t>(kMs));
    rows.bridged.push_back(0);
    rows.terms.push_back(occurrence.terms);
    rows.waits.insert(rows.waits.end(), occurrence.waits.begin(), occurrence.waits.end());
    rows.first_wait.push_back(static_cast<std::uint32_t>(rows.waits.size()));
    for (std::size_t c = 0; c < rows.counters; ++c) {
        const std::int64_t delta = c < occurrence.deltas.size() ? occurrence.deltas[c] : 0;
        rows.deltas.push_back(delta);
        node.deltas[c] += delta;
    }
    rows.processor.push_back(occurrence.processor);
    rows.migrations.push_back(occurrence.migrations);
    rows.before.push_back(occurrence.before);
    rows.after.push_back(occurrence.after);
    rows.order.push_back(order);
    rows.gap_terms.push_back(occurrence.gap.value_or(gap_before(rows, occurrence, order != 0)));
    for (std::size_t c = 0; c < rows.counters; ++c) {
        rows.gap_deltas.push_back(c < occurrence.gap_deltas.size() ? occurrence.gap_deltas[c] : 0);
    }
    rows.ready_before.push_back(occurrence.ready_before);
    rows.held_up.push_back(occurrence.held_up);
    rows.taken.push_back(occurrence.taken);
    ThreadFacts& thread = evidence.run.threads.at(occurrence.thread);
    thread.taken += occurrence.taken;
    if (node.parent == kNone) {
        const auto on =
            std::find_if(thread.processors.begin(), thread.processors.end(),
                         [&](const ProcessorSamples& each) { return each.processor == occurrence.processor; });
        if (on != thread.processors.end()) {
            on->samples += rows.samples.back();
        } else {
            thread.processors.push_back({occurrence.processor, rows.samples.back()});
        }
    }
    rows.step.push_back(occurrence.step);
    rows.active_threads.push_back(1);
    rows.progress.push_back(occurrence.progress);
    node.total += occurrence.terms;
    const auto part =
        std::lower_bound(node.work.begin(), node.work.end(), occurrence.thread,
                         [](const ThreadWork& one, std::uint32_t thread) { return one.thread < thread; });
    const WorkSums more{occurrence.terms.user, occurrence.terms.system};
    if (part != node.work.end() && part->thread == occurrence.thread) {
        part->ns += more;
    } else {
        node.work.insert(part, {occurrence.thread, more});
    }
    node.samples += rows.samples.back();
    ++node.occurrences;
    node.durations.add(wall);
    for (const OccurrenceWait& wait : occurrence.waits) {
        const auto found = std::find_if(node.waits.begin(), node.waits.end(),
                                        [&](const OccurrenceWait& other) { return other.target == wait.target; });
        if (found != node.waits.end()) {
            found->ns += wait.ns;
        } else {
            node.waits.push_back(wait);
        }
    }
    if (std::find(node.threads.begin(), node.threads.end(), occurrence.thread) == node.threads.end()) {
        node.threads.push_back(occurrence.thread);
        std::sort(node.threads.begin(), node.threads.end());
    }
}

std::uint32_t MadeEvidence::add_wait_target(recording::WaitKind kind, std::string function, std::uint32_t holder) {
    WaitTarget target;
    target.kind = kind;
    target.object = 0x1000 + evidence.wait_targets.size();
    target.place.function = std::move(function);
    target.place.file = "program.c";
    target.place.line = 99;
    target.holder = holder;
    evidence.wait_targets.push_back(target);
    return static_cast<std::uint32_t>(evidence.wait_targets.size() - 1);
}

const Evidence& MadeEvidence::finish() {
    RunFacts& run = evidence.run;
    for (SpaceNode& node : evidence.nodes) {
        std::vector<double> samples(node.rows.samples.begin(), node.rows.samples.end());
        node.median_samples = static_cast<std::uint64_t>(median(samples));
        node.folded = node.median_samples < 8;
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            run.end = std::max(run.end, node.rows.end[row]);
        }
        if (node.parent != kNone) {
            continue;
        }
        // Nodes at the top are disjoint: together they are what the threads did.
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            ThreadFacts& thread = run.threads[node.rows.thread[row]];
            thread.total += node.rows.terms[row];
            thread.begin = thread.end == 0 ? node.rows.begin[row] : std::min(thread.begin, node.rows.begin[row]);
            thread.end = std::max(thread.end, node.rows.end[row]);
            run.total += node.rows.terms[row];
            for (std::size_t c = 0; c < run.deltas.size(); ++c) {
                run.deltas[c] += node.rows.deltas_of(row)[c];
                thread.deltas[c] += node.rows.deltas_of(row)[c];
            }
        }
    }
    return evidence;
}

std::vector<Claim> claims_of(const Rule& rule, const spacetime::Evidence& evidence) {
    Case subject;
    subject.evidence = &evidence;
    subject.contrast = Contrast::kRun;
    std::vector<Claim> claims;
    rule.look(subject, &claims);
    return claims;
}

const Finding* find(const std::vector<Finding>& findings, const std::string& kind) {
    const auto found =
        std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.kind == kind; });
    return found != findings.end() ? &*found : nullptr;
}

}  // namespace kymo::findings
