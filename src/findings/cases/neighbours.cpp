// A node's occurrences after one neighbour against its occurrences after others.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kymo::findings {
namespace {

constexpr std::size_t kLeastEach = 5;       // occurrences on either side
constexpr std::size_t kLeastFolded = 30;    // where single occurrences are too short to be known well
constexpr std::size_t kMostNeighbours = 4;  // the most frequent ones

// What waits leaves nothing behind that could be to blame; that it came before says how the threads met.
bool mostly_waits(const spacetime::Evidence& evidence, std::uint32_t node) {
    return node < evidence.nodes.size() && 2 * evidence.nodes[node].total.waiting > evidence.nodes[node].total.wall();
}

// Pairs of occurrences, one after this neighbour and one after other work, that one and the same thread can give:
// where threads differ in their neighbours, what tells the sides apart may be the thread.
std::size_t pairs_in_threads(const spacetime::Evidence& evidence, const spacetime::OccurrenceTable& rows,
                             std::uint32_t neighbour) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> counts;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        auto& [after, otherwise] = counts[rows.thread[row]];
        if (rows.before[row] == neighbour) {
            ++after;
        } else if (!mostly_waits(evidence, rows.before[row])) {
            ++otherwise;
        }
    }
    std::size_t pairs = 0;
    for (const auto& [thread, count] : counts) {
        pairs += std::min(count.first, count.second);
    }
    return pairs;
}

}  // namespace

std::map<std::uint32_t, std::size_t> compared_neighbours(const spacetime::Evidence& evidence, std::uint32_t node) {
    const spacetime::SpaceNode& space = evidence.nodes[node];
    std::map<std::uint32_t, std::size_t> neighbours;
    for (const std::uint32_t before : space.rows.before) {
        ++neighbours[before];
    }
    neighbours.erase(spacetime::kStreamEdge);
    neighbours.erase(node);  // what lay between its occurrences was too short to be seen
    const std::size_t least = space.folded ? kLeastFolded : kLeastEach;
    std::erase_if(neighbours, [&](const auto& entry) {
        return entry.second < least || mostly_waits(evidence, entry.first) ||
               pairs_in_threads(evidence, space.rows, entry.first) < least;
    });
    if (neighbours.size() > kMostNeighbours) {
        neighbours.clear();
    }
    return neighbours;
}

void add_neighbour_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const OccurrenceGround& ground : grounds.occurrences) {
        const std::vector<std::uint32_t>& befores = grounds.evidence.nodes[ground.node].rows.before;
        for (const auto& [neighbour, count] : ground.before) {
            std::vector<char> label;
            label.reserve(befores.size());
            for (const std::uint32_t before : befores) {
                label.push_back(before == neighbour ? 1 : 0);
            }
            if (options.shuffle != nullptr) {
                label = swapped_labels(ground.compared.stream, label, options.shuffle);
            }
            Case subject;
            subject.evidence = &grounds.evidence;
            subject.contrast = Contrast::kNeighbours;
            subject.node = ground.node;
            subject.neighbour = neighbour;
            fill_sides(label, &subject);
            test_features(ground.compared, label,
                          {.null = Null::kPairs, .with_duration = true, .permutations = options.permutations},
                          Random(0xe161b0 + ground.node), &subject);
            cases->push_back(std::move(subject));
        }
    }
}

}  // namespace kymo::findings
