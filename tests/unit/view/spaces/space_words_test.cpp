// Which rows of the tables say the same as the row above them, and which are told with a word more.
#include "view/spaces/space_words.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;

// A function of 100 ms in 10 occurrences, and a loop in it.
Evidence nested(std::uint64_t occurrences, std::int64_t user, SpaceKind kind = SpaceKind::kLoop) {
    Evidence evidence;
    evidence.nodes.resize(2);
    evidence.nodes[0].parent = kNone;
    evidence.nodes[0].occurrences = 10;
    evidence.nodes[0].total.user = 100;
    evidence.nodes[1].parent = NodeIndex(0);
    evidence.nodes[1].kind = kind;
    evidence.nodes[1].occurrences = occurrences;
    evidence.nodes[1].total.user = user;
    return evidence;
}

TEST(TellingName, IsOfTheInnermostCallerThatOthersOfTheNameDoNotHave) {
    const auto names = [](const std::vector<std::vector<std::string>>& paths, SpaceKind kind = SpaceKind::kFunction) {
        Evidence evidence;
        for (const std::vector<std::string>& path : paths) {
            SpaceNode& node = evidence.nodes.emplace_back();
            node.parent = kNone;
            node.kind = kind;
            node.path = path;
            node.place.function = path.back();
        }
        std::vector<std::string> names;
        for (const NodeIndex node : indices(evidence.nodes)) {
            names.push_back(neighbour_name(evidence, raw(node), NodeIndex(0), true));
        }
        return names;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(names({{"main", "keep", "spin"}, {"main", "drop", "spin"}, {"main", "work"}}),
              (Names{"spin (by keep)", "spin (by drop)", "work"}));
    EXPECT_EQ(names({{"main", "a", "step", "spin"}, {"main", "b", "step", "spin"}}),
              (Names{"spin (by a)", "spin (by b)"}));
    EXPECT_EQ(names({{"main", "keep", "spin"}, {"main", "keep", "deep", "spin"}, {"spin"}}),
              (Names{"spin (by keep)", "spin (by deep)", "spin"}));
    EXPECT_EQ(names({{"main", "spin"}, {"main", "spin"}}), (Names{"spin", "spin"})) << "no caller tells them apart";
    EXPECT_EQ(names({{"main", "a", "spin"}, {"main", "b", "spin"}}, SpaceKind::kLoop),
              (Names{"loop in spin (by a)", "loop in spin (by b)"}));
}

TEST(RepeatsParent, IsSaidOfTheSameOccurrencesWithNineteenTwentiethsOfTheTime) {
    EXPECT_TRUE(repeats_parent(nested(10, 100), NodeIndex(1)));
    EXPECT_TRUE(repeats_parent(nested(10, 95), NodeIndex(1)));
    EXPECT_FALSE(repeats_parent(nested(10, 94), NodeIndex(1)));
    EXPECT_FALSE(repeats_parent(nested(11, 100), NodeIndex(1)));
    EXPECT_FALSE(repeats_parent(nested(10, 100), NodeIndex(0)));  // nothing is around it
}

TEST(RepeatsParent, IsNotSaidOfRoundsMarksNorOfWhatHasAPartInTheRun) {
    EXPECT_FALSE(repeats_parent(nested(10, 100, SpaceKind::kIteration), NodeIndex(1)));
    EXPECT_FALSE(repeats_parent(nested(10, 100, SpaceKind::kMark), NodeIndex(1)));
    Evidence phase = nested(10, 100);
    phase.nodes[1].role = Role::kPhase;
    EXPECT_FALSE(repeats_parent(phase, NodeIndex(1)));
    phase.nodes[1].role = Role::kMainLoop;
    EXPECT_FALSE(repeats_parent(phase, NodeIndex(1)));
}

TEST(OfCreatedThreads, IsSaidOfMoreThanTwiceTheTimeOfItsOwnOccurrences) {
    SpaceNode node;
    node.durations.add(30);
    node.durations.add(20);
    node.total = {.user = 60, .system = 40, .run_queue = 900};
    EXPECT_FALSE(is_of_created_threads(node));
    node.total.user = 61;
    EXPECT_TRUE(is_of_created_threads(node));
}

}  // namespace
}  // namespace kymo::view
