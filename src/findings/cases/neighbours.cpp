// A node's occurrences after one neighbour, before one, or between two, against its other occurrences.
//
// Between two only if each neighbour also occurs without the other, often enough to be compared.
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

// Neighbours that mostly wait, by number. A wait leaves no after-effect that could be the cause; as a neighbour it
// only shows how the threads met.
using Waiters = std::vector<bool>;

Waiters waiters_of(const Evidence& evidence) {
    Waiters waiters;
    for (const spacetime::SpaceNode& node : evidence.nodes) {
        waiters.push_back(2 * node.total.waiting > node.total.wall());
    }
    return waiters;
}

bool mostly_waits(const Waiters& waiters, std::uint32_t neighbour) {
    return neighbour < waiters.size() && waiters[neighbour];
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

// Pairs of occurrences, one in this neighbourhood and one beside other work, within one thread: if threads differ
// in their neighbours, the thread may be what distinguishes the sides.
std::size_t pairs_in_threads(const Waiters& waiters, const OccurrenceTable& rows,
                             const Neighbourhood& neighbourhood) {
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> counts;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        auto& [inside, otherwise] = counts[rows.thread[row]];
        if (lies_in(neighbourhood, rows, row)) {
            ++inside;
        } else if ((neighbourhood.before == kAnyNeighbour || !mostly_waits(waiters, rows.before[row])) &&
                   (neighbourhood.after == kAnyNeighbour || !mostly_waits(waiters, rows.after[row]))) {
            ++otherwise;
        }
    }
    std::size_t pairs = 0;
    for (const auto& [thread, count] : counts) {
        pairs += std::min(count.first, count.second);
    }
    return pairs;
}

// What the neighbours of occurrences are looked for by.
struct Neighbours {
    const OccurrenceTable& rows;
    std::uint32_t self = kNone;  // number of what occurs
    std::size_t least = 0;       // occurrences on either side
    Waiters waiters;
};

// On one side: `column` is OccurrenceTable::before or after, `member` that of Neighbourhood.
std::vector<Neighbourhood> on_one_side(const Neighbours& of, const std::vector<std::uint32_t>& column,
                                       std::uint32_t Neighbourhood::* member) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t neighbour : column) {
        ++counts[neighbour];
    }
    counts.erase(spacetime::kStreamEdge);
    counts.erase(of.self);  // what lay between its occurrences was too short to be seen
    std::vector<Neighbourhood> kept;
    for (const auto& [neighbour, count] : counts) {
        Neighbourhood neighbourhood;
        neighbourhood.*member = neighbour;
        if (count >= of.least && !mostly_waits(of.waiters, neighbour) &&
            pairs_in_threads(of.waiters, of.rows, neighbourhood) >= of.least) {
            kept.push_back(neighbourhood);
        }
    }
    if (kept.size() > kMostNeighbours) {
        kept.clear();
    }
    return kept;
}

// Often enough, and either neighbour often enough without the other.
bool is_pair_of_its_own(const Neighbours& of, const Neighbourhood& both) {
    const std::size_t count = count_of(both, of.rows);
    return count >= of.least && count_of({both.before, kAnyNeighbour}, of.rows) >= count + of.least &&
           count_of({kAnyNeighbour, both.after}, of.rows) >= count + of.least &&
           pairs_in_threads(of.waiters, of.rows, both) >= of.least;
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

std::vector<Neighbourhood> all_compared(const Neighbours& of) {
    const auto before = on_one_side(of, of.rows.before, &Neighbourhood::before);
    const auto after = on_one_side(of, of.rows.after, &Neighbourhood::after);
    std::vector<Neighbourhood> candidates = before;
    candidates.insert(candidates.end(), after.begin(), after.end());
    for (const Neighbourhood& left : before) {
        for (const Neighbourhood& right : after) {
            const Neighbourhood both{left.before, right.after};
            if (is_pair_of_its_own(of, both)) {
                candidates.push_back(both);
            }
        }
    }
    // If one neighbour implies the other, the two are one: the earlier one is reported.
    std::vector<Neighbourhood> kept;
    std::vector<std::vector<char>> labels;
    for (const Neighbourhood& candidate : candidates) {
        std::vector<char> label = labels_of(candidate, of.rows);
        const bool is_told = std::any_of(labels.begin(), labels.end(),
                                         [&](const std::vector<char>& other) { return are_same(label, other); });
        if (!is_told) {
            kept.push_back(candidate);
            labels.push_back(std::move(label));
        }
    }
    return kept;
}

}  // namespace

std::vector<Neighbourhood> compared_neighbourhoods(const Evidence& evidence, NodeIndex node) {
    const spacetime::SpaceNode& space = node.in(evidence.nodes);
    return all_compared({.rows = space.rows,
                         .self = raw(node),
                         .least = space.folded ? kLeastFolded : kLeastEach,
                         .waiters = waiters_of(evidence)});
}

std::vector<Neighbourhood> compared_neighbourhoods(const spacetime::SpaceNode& life, std::uint32_t group) {
    return all_compared({.rows = life.rows, .self = group, .least = kLeastEach, .waiters = {}});
}

void compare_neighbourhood(const Neighbourhood& neighbourhood, const ComparedOccurrences& compared,
                           const CaseOptions& options, Random random, Case* subject) {
    subject->before = neighbourhood.before;
    subject->after = neighbourhood.after;
    std::vector<char> label = labels_of(neighbourhood, subject->rows());
    if (options.shuffle != nullptr) {
        label = swapped_labels(compared.stream, label, options.shuffle);
    }
    fill_sides(label, subject);
    test_features(compared, label,
                  {.null = Null::kPairs, .with_duration = true, .permutations = options.permutations}, random,
                  subject);
}

void add_neighbour_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (const OccurrenceGround& ground : grounds.occurrences) {
        for (const Neighbourhood& neighbourhood : ground.neighbourhoods) {
            Case subject;
            subject.evidence = &grounds.evidence;
            subject.contrast = Contrast::kNeighbours;
            subject.node = ground.node;
            compare_neighbourhood(neighbourhood, ground.compared, options, Random(0xe161b0 + raw(ground.node)),
                                  &subject);
            cases->push_back(std::move(subject));
        }
    }
}

}  // namespace kymo::findings
