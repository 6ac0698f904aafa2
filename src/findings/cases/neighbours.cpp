// A node's visits after one neighbour against its visits after others.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"

#include <map>

namespace kymo::findings {
namespace {

constexpr std::size_t kLeastEach = 5;       // visits on either side
constexpr std::size_t kLeastFolded = 30;    // where single visits are too short to be known well
constexpr std::size_t kMostNeighbours = 4;  // the most frequent ones

}  // namespace

void add_neighbour_cases(const spacetime::Evidence& evidence, const CaseOptions& options, std::vector<Case>* cases) {
    for (std::uint32_t node = 0; node < evidence.nodes.size(); ++node) {
        const spacetime::SpaceNode& space = evidence.nodes[node];
        std::map<std::uint32_t, std::size_t> neighbours;
        for (const std::uint32_t before : space.rows.before) {
            ++neighbours[before];
        }
        neighbours.erase(spacetime::kStreamEdge);
        const std::size_t least = space.folded ? kLeastFolded : kLeastEach;
        std::erase_if(neighbours, [&](const auto& entry) {
            return entry.second < least || space.rows.size() - entry.second < least;
        });
        if (neighbours.empty() || neighbours.size() > kMostNeighbours) {
            continue;
        }
        const std::vector<VisitRef> visits = visits_of(space.rows);
        const std::vector<FeatureColumn> columns = feature_columns(evidence, visits, true);
        for (const auto& [neighbour, count] : neighbours) {
            std::vector<char> label;
            label.reserve(space.rows.size());
            for (const std::uint32_t before : space.rows.before) {
                label.push_back(before == neighbour ? 1 : 0);
            }
            if (options.shuffle != nullptr) {
                label = swapped_labels(visits, label, options.shuffle);
            }
            Case subject;
            subject.evidence = &evidence;
            subject.contrast = Contrast::kNeighbours;
            subject.node = node;
            subject.neighbour = neighbour;
            fill_sides(label, &subject);
            test_features(visits, label, columns, Null::kPairs, Random(0xe161b0 + node), options.permutations,
                          &subject);
            cases->push_back(std::move(subject));
        }
    }
}

}  // namespace kymo::findings
