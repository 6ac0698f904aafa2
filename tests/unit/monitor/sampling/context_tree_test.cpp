#include "monitor/sampling/context_tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace kymo::monitor {
namespace {

struct Row {
    std::uint32_t id;
    std::uint32_t parent;
    std::uint64_t key;
    bool dropped;
};

unwind::Frame frame(std::uint32_t image, std::uint64_t offset) {
    unwind::Frame result{};
    result.image = ImageId{image};
    result.offset = offset;
    result.address = offset;
    return result;
}

// A function has 16 bytes of code.
std::uint64_t function_of(const unwind::Frame& at) {
    return ContextTree::key_of(at) / 16;
}

class Tree : public testing::Test {
  protected:
    explicit Tree(std::size_t most_slots = ContextTree::kMostSlots) : tree(most_slots) {}
    ~Tree() override { tree.free(); }

    // Leaf first, as the unwinder gives them.
    std::uint32_t enter(const std::vector<unwind::Frame>& leaf_first) {
        entered = tree.enter(leaf_first, function_of,
                             [&](ContextId id, ContextId parent, const unwind::Frame& at, bool dropped) {
                                 if (rows.size() == room) {
                                     return false;
                                 }
                                 rows.push_back({raw(id), raw(parent), ContextTree::key_of(at), dropped});
                                 return true;
                             });
        return raw(entered.leaf);
    }

    std::uint32_t enter_offsets(const std::vector<std::uint64_t>& root_first) {
        std::vector<unwind::Frame> path;
        for (auto offset = root_first.rbegin(); offset != root_first.rend(); ++offset) {
            path.push_back(frame(1, *offset));
        }
        return enter(path);
    }

    // The keys of a node's path, root first.
    std::vector<std::uint64_t> path_of(std::uint32_t node) const {
        std::vector<std::uint64_t> keys;
        for (; node != 0; node = rows[node - 1].parent) {
            keys.push_back(rows[node - 1].key);
        }
        std::reverse(keys.begin(), keys.end());
        return keys;
    }
    // Their offsets, all being of image 1.
    std::vector<std::uint64_t> offsets_of(std::uint32_t node) const {
        auto keys = path_of(node);
        for (auto& key : keys) {
            key &= (std::uint64_t{1} << 48U) - 1;
        }
        return keys;
    }

    ContextTree tree;
    ContextTree::Entered entered;
    std::vector<Row> rows;
    std::size_t room = SIZE_MAX;
};

using Offsets = std::vector<std::uint64_t>;

TEST_F(Tree, NumbersNodesFromTheRoot) {
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 3U);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].parent, 0U);
    EXPECT_EQ(offsets_of(1), Offsets{0x10});
    EXPECT_EQ(rows[2].parent, 2U);
    EXPECT_EQ(offsets_of(3), (Offsets{0x10, 0x20, 0x30}));
    EXPECT_FALSE(entered.dropped);
    EXPECT_FALSE(entered.folded);
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

TEST_F(Tree, AFunctionThatCallsItselfIsOneNode) {
    const std::vector<unwind::Frame> deep(1000, frame(1, 0x10));
    EXPECT_EQ(enter(deep), 1U);
    EXPECT_TRUE(entered.folded);
    EXPECT_EQ(tree.nodes(), 1U);
    EXPECT_EQ(enter({frame(1, 0x10)}), 1U);
    EXPECT_FALSE(entered.folded) << "it is told of each path by itself";
    EXPECT_EQ(enter(deep), 1U);
    EXPECT_TRUE(entered.folded) << "and also of a path that is the last one's";
}

TEST_F(Tree, TheInnermostRoundOfRecursionSaysWhereTheFunctionIs) {
    EXPECT_EQ(offsets_of(enter_offsets({0x10, 0x21, 0x22, 0x23, 0x30})), (Offsets{0x10, 0x23, 0x30}));
    EXPECT_TRUE(entered.folded);
    EXPECT_EQ(offsets_of(enter_offsets({0x10, 0x22, 0x21, 0x23, 0x30})), (Offsets{0x10, 0x23, 0x30}));
}

TEST_F(Tree, RoundsOfSeveralFunctionsAreFoldedToo) {
    // a calls b, b calls a again, …: each keeps its place, and c hangs below who called it.
    EXPECT_EQ(offsets_of(enter_offsets({0x10, 0x20, 0x10, 0x20, 0x10, 0x20, 0x30})), (Offsets{0x10, 0x20, 0x30}));
    EXPECT_EQ(offsets_of(enter_offsets({0x10, 0x20, 0x10, 0x20, 0x10, 0x30})), (Offsets{0x10, 0x20, 0x10, 0x30}))
        << "b is not lost: its time with what it calls includes this";
    EXPECT_TRUE(entered.folded);
    EXPECT_EQ(offsets_of(enter_offsets({0x10, 0x20, 0x10, 0x30})), (Offsets{0x10, 0x20, 0x10, 0x30}));
    EXPECT_FALSE(entered.folded);
}

