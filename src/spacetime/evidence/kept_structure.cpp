#include "spacetime/evidence/kept_structure.h"

#include "spacetime/evidence/identity.h"
#include "spacetime/evidence/places.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace kymo::spacetime {
namespace {

constexpr std::size_t kMostLines = 32;

// By structure node: the earlier recording kept it.
std::vector<bool> nodes_of_earlier(const Structure& structure, const std::vector<std::uint64_t>& identities,
                                   const Evidence* earlier) {
    std::vector<bool> asked;
    if (earlier == nullptr) {
        return asked;
    }
    std::unordered_set<std::uint64_t> wanted;
    for (const SpaceNode& node : earlier->nodes) {
        wanted.insert(node.identity);
    }
    for (std::size_t i = 0; i < identities.size(); ++i) {
        asked.push_back(!structure.nodes[i].is_group && wanted.contains(identities[i]));
    }
    return asked;
}

std::vector<std::string> path_to(const Structure& structure, std::uint32_t at, const Names& names) {
    std::vector<std::string> path;
    for (; !structure.nodes[at].is_group; at = structure.nodes[at].parent) {
        const StructureNode& node = structure.nodes[at];
        if (node.kind == SpaceKind::kFunction || node.kind == SpaceKind::kInlined) {
            path.push_back(names.symbols().functions[node.function].name);
        }
    }
    std::reverse(path.begin(), path.end());
    return path;
}

// Most processor time first.
std::vector<LineShare> lines_of(const Structure& structure, std::uint32_t at, const Names& names) {
    std::vector<LineShare> lines;
    for (const auto& [line, costs] : structure.lines[at]) {
        lines.push_back({.file = names.symbols().files[line.first],
                         .line = line.second,
                         .processor_ns = processor_time(costs),
                         .samples = static_cast<std::uint64_t>(std::max<std::int64_t>(costs[kSamples], 0)),
                         .deltas = {costs.begin() + kFirstEvent, costs.end()}});
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const LineShare& a, const LineShare& b) { return a.processor_ns > b.processor_ns; });
    lines.resize(std::min(lines.size(), kMostLines));
    return lines;
}

}  // namespace

KeptStructure keep_structure(const Profile& profile, const NamedRun& run, const EvidenceOptions& options) {
    KeptStructure made;
    made.structure = make_structure(profile, run.names(), *run.code);
    made.identities = identities(profile, made.structure, run.names(), *run.code);
    made.kept = keep_nodes(made.structure, options.space_share,
                           nodes_of_earlier(made.structure, made.identities, options.looked_at));
    return made;
}

std::vector<SpaceNode> describe_kept(const Profile& profile, const NamedRun& run, const KeptStructure& made) {
    const Names names = run.names();
    std::vector<SpaceNode> nodes(made.kept.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        SpaceNode& node = nodes[i];
        const std::uint32_t at = made.kept.structure[i];
        const StructureNode& from = made.structure.nodes[at];
        node.kind = from.kind;
        const bool is_loop = node.kind == SpaceKind::kLoop || node.kind == SpaceKind::kLoopNest;
        node.polls = is_loop && run.code->polls(from.code, from.loop);
        node.parent = NodeIndex(made.kept.parent[i]);
        node.depth = made.kept.depth[i];
        node.place = place_of(profile, made.structure, at, names, *run.code);
        node.path = path_to(made.structure, at, names);
        node.identity = made.identities[at];
        node.lines = lines_of(made.structure, at, names);
    }
    return nodes;
}

}  // namespace kymo::spacetime
