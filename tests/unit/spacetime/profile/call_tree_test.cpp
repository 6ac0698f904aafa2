#include "spacetime/profile/call_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

// One image; offsets 1…5 are frames: main, f (two call sites: 2 and 3), g inlined into f at 4, f calling itself at 5.
struct Made {
    Profile profile;
    std::vector<program::Request> requests;
    program::Symbols symbols;

    Made() {
        profile.images = {{"/opt/app", "", 62}};
        profile.nodes = {{0, NodeKind::kRoot, 0, 0}};
        profile.self = CostTable(0);
        profile.self.resize(1);
        for (const char* name : {"main", "f()", "g()"}) {
            symbols.functions.push_back(
                {.name = name, .module = "app", .file = 1, .source = program::NameSource::kDebugInfo});
        }
        symbols.files.push_back("/src/app.cpp");
        requests = {{{"/opt/app", "", 62}, {}}};
        symbols.images.resize(1);
        symbols.images[0].first = {0};
        add_offset(1, {{1, 1, 10, false}});
        add_offset(2, {{2, 1, 20, false}});
        add_offset(3, {{2, 1, 21, false}});
        add_offset(4, {{2, 1, 22, false}, {3, 1, 30, true}});
        add_offset(5, {{2, 1, 23, false}});
    }

    void add_offset(std::uint64_t offset, const std::vector<program::Frame>& frames) {
        requests[0].offsets.push_back(ImageOffset{offset});
        symbols.images[0].frames.insert(symbols.images[0].frames.end(), frames.begin(), frames.end());
        symbols.images[0].first.push_back(static_cast<std::uint32_t>(symbols.images[0].frames.size()));
    }

    std::uint32_t node(std::uint32_t parent, std::uint64_t offset, std::int64_t user) {
        profile.nodes.push_back({parent, NodeKind::kFrame, 0, offset});
        profile.self.resize(profile.nodes.size());
        profile.self[profile.nodes.size() - 1][kUser] = user;
        return static_cast<std::uint32_t>(profile.nodes.size() - 1);
    }

    CallTree tree() { return make_call_tree(profile, requests, symbols); }
};

std::int64_t user(const CostTable& table, std::size_t row) {
    return table[row][kUser];
}

std::size_t row_of(const CallTree& tree, std::string_view name) {
    for (std::size_t i = 0; i < tree.functions.size(); ++i) {
        if (tree.symbols.functions[tree.functions[i].function].name == name) {
            return i;
        }
    }
    throw std::out_of_range("no such function");
}

TEST(CallTree, CallSitesOfOneFunctionAreOneNode) {
    Made made;
    const auto main = made.node(0, 1, 1);
    made.node(main, 2, 10);
    made.node(main, 3, 30);
    const CallTree tree = made.tree();
    ASSERT_EQ(tree.nodes.size(), 3U);
    EXPECT_EQ(user(tree.self, 2), 40);
    EXPECT_EQ(user(tree.total, 1), 41);
    EXPECT_EQ(user(tree.total, 0), 41);
    EXPECT_EQ(tree.nodes[2].line, 21U);  // the hotter of its two places
    EXPECT_EQ(tree.nodes[1].line, 10U);
}

TEST(CallTree, InlinedFunctionsAreFunctions) {
    Made made;
    const auto main = made.node(0, 1, 0);
    made.node(main, 4, 5);
    const CallTree tree = made.tree();
    ASSERT_EQ(tree.nodes.size(), 4U);
    EXPECT_EQ(tree.symbols.functions[tree.nodes[3].function].name, "g()");
    EXPECT_TRUE(tree.nodes[3].inlined);
    EXPECT_FALSE(tree.nodes[2].inlined);
    EXPECT_EQ(user(tree.self, 3), 5);
    EXPECT_EQ(user(tree.self, 2), 0);
    EXPECT_EQ(tree.nodes[2].line, 22U);
    const std::size_t g = row_of(tree, "g()");
    EXPECT_EQ(user(tree.function_self, g), 5);
    EXPECT_EQ(user(tree.function_total, row_of(tree, "f()")), 5);
    ASSERT_EQ(tree.lines.size(), 1U);
    EXPECT_EQ(tree.lines[0].line, 30U);
}

TEST(CallTree, RecursionCountsAPathOnce) {
    Made made;
    auto at = made.node(0, 1, 0);
    for (int depth = 0; depth < 2000; ++depth) {
        at = made.node(at, 5, 1);
    }
    const CallTree tree = made.tree();
    EXPECT_EQ(tree.nodes.size(), 2002U);
    const std::size_t f = row_of(tree, "f()");
    EXPECT_EQ(user(tree.function_self, f), 2000);
    EXPECT_EQ(user(tree.function_total, f), 2000);
    EXPECT_EQ(user(tree.function_total, row_of(tree, "main")), 2000);
}

TEST(CallTree, DirectRecursionFoldsIntoOneNode) {
    Made made;
    const auto main = made.node(0, 1, 0);
    const auto first = made.node(main, 2, 1);
    const auto second = made.node(first, 5, 2);
    made.node(first, 1, 10);
    made.node(made.node(second, 5, 4), 1, 20);
    const CallTree folded = fold_recursion(made.tree());
    ASSERT_EQ(folded.nodes.size(), 4U);  // root › main › f ×3 › main
    EXPECT_EQ(folded.nodes[2].recursion, 3U);
    EXPECT_EQ(user(folded.self, 2), 7);
    EXPECT_EQ(user(folded.self, 3), 30);
    EXPECT_EQ(user(folded.total, 0), 37);
    EXPECT_EQ(folded.nodes[1].recursion, 1U);
}

TEST(CallTree, OffsetsToNameAreAscendingAndUnique) {
    Made made;
    const auto main = made.node(0, 3, 0);
    made.node(main, 1, 1);
    made.node(main, 3, 1);
    const auto requests = frames_to_name(made.profile);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].offsets, (std::vector<ImageOffset>{ImageOffset{1}, ImageOffset{3}}));
}

}  // namespace
}  // namespace kymo::spacetime
