// A node's occurrences after one neighbour, before one, or between two, against its other occurrences.
//
// Between two only where either neighbour comes without the other as well, often enough to be compared.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kymo::findings {
namespace {

using spacetime::Evidence;
using spacetime::kAnyNeighbour;
using spacetime::OccurrenceTable;

constexpr std::size_t kLeastEach = 5;       // occurrences on either side
constexpr std::size_t kLeastFolded = 30;    // where single occurrences are too short to be known well
constexpr std::size_t kMostNeighbours = 4;  // on a side; of more none is compared

// What waits leaves nothing behind that could be to blame; that it is a neighbour says how the threads met.
bool mostly_waits(const Evidence& evidence, std::uint32_t neighbour) {
    return neighbour < evidence.nodes.size() &&
           2 * evidence.nodes[neighbour].total.waiting > evidence.nodes[neighbour].total.wall();
}

bool lies_in(const Neighbourhood& neighbourhood, const OccurrenceTable& rows, std::size_t row) {
    return (neighbourhood.before == kAnyNeighbour || neighbourhood.before == rows.before[row]) &&
           (neighbourhood.after == kAnyNeighbour || neighbourhood.after == rows.after[row]);
}

std::vector<char> labels_of(const Neighbourhood& neighbourhood, const OccurrenceTable& rows) {
    std::vector<char> label(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        label[row] = lies_in(neighbourhood, rows, row) ? 1 : 0;
    }
    return label;
}

std::size_t count_of(const Neighbourhood& neighbourhood, const OccurrenceTable& rows) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        count += lies_in(neighbourhood, rows, row) ? 1 : 0;
    }
    return count;
}

// Pairs of occurrences, one in this neighbourhood and one beside other work, that one and the same thread can give:
// where threads differ in their neighbours, what tells the sides apart may be the thread.
std::size_t pairs_in_threads(const Evidence& evidence, const OccurrenceTable& rows,
                             const Neighbourhood& neighbourhood) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> counts;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        auto& [inside, otherwise] = counts[rows.thread[row]];
        if (lies_in(neighbourhood, rows, row)) {
            ++inside;
        } else if ((neighbourhood.before == kAnyNeighbour || !mostly_waits(evidence, rows.before[row])) &&
                   (neighbourhood.after == kAnyNeighbour || !mostly_waits(evidence, rows.after[row]))) {
            ++otherwise;
        }
    }
    std::size_t pairs = 0;
    for (const auto& [thread, count] : counts) {
        pairs += std::min(count.first, count.second);
    }
    return pairs;
}

// On one side: `column` is OccurrenceTable::before or after, `member` that of Neighbourhood.
std::vector<Neighbourhood> on_one_side(const Evidence& evidence, NodeIndex node, std::size_t least,
                                       const std::vector<std::uint32_t>& column,
                                       std::uint32_t Neighbourhood::* member) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t neighbour : column) {
        ++counts[neighbour];
    }
    counts.erase(spacetime::kStreamEdge);
    counts.erase(raw(node));  // what lay between its occurrences was too short to be seen
    std::vector<Neighbourhood> kept;
    for (const auto& [neighbour, count] : counts) {
        Neighbourhood neighbourhood;
        neighbourhood.*member = neighbour;
        if (count >= least && !mostly_waits(evidence, neighbour) &&
            pairs_in_threads(evidence, node.in(evidence.nodes).rows, neighbourhood) >= least) {
            kept.push_back(neighbourhood);
        }
    }
    if (kept.size() > kMostNeighbours) {
        kept.clear();
    }
    return kept;
}

// Often enough, and either neighbour often enough without the other.
bool is_pair_of_its_own(const Evidence& evidence, const OccurrenceTable& rows, std::size_t least,
                        const Neighbourhood& both) {
    const std::size_t count = count_of(both, rows);
    return count >= least && count_of({both.before, kAnyNeighbour}, rows) >= count + least &&
           count_of({kAnyNeighbour, both.after}, rows) >= count + least &&
           pairs_in_threads(evidence, rows, both) >= least;
}

// Nine tenths of the occurrences that lie in one of them lie in both.
bool are_same(const std::vector<char>& one, const std::vector<char>& other) {
    std::size_t both = 0;
    std::size_t either = 0;
    for (std::size_t row = 0; row < one.size(); ++row) {
        both += one[row] != 0 && other[row] != 0 ? 1 : 0;
        either += one[row] != 0 || other[row] != 0 ? 1 : 0;
    }
    return both * 10 >= either * 9;
}

}  // namespace

std::vector<Neighbourhood> compared_neighbourhoods(const Evidence& evidence, NodeIndex node) {
    const spacetime::SpaceNode& space = node.in(evidence.nodes);
    const std::size_t least = space.folded ? kLeastFolded : kLeastEach;
    const auto before = on_one_side(evidence, node, least, space.rows.before, &Neighbourhood::before);
    const auto after = on_one_side(evidence, node, least, space.rows.after, &Neighbourhood::after);
    std::vector<Neighbourhood> candidates = before;
    candidates.insert(candidates.end(), after.begin(), after.end());
    for (const Neighbourhood& left : before) {
        for (const Neighbourhood& right : after) {
            const Neighbourhood both{left.before, right.after};
            if (is_pair_of_its_own(evidence, space.rows, least, both)) {
                candidates.push_back(both);
            }
        }
    }
    // Where one neighbour brings the other with it, the two are one: told of what comes before.
    std::vector<Neighbourhood> kept;
    std::vector<std::vector<char>> labels;
    for (const Neighbourhood& candidate : candidates) {
        std::vector<char> label = labels_of(candidate, space.rows);
        const bool is_told = std::any_of(labels.begin(), labels.end(),
                                         [&](const std::vector<char>& other) { return are_same(label, other); });
        if (!is_told) {
            kept.push_back(candidate);
            labels.push_back(std::move(label));
        }
    }
    return kept;
}

void add_neighbour_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const OccurrenceGround& ground : grounds.occurrences) {
        for (const Neighbourhood& neighbourhood : ground.neighbourhoods) {
            std::vector<char> label = labels_of(neighbourhood, ground.node.in(grounds.evidence.nodes).rows);
            if (options.shuffle != nullptr) {
                label = swapped_labels(ground.compared.stream, label, options.shuffle);
            }
            Case subject;
            subject.evidence = &grounds.evidence;
            subject.contrast = Contrast::kNeighbours;
            subject.node = ground.node;
            subject.before = neighbourhood.before;
            subject.after = neighbourhood.after;
            fill_sides(label, &subject);
            test_features(ground.compared, label,
                          {.null = Null::kPairs, .with_duration = true, .permutations = options.permutations},
                          Random(0xe161b0 + raw(ground.node)), &subject);
            cases->push_back(std::move(subject));
        }
    }
}

}  // namespace kymo::findings
