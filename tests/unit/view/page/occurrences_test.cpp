#include "view/page/occurrences.h"

#include "../made_collections.h"
#include "unpack.h"
#include "view/page/heavy.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using testing::unpack;
using Numbers = std::vector<std::int64_t>;

// main → work → leaf, and a second leaf below main.
struct Paths {
    Paths() {
        tree.symbols.functions.resize(4);
        const char* const names[] = {"", "main", "work", "leaf"};
        for (std::size_t i = 0; i < 4; ++i) {
            tree.symbols.functions[i].name = names[i];
        }
        const std::uint32_t parents[] = {0, 0, 1, 2, 1};
        const std::uint32_t functions[] = {0, 1, 2, 3, 3};
        for (std::uint32_t node = 0; node < 5; ++node) {
            spacetime::CallNode call;
            call.parent = spacetime::CallNodeIndex(parents[node]);
            call.function = functions[node];
            tree.nodes.push_back(call);
            leaves.nodes.emplace_back(node);
            leaves.parents.push_back(parents[node]);
        }
        tree.nodes[0].kind = spacetime::NodeKind::kRoot;
    }
    spacetime::CallTree tree;
    Leaves leaves;
};

spacetime::SpaceNode space(std::vector<std::string> path, std::size_t occurrences) {
    spacetime::SpaceNode node;
    node.place.function = path.back();
    node.path = std::move(path);
    node.occurrences = occurrences;
    node.rows = spacetime::OccurrenceTable(1);
    for (std::uint32_t i = 0; i < occurrences; ++i) {
        node.rows.thread.push_back(i % 2);
        node.rows.begin.push_back(1000 + i * 100);
        node.rows.end.push_back(1000 + i * 100 + 50);
        node.rows.terms.push_back(
            {.user = 20, .spinning = 1, .system = 4, .run_queue = 5, .waiting = 17, .other = 3});
        node.rows.deltas.push_back(static_cast<std::int64_t>(i));
        node.rows.processor.push_back(1);
        node.rows.migrations.push_back(0);
        node.rows.before.push_back(spacetime::kStreamEdge);
        node.rows.after.push_back(1);
        node.rows.order.push_back(i);
    }
    return node;
}

struct Made : Paths {
    Made() {
        profile.begin = 1000;
        profile.end = 2000;
        evidence.run.counters = {"page-faults"};
        evidence.run.deltas = {0};
        evidence.nodes = {space({"main"}, 3), space({"main", "work", "leaf"}, 6), space({"elsewhere"}, 1)};
    }
    testing::Unpacked page(TimeRange range, std::size_t most) {
        return unpack(make_occurrences(evidence, profile, tree, leaves, range, most).deflated());
    }
    spacetime::Profile profile;
    spacetime::Evidence evidence;
};

TEST(PageOccurrences, SpacesAreFoundByTheirCallPaths) {
    Made made;
    EXPECT_EQ(page_nodes(made.evidence, made.tree, made.leaves), (std::vector<std::uint32_t>{1, 3, 0}));
}

TEST(PageOccurrences, EveryTermAndCounterIsThere) {
    const auto page = Made().page({0, 1000}, 100);
    EXPECT_EQ(page.numbers("first"), (Numbers{0, 3, 9, 10}));
    EXPECT_EQ(page.numbers("begin"), (Numbers{0, 100, 200, 0, 100, 200, 300, 400, 500, 0}));
    for (const auto& [term, ns] :
         {std::pair{"term.0", 20}, {"term.1", 4}, {"term.2", 5}, {"term.3", 17}, {"term.4", 3}, {"term.5", 1}}) {
        EXPECT_EQ(page.numbers(term), Numbers(10, ns)) << term;
    }
    EXPECT_EQ(page.numbers("length"), Numbers(10, 50)) << "the terms add up to it";
    EXPECT_EQ(page.numbers("event.0"), (Numbers{0, 1, 2, 0, 1, 2, 3, 4, 5, 0}));
    EXPECT_EQ(page.numbers("before"), Numbers(10, 0)) << "the thread's begin";
    EXPECT_EQ(page.numbers("after"), Numbers(10, 5)) << "the second space";
    EXPECT_EQ(page.json["spaces"][1]["call"], 3);
    EXPECT_EQ(page.json["counters"], nlohmann::json{"page-faults"});
}

