#include "spacetime/evidence/make_evidence.h"

#include "spacetime/evidence/holder_places.h"
#include "spacetime/evidence/identity.h"
#include "spacetime/evidence/levels.h"
#include "spacetime/evidence/make_run_facts.h"
#include "spacetime/evidence/node_tables.h"
#include "spacetime/evidence/occurrences/loop_progress.h"
#include "spacetime/evidence/places.h"
#include "spacetime/evidence/rule_facts.h"
#include "spacetime/evidence/wait_targets.h"
#include "spacetime/evidence/weighing.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace kymo::spacetime {
namespace {

// Limits for all nodes and streams together: some 100 MB each at the most.
constexpr std::size_t kMostRows = 300'000;
constexpr std::size_t kMostLifeRows = 10'000;
constexpr std::size_t kMostEntries = 4'000'000;
constexpr std::size_t kMostLines = 32;

class Maker {
  public:
    Maker(const recording::Recording& recording, const Profile& profile, NamedRun& run,
          const EvidenceOptions& options)
        : recording_(recording),
          profile_(profile),
          run_(run),
          names_(run.requests, run.tree.symbols),
          options_(options) {}

    Result<Evidence> make() {
        stage("structure");
        structure_ = make_structure(profile_, names_, *run_.code);
        identities_ = identities(profile_, structure_, names_, *run_.code);
        kept_ = keep_nodes(structure_, options_.space_share, asked_nodes());
        WaitTargets waits = make_wait_targets(profile_, names_);
        evidence_.wait_targets = std::move(waits.targets);
        addresses_ = number_addresses(profile_);
        const std::size_t nodes = std::max<std::size_t>(1, kept_.size());
        options_.occurrence_cap =
            std::clamp<std::size_t>(kMostRows / nodes, 256, std::max<std::size_t>(options_.occurrence_cap, 256));
        const OccurrenceLimits limits{.occurrence_cap = options_.occurrence_cap,
                                      .sequence_cap = std::clamp<std::size_t>(
                                          kMostEntries / (nodes * std::max<std::size_t>(1, profile_.streams.size())),
                                          512, std::max<std::size_t>(options_.sequence_cap, 512))};

        stage("occurrences");
        const auto loops = count_loops(recording_, profile_, addresses_, *run_.code);
        if (!loops) {
            return loops.error();
        }
        auto occurrences =
            run_occurrence_pass(recording_, profile_, kept_, addresses_, *loops, waits.of_thread, limits);
        if (!occurrences) {
            return occurrences.error();
        }
        stage("iterations");
        const auto levels = find_levels(kept_, occurrences->occurrences, wall_time(structure_.total[0]));
        stage("weights");
        Weighing weighing = weigh_pairs(profile_, addresses_, occurrences->pairs, *run_.code, options_.space_share,
                                        options_.same_overlap);
        SpanWork work = plan_spans(levels, *occurrences);
        work.spaces_of = std::move(weighing.spaces_of);
        work.spaces = static_cast<std::uint32_t>(weighing.heavy.size());
        work.group_of = std::move(weighing.group_of);
        work.part_of = std::move(weighing.part_of);
        work.group_samples = std::move(weighing.group_samples);
        work.life_cap = std::clamp<std::size_t>(kMostLifeRows / std::max<std::size_t>(1, work.group_samples.size()),
                                                256, options_.occurrence_cap);
        stage("spans");
        auto spans =
            run_span_pass(recording_, profile_, addresses_, occurrences->pairs, waits.of_thread, work, limits);
        if (!spans) {
            return spans.error();
        }
        stage("tables");
        make_nodes(*occurrences, levels);
        weigh_nodes(weighing.weight_of_address, occurrences->pair_ends);
        evidence_.patterns = make_patterns(occurrences->occurrences);
        find_periods(evidence_.intervals, evidence_.nodes, occurrences->occurrences, kept_.size());
        add_span_nodes(std::move(spans->groups), *occurrences, levels);
        number_steps(evidence_.nodes, levels);
        evidence_.spaces = make_heavy_spaces(profile_, weighing, *spans, evidence_.nodes, names_);
        if (options_.sums_code || options_.looked_at != nullptr) {
            evidence_.code_sums =
                sum_code(profile_, weighing.table,
                         options_.looked_at != nullptr ? options_.looked_at->spaces : evidence_.spaces);
        }
        evidence_.same_spaces = make_same_spaces(evidence_.spaces, weighing.same, evidence_.nodes);
        add_lives(std::move(spans->lives), std::move(spans->parts), *occurrences);
        evidence_.run = make_run_facts(profile_, names_, *occurrences, waits.of_thread);
        add_rule_facts(profile_, waits.of_thread, occurrences->lacking, &evidence_);
        add_holder_places(profile_, names_, &evidence_);
        evidence_.warnings = run_.code->problems();
        evidence_.warnings.insert(evidence_.warnings.end(), run_.code->undecoded().begin(),
                                  run_.code->undecoded().end());
        if (occurrences->pairs.floor() > 1) {
            evidence_.warnings.push_back("too many address pairs: in the weights, addresses with fewer than " +
                                         std::to_string(occurrences->pairs.floor()) + " samples are one place");
        }
        if (occurrences->occurrences.patterns.floor() > 1) {
            evidence_.warnings.push_back("too many patterns: neighbours with fewer than " +
                                         std::to_string(occurrences->occurrences.patterns.floor()) +
                                         " samples count as their parent's own code");
        }
        if (occurrences->too_many_marks) {
            evidence_.warnings.emplace_back(
                "the program set more than a million marks: only the first million are analysed");
        }
        return std::move(evidence_);
    }