TEST_F(Tree, ARowThatCannotBeWrittenNeverMovesAPathOutward) {
    enter({frame(1, 0x20), frame(1, 0x10)});
    room = 2;
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 0U);
    EXPECT_TRUE(entered.dropped);
    EXPECT_EQ(enter({frame(1, 0x20), frame(1, 0x10)}), 2U) << "one that is known stays";
    room = SIZE_MAX;
    EXPECT_EQ(enter({frame(1, 0x30), frame(1, 0x20), frame(1, 0x10)}), 3U) << "with room again, it goes on";
    EXPECT_FALSE(entered.dropped);
}

TEST_F(Tree, ClearForgetsForTheNextThread) {
    enter({frame(1, 0x20), frame(1, 0x10)});
    tree.clear();
    rows.clear();
    EXPECT_EQ(enter({frame(1, 0x20), frame(1, 0x10)}), 2U);
    EXPECT_EQ(rows.size(), 2U);
}

std::vector<unwind::Frame> random_path(std::mt19937& random, std::size_t longest, unsigned functions) {
    std::vector<unwind::Frame> path(random() % longest);
    for (auto& at : path) {
        at = frame(static_cast<std::uint32_t>(1 + random() % 2), random() % functions * 16 + random() % 3);
    }
    return path;
}

// What folding is, said as plainly as can be: a list, root first.
std::vector<std::uint64_t> folded(const std::vector<unwind::Frame>& leaf_first) {
    std::vector<std::uint64_t> path;
    const auto function = [](std::uint64_t key) { return key / 16; };
    for (auto at = leaf_first.rbegin(); at != leaf_first.rend(); ++at) {
        const std::uint64_t key = ContextTree::key_of(*at);
        std::size_t newest = 0;  // the innermost place whose function is not further out
        for (std::size_t i = 0; i < path.size(); ++i) {
            const auto same = [&](std::uint64_t other) { return function(other) == function(path[i]); };
            newest = std::none_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i), same) ? i : newest;
        }
        for (std::size_t i = newest; i < path.size(); ++i) {
            if (function(path[i]) == function(key)) {
                path.resize(i);
                break;
            }
        }
        path.push_back(key);
    }
    return path;
}

TEST_F(Tree, AgreesWithAListOnRandomPaths) {
    std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): the same paths every time
    std::map<std::vector<std::uint64_t>, std::uint32_t> known;
    for (int round = 0; round < 1'000; ++round) {
        const auto path = random_path(random, 40, round % 2 == 0 ? 3 : 12);
        const auto expected = folded(path);
        const std::uint32_t node = enter(path);
        ASSERT_FALSE(entered.dropped);
        ASSERT_EQ(path_of(node), expected);
        ASSERT_EQ(entered.folded, expected.size() != path.size());
        const auto [entry, is_new] = known.try_emplace(expected, node);
        ASSERT_EQ(entry->second, node) << "every path once";
    }
}

// What the reader's tables rest on.
TEST_F(Tree, FoldingKeepsEveryFunctionAndEveryCall) {
    std::mt19937 random(8);  // NOLINT(bugprone-random-generator-seed): the same paths every time
    for (int round = 0; round < 200; ++round) {
        const auto path = random_path(random, 200, 9);
        const auto kept = path_of(enter(path));
        std::set<std::uint64_t> functions;
        std::set<std::pair<std::uint64_t, std::uint64_t>> calls;
        for (std::size_t i = 0; i < path.size(); ++i) {
            functions.insert(function_of(path[i]));
            if (i != 0) {
                calls.emplace(ContextTree::key_of(path[i]), function_of(path[i - 1]));
            }
        }
        std::set<std::uint64_t> kept_functions;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            kept_functions.insert(kept[i] / 16);
            if (i != 0) {
                ASSERT_TRUE(calls.contains({kept[i - 1], kept[i] / 16}));
            }
        }
        ASSERT_EQ(kept_functions, functions);
        ASSERT_EQ(kept.empty(), path.empty());
        if (!path.empty()) {
            ASSERT_EQ(kept.back(), ContextTree::key_of(path.front()));
        }
    }
}

