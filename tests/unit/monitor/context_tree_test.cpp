#include "monitor/context_tree.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace kymo::monitor {
namespace {

struct Row {
    std::uint32_t id;
    std::uint32_t parent;
    std::uint64_t offset;
};

unwind::Frame frame(std::uint32_t image, std::uint64_t offset) {
    unwind::Frame result{};
    result.image = ImageId{image};
    result.offset = offset;
    result.address = offset;
    return result;
}

class Tree : public testing::Test {
  protected:
    ~Tree() override { tree.free(); }

    // Leaf first, as the unwinder gives them.
    std::uint32_t enter(const std::vector<unwind::Frame>& leaf_first) {
        const ContextId leaf = tree.enter(
            leaf_first,
            [&](ContextId id, ContextId parent, const unwind::Frame& at) {
                if (rows.size() == room) {
                    return false;
                }
                rows.push_back({raw(id), raw(parent), at.offset});
                return true;
            },
            &cut);
        return raw(leaf);
    }

    ContextTree tree;
    std::vector<Row> rows;
    std::size_t room = SIZE_MAX;
    bool cut = false;
};

TEST_F(Tree, NumbersNodesFromTheRoot) {
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 3U);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].parent, 0U);
    EXPECT_EQ(rows[0].offset, 0x10U);
    EXPECT_EQ(rows[2].parent, 2U);
    EXPECT_EQ(rows[2].offset, 0x30U);
    EXPECT_FALSE(cut);
}

TEST_F(Tree, SharedOuterFramesAreOneBranch) {
    enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)});
    EXPECT_EQ(enter({frame(1, 0x31), frame(1, 0x20), frame(1, 0x10)}), 4U);
    EXPECT_EQ(rows.back().parent, 2U);
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 3U) << "a path seen before";
    EXPECT_EQ(enter({frame(1, 0x20), frame(1, 0x10)}), 2U) << "a shorter path";
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 3U) << "longer again";
    EXPECT_EQ(rows.size(), 4U);
}

TEST_F(Tree, TheSameOffsetInAnotherImageIsAnotherPlace) {
    EXPECT_NE(enter({frame(1, 0x10)}), enter({frame(2, 0x10)}));
}

TEST_F(Tree, RecursionGivesANodeALevel) {
    const std::vector<unwind::Frame> deep(1000, frame(1, 0x10));
    EXPECT_EQ(enter(deep), 1000U);
    EXPECT_EQ(tree.nodes(), 1000U);
}

TEST_F(Tree, AnEmptyPathIsTheRoot) {
    EXPECT_EQ(enter({}), 0U);
    EXPECT_FALSE(cut);
}

TEST_F(Tree, ARowThatCannotBeWrittenCutsThePath) {
    room = 2;
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 2U);
    EXPECT_TRUE(cut);
    room = SIZE_MAX;
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 3U) << "with room again, it goes on";
    EXPECT_FALSE(cut);
}

TEST_F(Tree, ClearForgetsForTheNextThread) {
    enter({frame(1, 0x20), frame(1, 0x10)});
    tree.clear();
    rows.clear();
    EXPECT_EQ(enter({frame(1, 0x20), frame(1, 0x10)}), 2U);
    EXPECT_EQ(rows.size(), 2U);
}

// Against the obvious implementation: a map from (parent, image, offset) to the node.
TEST_F(Tree, AgreesWithAMapOnRandomPaths) {
    std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same paths every time
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> known;
    for (int round = 0; round < 20'000; ++round) {
        std::vector<unwind::Frame> path(random() % 40);
        for (auto& at : path) {
            at = frame(static_cast<std::uint32_t>(random() % 3), random() % 6);
        }
        std::uint32_t expected = 0;
        for (std::size_t i = path.size(); i-- > 0;) {
            const auto key = std::tuple{expected, raw(path[i].image), path[i].offset};
            expected = known.try_emplace(key, static_cast<std::uint32_t>(known.size() + 1)).first->second;
        }
        ASSERT_EQ(enter(path), expected);
    }
    EXPECT_EQ(rows.size(), known.size());
}

}  // namespace
}  // namespace kymo::monitor