TEST(PageOccurrences, ARangeHoldsThoseThatReachIntoIt) {
    const auto page = Made().page({120, 300}, 100);
    EXPECT_EQ(page.numbers("begin"), (Numbers{100, 200, 100, 200}));
    EXPECT_EQ(page.numbers("first"), (Numbers{0, 2, 4, 4}));
}

TEST(PageOccurrences, TooManyAreThinnedEvenly) {
    const auto page = Made().page({0, 1000}, 5);
    EXPECT_EQ(page.numbers("first"), (Numbers{0, 2, 5, 6}));
    EXPECT_EQ(page.json["spaces"][1]["occurrences"], 6) << "how many there were is still told";
}

TEST(PageOccurrences, HeavyCodeStandsBesideThem) {
    const spacetime::Evidence evidence = made::made_collections();
    spacetime::Profile profile;
    profile.begin = made::kBegin;
    Blob blob;
    write_heavy(evidence, profile, {0, 1000 * made::kMilli}, blob);
    const auto page = unpack(blob.deflated());
    const auto& heavy = page.json["heavy"];
    EXPECT_EQ(heavy["unit"], "per ms of processor time");
    EXPECT_EQ(heavy["events"], nlohmann::json{"page-faults"});
    EXPECT_EQ(heavy["order"], (nlohmann::json{1, 0})) << "of equal weight the program's own code first";
    const auto& library = heavy["groups"][0];
    EXPECT_EQ(library["around"]["name"], "step");
    EXPECT_EQ(library["members"].size(), 0U);
    EXPECT_EQ(library["low"], 0.55);
    const auto& own = heavy["groups"][1];
    EXPECT_TRUE(own["around"].is_null());
    EXPECT_EQ(own["lines"], "step.cpp:12–14");
    EXPECT_EQ(own["members"].size(), 2U);
    EXPECT_EQ(own["overlap"], 0.92);
    EXPECT_TRUE(own["low"].is_null()) << "of several spaces";
    EXPECT_DOUBLE_EQ(own["rates"][0][0], 400 / 600.0);
    EXPECT_DOUBLE_EQ(own["rates"][0][1], 0.5);
    EXPECT_EQ(own["times"], 3);
    EXPECT_EQ(own["gaps"][0]["begin"], 400 * made::kMilli);
    EXPECT_EQ(own["gaps"][0]["length"], 250 * made::kMilli);
    EXPECT_EQ(own["gaps"][0]["filled"], (nlohmann::json{{0, 250 * made::kMilli}}));
    EXPECT_EQ(page.numbers("heavy.first"), (Numbers{0, 0, 0})) << "no occurrence is kept by itself";
    spacetime::Evidence kept = evidence;
    made::add_occurrence(kept.same_spaces[1].life, 0, 100, 30, 0, 0, spacetime::kOutside, spacetime::kOutside);
    Blob with;
    write_heavy(kept, profile, {0, 1000 * made::kMilli}, with);
    const auto rows = unpack(with.deflated());
    EXPECT_EQ(rows.numbers("heavy.first"), (Numbers{0, 0, 1}));
    EXPECT_EQ(rows.numbers("heavy.begin"), (Numbers{100'000'000}));
    EXPECT_EQ(rows.numbers("heavy.length"), (Numbers{30'000'000}));
    Blob before;
    write_heavy(evidence, profile, {0, 300 * made::kMilli}, before);
    EXPECT_EQ(before.json["heavy"]["groups"][1]["gaps"].size(), 0U) << "the gap lies behind the range";
}

}  // namespace
}  // namespace kymo::view