// 4,096 frames of 40 functions that call each other at random.
TEST_F(Tree, PathsAreAsLongAsTheyHaveFunctionsNotAsTheStackIsDeep) {
    constexpr std::size_t kFunctions = 40;
    std::mt19937 random(9);  // NOLINT(bugprone-random-generator-seed): the same paths every time
    for (int round = 0; round < 10; ++round) {
        std::vector<unwind::Frame> path;
        for (std::size_t i = 0; i < ContextTree::kMaxDepth; ++i) {
            path.push_back(frame(1, random() % kFunctions * 16 + random() % 3));
        }
        EXPECT_LE(path_of(enter(path)).size(), kFunctions * (kFunctions + 1) / 2);
        EXPECT_FALSE(entered.dropped);
    }
}

class SmallTree : public Tree {
  protected:
    SmallTree() : Tree(1024) {}

    // Paths of functions that are all different.
    static std::vector<unwind::Frame> different(std::uint32_t number, std::size_t depth) {
        std::vector<unwind::Frame> path;
        for (std::size_t i = 0; i < depth; ++i) {
            path.push_back(frame(1, (i == 0 ? number % 50 : number * 100 + i) * 16));
        }
        return path;
    }
};

TEST_F(SmallTree, WhenFullItKeepsTheInnermostFrames) {
    enter(different(0, 30));
    const std::uint32_t known = raw(entered.leaf);
    unsigned whole = 0;
    unsigned inner = 0;
    unsigned leaves = 0;
    unsigned none = 0;
    for (std::uint32_t number = 1; number < 2000; ++number) {
        const auto path = different(number, 30);
        const std::uint32_t node = enter(path);
        std::vector<std::uint64_t> expected;
        for (const auto& at : path) {
            expected.insert(expected.begin(), ContextTree::key_of(at));
        }
        const auto kept = path_of(node);
        ASSERT_TRUE(std::equal(kept.rbegin(), kept.rend(), expected.rbegin())) << "its own innermost frames";
        ASSERT_EQ(entered.dropped, kept.size() != expected.size());
        whole += entered.dropped ? 0 : 1;
        inner += kept.size() == ContextTree::kInnerFrames ? 1 : 0;
        leaves += kept.size() == 1 ? 1 : 0;
        none += kept.empty() ? 1 : 0;
        if (entered.dropped && !kept.empty()) {
            std::uint32_t outermost = node;
            while (rows[outermost - 1].parent != 0) {
                outermost = rows[outermost - 1].parent;
            }
            ASSERT_TRUE(rows[outermost - 1].dropped);
        }
    }
    EXPECT_GT(whole, 10U);
    EXPECT_GT(inner, 5U);
    EXPECT_GT(leaves, 1000U) << "the leaves are few: nearly all of them fit";
    EXPECT_EQ(none, 0U);
    EXPECT_LT(tree.nodes(), 1024U);
    EXPECT_EQ(enter(different(0, 30)), known) << "what is known stays whole";
    EXPECT_FALSE(entered.dropped);
}

TEST_F(SmallTree, WithoutRoomForTheLeafItSaysNothing) {
    for (std::uint32_t number = 0; number < 5000; ++number) {
        enter({frame(1, std::uint64_t{number} * 16), frame(1, 0x9000000)});
    }
    EXPECT_EQ(raw(entered.leaf), 0U);
    EXPECT_TRUE(entered.dropped);
}

TEST_F(Tree, TheTreesOfAProcessShareTheirRoom) {
    const std::size_t before = ContextTree::bytes_of_large();
    std::vector<std::unique_ptr<ContextTree>> trees;
    bool is_full = false;
    for (int i = 0; i < 6; ++i) {
        auto& one = *trees.emplace_back(std::make_unique<ContextTree>());
        is_full = false;
        for (std::uint64_t number = 0; number < ContextTree::kMostSlots && !is_full; ++number) {
            const unwind::Frame leaf = frame(1, number * 16);
            is_full = one.enter({&leaf, 1}, function_of, [](auto...) { return true; }).dropped;
        }
        EXPECT_TRUE(is_full);
        EXPECT_GT(one.nodes(), ContextTree::kOwnSlots / 2) << "so much every thread has";
        EXPECT_LE(ContextTree::bytes_of_large(), ContextTree::kMostBytes);
    }
    for (auto& one : trees) {
        one->clear();
        EXPECT_EQ(one->nodes(), 0U);
        one->free();
    }
    EXPECT_EQ(ContextTree::bytes_of_large(), before);
}

}  // namespace
}  // namespace kymo::monitor
