#include "spacetime/evidence/make_evidence.h"

#include "spacetime/evidence/kept_structure.h"
#include "spacetime/evidence/levels.h"
#include "spacetime/evidence/make_account.h"
#include "spacetime/evidence/make_run_facts.h"
#include "spacetime/evidence/node_tables.h"
#include "spacetime/evidence/node_weights.h"
#include "spacetime/evidence/occurrences/loop_progress.h"
#include "spacetime/evidence/operands/shared_lines.h"
#include "spacetime/evidence/operands/slow_loops.h"
#include "spacetime/evidence/operands/slow_operands.h"
#include "spacetime/evidence/span_nodes.h"
#include "spacetime/evidence/wait_sums.h"
#include "spacetime/evidence/wait_targets.h"
#include "spacetime/evidence/weighing.h"

#include <algorithm>
#include <utility>

namespace kymo::spacetime {
namespace {

// Limits for all nodes and streams together: some 100 MB each at the most.
constexpr std::size_t kMostRows = 300'000;
constexpr std::size_t kMostLifeRows = 10'000;
constexpr std::size_t kMostEntries = 4'000'000;
constexpr std::size_t kLeastRows = 256;
constexpr std::size_t kLeastEntries = 512;

// The part of `all` that each of `owners` may have: at least `least`, at most `asked` if that is more.
std::size_t share_of(std::size_t all, std::size_t owners, std::size_t least, std::size_t asked) {
    return std::clamp<std::size_t>(all / std::max<std::size_t>(1, owners), least, std::max(asked, least));
}

std::vector<std::string> warnings_of(const CodeMap& code, const OccurrencePass& occurrences) {
    std::vector<std::string> warnings = code.problems();
    warnings.insert(warnings.end(), code.undecoded().begin(), code.undecoded().end());
    if (occurrences.pairs.floor() > 1) {
        warnings.push_back("too many address pairs: in the weights, addresses with fewer than " +
                           std::to_string(occurrences.pairs.floor()) + " samples are one place");
    }
    if (occurrences.occurrences.patterns.floor() > 1) {
        warnings.push_back("too many patterns: neighbours with fewer than " +
                           std::to_string(occurrences.occurrences.patterns.floor()) +
                           " samples count as their parent's own code");
    }
    if (occurrences.too_many_marks) {
        warnings.emplace_back("the program set more than a million marks: only the first million are analysed");
    }
    return warnings;
}

// By number of the address.
std::vector<TaxFamily> slow_by_code(const SampledAddresses& addresses, const PathEnds& paths) {
    std::vector<TaxFamily> slow(addresses.places.size(), TaxFamily::kNone);
    for (std::size_t node = 0; node < addresses.of_node.size(); ++node) {
        const std::uint32_t number = addresses.of_node[node];
        const TaxFamily own = paths.ends[paths.of_node[node]].kind.slow;
        if (number != kNone && own != TaxFamily::kNone) {
            slow[number] = own;
        }
    }
    return slow;
}

}  // namespace

Result<Evidence> make_evidence(const recording::Recording& recording, const Profile& profile, NamedRun& run,
                               const EvidenceOptions& wanted, const RunMetrics& metrics) {
    const auto stage = [&](std::string_view name) {
        if (wanted.on_stage) {
            wanted.on_stage(name);
        }
    };
    const Names names = run.names();
    Evidence evidence;

    stage("structure");
    const KeptStructure made = keep_structure(profile, run, wanted);
    const KeptNodes& kept = made.kept;
    WaitTargets waits = make_wait_targets(profile, names);
    PathEnds paths = make_path_ends(profile, names, run.code.get());
    const SampledAddresses addresses = number_addresses(profile);
    EvidenceOptions options = wanted;
    options.occurrence_cap = share_of(kMostRows, kept.size(), kLeastRows, wanted.occurrence_cap);
    const OccurrenceLimits limits{
        .occurrence_cap = options.occurrence_cap,
        .sequence_cap = share_of(kMostEntries, std::max<std::size_t>(1, kept.size()) * profile.streams.size(),
                                 kLeastEntries, wanted.sequence_cap)};

    stage("occurrences");
    const auto loops = count_loops(recording, profile, addresses, *run.code, options.team);
    if (!loops) {
        return loops.error();
    }
    const OperandUses uses = operand_uses(profile, addresses.places, *run.code);
    auto occurrences = run_occurrence_pass(recording, profile, kept, addresses, *loops, uses, paths, waits.of_thread,
                                           limits, options.team);
    if (!occurrences) {
        return occurrences.error();
    }
    SharedLines lines = find_shared_lines(profile, uses.uses.size(), occurrences->operands.memory);
    const bool has_stacks = options.late_code != nullptr && !options.late_code->empty();
    const SlowLoops slow =
        slow_loops(addresses.places, addresses.samples, slow_by_code(addresses, paths), *run.code, names, has_stacks);
    apply(slow.family, profile, addresses.of_node, &paths, slow.holder);
    apply(slow_operands(uses, occurrences->operands, lines), profile, addresses.of_node, &paths);
    if (has_stacks) {
        apply(late_addresses(profile, addresses.places, *options.late_code), profile, addresses.of_node, &paths);
    }
    const Meanwhile meanwhile{profile, occurrences->at_work, occurrences->lacking, waits.targets};

    stage("iterations");
    const auto levels = find_levels(kept, occurrences->occurrences, wall_time(made.structure.total[0]));
    const PlannedSpans plan = plan_spans(levels, *occurrences, profile.threads.size());

    stage("weights");
    const Weighing weighing =
        weigh_pairs(profile, addresses, occurrences->pairs, *run.code, options.space_share, options.same_overlap);

    stage("spans");
    const Schedule schedule(occurrences->schedule, profile.begin, profile.end, profile.processors);
    const SpanWork work{
        .spans = plan.spans,
        .groups = plan.groups.size(),
        .of_pairs = weighing,
        .life_cap = share_of(kMostLifeRows, weighing.group_samples.size(), kLeastRows, options.occurrence_cap),
        .paths = paths,
        .schedule = schedule};
    auto spans =
        run_span_pass(recording, profile, addresses, occurrences->pairs, waits.of_thread, work, limits, options.team);
    if (!spans) {
        return spans.error();
    }
    if (!team::is_first(options.team)) {
        return evidence;
    }

    stage("tables");
    evidence.intervals = node_intervals(occurrences->occurrences.nodes);
    evidence.nodes = describe_kept(profile, run, made);
    fill_kept(evidence.nodes, std::move(occurrences->occurrences.nodes), levels, meanwhile, options);
    const auto weights = node_weights(profile, kept, addresses, weighing.weight_of_address, occurrences->pair_ends);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        evidence.nodes[i].weight = weights[i];
    }
    evidence.patterns = make_patterns(occurrences->occurrences);
    find_periods(evidence.intervals, evidence.nodes, occurrences->occurrences, kept.size());
    add_span_nodes(plan.groups, std::move(spans->groups), levels, *occurrences, meanwhile, options, evidence.nodes,
                   evidence.intervals);
    number_steps(evidence.nodes, levels);
    evidence.spaces = make_heavy_spaces(profile, weighing, *spans, evidence.nodes, names);
    if (options.sums_code || options.looked_at != nullptr) {
        evidence.code_sums = sum_code(profile, weighing.table,
                                      options.looked_at != nullptr ? options.looked_at->spaces : evidence.spaces);
    }
    evidence.same_spaces = make_same_spaces(evidence.spaces, weighing.same, evidence.nodes);
    fill_lives(evidence.same_spaces, std::move(spans->lives), std::move(spans->parts), meanwhile, options);
    evidence.run = make_run_facts(profile, names, *occurrences, waits, metrics);
    evidence.wait_sums = wait_sums(profile, names, waits, occurrences->lacking);
    evidence.account = make_account(profile, paths, names.symbols(), waits.targets, evidence.wait_sums,
                                    spans->account, spans->functions);
    evidence.shared_lines = std::move(lines.falsely);
    evidence.timed_waits = timed_waits(profile, waits, evidence.wait_sums);
    evidence.warnings = warnings_of(*run.code, *occurrences);
    evidence.wait_targets = std::move(waits.targets);
    return evidence;
}

}  // namespace kymo::spacetime
