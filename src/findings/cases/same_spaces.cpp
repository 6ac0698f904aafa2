// Occurrences of groups of same code spaces, compared like those of nodes: the slow ones against the fast ones,
// the long gaps against the others, and by what is before and after them.
//
// Only groups whose occurrences are seen one by one, and which are not nearly all of the enclosing node, whose own
// cases then cover it, with a call path.
#include "findings/cases/make.h"
#include "findings/cases/sides.h"

namespace kymo::findings {
namespace {

constexpr double kNearlyAll = 0.9;  // of the node's time on processors

bool is_compared(const spacetime::Evidence& evidence, const spacetime::SameSpaces& group) {
    const spacetime::SpaceNode& life = group.life;
    if (group.is_part || life.folded || life.rows.size() < 4) {
        return false;
    }
    const auto own = static_cast<double>(processor(life.total));
    return group.node == kNone ||
           own < kNearlyAll * static_cast<double>(processor(group.node.in(evidence.nodes).total));
}

Case case_of(const spacetime::Evidence& evidence, Contrast contrast, std::uint32_t group) {
    Case subject;
    subject.evidence = &evidence;
    subject.contrast = contrast;
    subject.same = group;
    subject.node = evidence.same_spaces[group].node;
    return subject;
}

}  // namespace

SameGround same_ground(const spacetime::Evidence& evidence, std::uint32_t group) {
    const spacetime::SameSpaces& spaces = evidence.same_spaces[group];
    SameGround ground;
    if (!is_compared(evidence, spaces)) {
        return ground;
    }
    ground.split = occurrence_split(evidence, spaces.life);
    ground.neighbourhoods = compared_neighbourhoods(spaces.life, group);
    if (ground.split.slow != 0 || !ground.neighbourhoods.empty()) {
        ground.compared = compare_by_features(evidence, occurrences_of(spaces.life.rows));
    }
    ground.gaps = gap_ground(evidence, spaces.life, spaces.node);
    return ground;
}

void add_same_cases(const Grounds& grounds, const CaseOptions& options, std::vector<Case>* cases) {
    for (std::uint32_t group = 0; group < grounds.same.size(); ++group) {
        const SameGround& ground = grounds.same[group];
        const Random random(0x5a3e + group);
        if (ground.split.slow != 0) {
            Case subject = case_of(grounds.evidence, Contrast::kCodeOccurrences, group);
            compare_slow(ground.split, ground.compared, options, random, &subject);
            cases->push_back(std::move(subject));
        }
        for (const Neighbourhood& neighbourhood : ground.neighbourhoods) {
            Case subject = case_of(grounds.evidence, Contrast::kCodeNeighbours, group);
            compare_neighbourhood(neighbourhood, ground.compared, options, random, &subject);
            cases->push_back(std::move(subject));
        }
        if (ground.gaps.split.slow != 0) {
            Case subject = case_of(grounds.evidence, Contrast::kCodeGaps, group);
            compare_gaps(ground.gaps, options, random, &subject);
            cases->push_back(std::move(subject));
        }
    }
}

}  // namespace kymo::findings