  private:
    // One group of spans: the rounds of a node, or one mark's regions.
    struct Group {
        NodeIndex node = {};
        std::uint32_t mark = kNone;
    };

    std::vector<bool> asked_nodes() const {
        std::vector<bool> asked;
        if (options_.looked_at != nullptr) {
            std::unordered_set<std::uint64_t> wanted;
            for (const SpaceNode& node : options_.looked_at->nodes) {
                wanted.insert(node.identity);
            }
            for (std::size_t i = 0; i < identities_.size(); ++i) {
                asked.push_back(!structure_.nodes[i].is_group && wanted.contains(identities_[i]));
            }
        }
        return asked;
    }

    void stage(std::string_view name) const {
        if (options_.on_stage) {
            options_.on_stage(name);
        }
    }

    SpanWork plan_spans(const std::vector<LevelStructure>& levels, const OccurrencePass& occurrences) {
        SpanWork work;
        work.spans.resize(profile_.threads.size());
        for (std::uint32_t node = 0; node < levels.size(); ++node) {
            if (!levels[node].is_loop) {
                continue;
            }
            for (const auto& [thread, rounds] : levels[node].streams) {
                for (std::uint32_t i = 0; i < rounds.rounds.size(); ++i) {
                    work.spans[thread].push_back({rounds.rounds[i].begin, rounds.rounds[i].end,
                                                  static_cast<std::uint32_t>(groups_.size()), i});
                }
            }
            groups_.push_back({.node = NodeIndex(node)});
        }
        plan_marks(occurrences, work);
        for (std::vector<Span>& spans : work.spans) {
            std::erase_if(spans, [](const Span& span) { return span.begin >= span.end; });
            std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
                return std::tuple(a.begin, b.end, a.group) < std::tuple(b.begin, a.end, b.group);
            });
        }
        work.groups = static_cast<std::uint32_t>(groups_.size());
        return work;
    }

    // From a begin to its end; for nested regions of one name the outermost.
    void plan_marks(const OccurrencePass& occurrences, SpanWork& work) {
        std::map<std::uint32_t, std::uint32_t> groups;
        for (const auto& [thread, rows] : occurrences.marks) {
            struct Open {
                std::uint64_t begin = 0;
                std::uint32_t depth = 0;
                std::uint32_t order = 0;
            };
            std::map<std::uint32_t, Open> open;
            for (const MarkRow& row : rows) {
                Open& mark = open[row.name];
                if (row.kind == recording::MarkKind::kBegin) {
                    mark.begin = mark.depth++ == 0 ? row.time : mark.begin;
                    continue;
                }
                if (row.kind != recording::MarkKind::kEnd || mark.depth == 0) {
                    continue;
                }
                mark.depth -= 1;
                if (mark.depth == 0) {
                    const auto [group, is_new] =
                        groups.try_emplace(row.name, static_cast<std::uint32_t>(groups_.size()));
                    if (is_new) {
                        groups_.push_back({.mark = row.name});
                    }
                    work.spans[thread].push_back({mark.begin, row.time, group->second, mark.order++});
                }
            }
        }
    }

    Meanwhile meanwhile(const OccurrencePass& occurrences) const {
        return {profile_, occurrences.at_work, occurrences.lacking, evidence_.wait_targets};
    }

    void make_nodes(OccurrencePass& occurrences, const std::vector<LevelStructure>& levels) {
        evidence_.nodes.resize(kept_.size());
        for (std::uint32_t i = 0; i < kept_.size(); ++i) {
            SpaceNode& node = evidence_.nodes[i];
            const std::uint32_t at = kept_.structure[i];
            node.kind = structure_.nodes[at].kind;
            const bool is_loop = node.kind == SpaceKind::kLoop || node.kind == SpaceKind::kLoopNest;
            node.polls = is_loop && run_.code->polls(structure_.nodes[at].code, structure_.nodes[at].loop);
            node.parent = NodeIndex(kept_.parent[i]);
            node.depth = kept_.depth[i];
            node.place = place_of(profile_, structure_, at, names_, *run_.code);
            node.path = path_of(at);
            node.identity = identities_[at];
            node.structure = levels[i].score;
            node.rounds = levels[i].rounds;
            if (occurrences.occurrences.nodes[i].gaps.count != 0) {
                evidence_.intervals.push_back(make_intervals(i, occurrences.occurrences.nodes[i]));
            }
            fill_node(node, std::move(occurrences.occurrences.nodes[i]), meanwhile(occurrences), options_);
            add_lines(node, at);
            if (levels[i].is_main) {
                node.role = Role::kMainLoop;
            } else if (node.parent != kNone && node.parent.in(levels).is_loop) {
                node.role = Role::kPhase;
            }
        }
        add_up(evidence_.nodes);
    }

    // By the clock's samples alone: those of other events come with their events.
    void weigh_nodes(const std::vector<double>& weight_of_address, const std::vector<std::uint64_t>& pair_ends) {
        for (std::uint32_t i = 0; i < kept_.size(); ++i) {
            evidence_.nodes[i].weight = 0;
        }
        for (std::size_t i = 0; i < profile_.nodes.size(); ++i) {
            if (kept_.leaf_of[i] != kNone && addresses_.of_node[i] != kNone) {
                evidence_.nodes[kept_.leaf_of[i]].weight +=
                    weight_of_address[addresses_.of_node[i]] * static_cast<double>(pair_ends[i]);
            }
        }
        for (std::size_t i = kept_.size(); i-- > 0;) {
            if (kept_.parent[i] != kNone) {
                evidence_.nodes[kept_.parent[i]].weight += evidence_.nodes[i].weight;
            }
        }
    }

    std::vector<std::string> path_of(std::uint32_t at) const {
        std::vector<std::string> path;
        for (; !structure_.nodes[at].is_group; at = structure_.nodes[at].parent) {
            const StructureNode& node = structure_.nodes[at];
            if (node.kind == SpaceKind::kFunction || node.kind == SpaceKind::kInlined) {
                path.push_back(names_.symbols().functions[node.function].name);
            }
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    void add_lines(SpaceNode& node, std::uint32_t at) const {
        for (const auto& [line, costs] : structure_.lines[at]) {
            node.lines.push_back({.file = names_.symbols().files[line.first],
                                  .line = line.second,
                                  .processor_ns = processor_time(costs),
                                  .samples = static_cast<std::uint64_t>(std::max<std::int64_t>(costs[kSamples], 0)),
                                  .deltas = {costs.begin() + kFirstEvent, costs.end()}});
        }
        std::stable_sort(node.lines.begin(), node.lines.end(),
                         [](const LineShare& a, const LineShare& b) { return a.processor_ns > b.processor_ns; });
        node.lines.resize(std::min(node.lines.size(), kMostLines));
    }

    void add_span_nodes(std::vector<NodeSums>&& groups, const OccurrencePass& occurrences,
                        const std::vector<LevelStructure>& levels) {
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (groups[i].occurrences == 0) {
                continue;
            }
            SpaceNode node;
            const auto number = static_cast<std::uint32_t>(evidence_.nodes.size());
            if (groups_[i].node != kNone) {
                SpaceNode& loop = groups_[i].node.in(evidence_.nodes);
                loop.iteration = NodeIndex(number);
                node.kind = SpaceKind::kIteration;
                node.parent = groups_[i].node;
                node.depth = loop.depth + 1;
                node.place = loop.place;
                node.path = loop.path;
                node.identity = mix_identity(loop.identity, "rounds");
                node.lines = loop.lines;
                node.rounds = groups_[i].node.in(levels).rounds;
            } else {
                node.kind = SpaceKind::kMark;
                node.mark = occurrences.mark_names[groups_[i].mark];
                node.identity = mix_identity(kNoIdentity, node.mark);
            }
            if (groups[i].gaps.count != 0 && node.kind == SpaceKind::kMark) {
                evidence_.intervals.push_back(make_intervals(number, groups[i]));
            }
            fill_node(node, std::move(groups[i]), meanwhile(occurrences), options_);
            evidence_.nodes.push_back(std::move(node));
        }
    }

    void add_lives(OccurrenceSums&& lives, std::vector<NodeSums>&& parts, const OccurrencePass& occurrences) {
        std::vector<CodePattern> patterns = make_patterns(lives);
        for (std::uint32_t i = 0; i < evidence_.same_spaces.size(); ++i) {
            SameSpaces& group = evidence_.same_spaces[i];
            group.is_part = lives.nodes[i].occurrences == 0 && parts[i].occurrences != 0;
            NodeSums& sums = group.is_part ? parts[i] : lives.nodes[i];
            group.gaps = make_intervals(i, sums);
            fill_node(group.life, std::move(sums), meanwhile(occurrences), options_);
            if (!group.life.folded && !group.is_part) {
                group.gaps.period = period_of(lives, static_cast<std::uint32_t>(lives.nodes.size()), i);
            }
        }
        for (CodePattern& pattern : patterns) {
            evidence_.same_spaces[pattern.node].patterns.push_back(std::move(pattern));
        }
    }

    const recording::Recording& recording_;
    const Profile& profile_;
    NamedRun& run_;
    Names names_;
    EvidenceOptions options_;
    Structure structure_;
    std::vector<std::uint64_t> identities_;  // by structure node
    KeptNodes kept_;
    SampledAddresses addresses_;
    std::vector<Group> groups_;
    Evidence evidence_;
};

}  // namespace

Result<Evidence> make_evidence(const recording::Recording& recording, const Profile& profile, NamedRun& run,
                               const EvidenceOptions& options) {
    return Maker(recording, profile, run, options).make();
}

}  // namespace kymo::spacetime
