// From counted pairs to heavy spaces, without code to decode: each address is a space of one instruction, and a pair
// comes to two of them, half and half.
#include "spacetime/evidence/weighing.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

class Weighed : public ::testing::Test {
  protected:
    Weighed() : code_(images(), {{}}), pairs_(kPairColumns + 1) {
        profile_.images = images();
        profile_.events.push_back({.name = "task-clock", .unit = "ns"});
        addresses_.places = {{0, 0x10}, {0, 0x20}, {0, 0x30}};
        add(0, 1, 2, 20);
        add(1, 1, 6, 60);
        add(1, 2, 1, 10);
    }
    static std::vector<ImageInfo> images() {
        return {{.path = "/nonexistent/app", .build_id = "0123", .machine = 62}};
    }
    void add(std::uint32_t a, std::uint32_t b, std::uint64_t occurrences, std::int64_t ns) {
        const std::int64_t sums[] = {ns, ns};  // user time and task-clock
        pairs_.add(pairs_.row(a, b), occurrences, sums);
    }

    Profile profile_;
    CodeMap code_;
    SampledAddresses addresses_;
    PairTable pairs_;
};

// Occurrences by space: 2 of 0x10; 2 + 6 + 6 + 1 of 0x20; 1 of 0x30. Times: 10; 10 + 60 + 5; 5.
TEST_F(Weighed, WeightIsInstructionsTimesOccurrences) {
    const Weighing weighing = weigh_pairs(profile_, addresses_, pairs_, code_, percent(1), percent(90));
    EXPECT_EQ(weighing.table.total_weight, 18 * kInstruction);
    ASSERT_EQ(weighing.heavy.size(), 3U);
    const std::uint64_t starts[] = {0x20, 0x10, 0x30};
    const std::uint64_t occurrences[] = {15, 2, 1};
    const std::int64_t times[] = {75, 10, 5};
    for (std::size_t i = 0; i < 3; ++i) {
        const WeighedSpace& space = weighing.table.spaces[weighing.heavy[i]];
        EXPECT_EQ(space.space.ranges, (std::vector<ByteRange>{{starts[i], starts[i] + 1}}));
        EXPECT_EQ(space.occurrences, occurrences[i]);
        EXPECT_EQ(space.weight, occurrences[i] * kInstruction);
        EXPECT_EQ(space.sums, (std::vector<std::int64_t>{times[i], times[i]}));
    }
    EXPECT_EQ(weigh_pairs(profile_, addresses_, pairs_, code_, percent(10), percent(90)).heavy.size(), 2U);
    EXPECT_EQ(weigh_pairs(profile_, addresses_, pairs_, code_, percent(12), percent(90)).heavy.size(), 1U);
}

TEST_F(Weighed, PairsKnowTheirHeavySpacesAndShares) {
    const Weighing weighing = weigh_pairs(profile_, addresses_, pairs_, code_, percent(10), percent(90));
    using Shares = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    ASSERT_EQ(weighing.spaces_of.size(), 3U);
    EXPECT_EQ(weighing.spaces_of[0], (Shares{{1, 32768}, {0, 32768}}));
    EXPECT_EQ(weighing.spaces_of[1], (Shares{{0, 32768}, {0, 32768}}));
    EXPECT_EQ(weighing.spaces_of[2], (Shares{{0, 32768}}));  // 0x30 is not heavy enough
    // Weight of the pairs that end at an address, by sample: 2 of the 18 in each case; nothing ends at 0x10.
    EXPECT_DOUBLE_EQ(weighing.weight_of_address[0], 0);
    EXPECT_DOUBLE_EQ(weighing.weight_of_address[1], 2.0 / 18);
    EXPECT_DOUBLE_EQ(weighing.weight_of_address[2], 2.0 / 18);
}

// Each pair is in the group that half of it lies in, of two the one where it ends.
TEST_F(Weighed, PairsKnowTheirGroup) {
    const Weighing weighing = weigh_pairs(profile_, addresses_, pairs_, code_, percent(10), percent(90));
    ASSERT_EQ(weighing.same.size(), 2U);
    EXPECT_EQ(weighing.group_of, (std::vector<std::uint32_t>{0, 0, 0}));
    EXPECT_EQ(weighing.group_samples, (std::vector<std::uint64_t>{9, 0}));
}

// Loaded twice, under one name and build id: one piece of code.
TEST_F(Weighed, CodeOfOneBuildIdIsOneGroup) {
    profile_.images.push_back(profile_.images[0]);
    addresses_.places.back().first = 1;  // 0x30 …
    addresses_.places.back().second = 0x20;
    const Weighing weighing = weigh_pairs(profile_, addresses_, pairs_, code_, percent(1), percent(90));
    ASSERT_EQ(weighing.heavy.size(), 3U);
    EXPECT_EQ(weighing.same, (std::vector<std::vector<std::size_t>>{{0, 2}, {1}}));
}

TEST_F(Weighed, HeavySpacesWithTheRestOfTheProgram) {
    const Weighing weighing = weigh_pairs(profile_, addresses_, pairs_, code_, percent(1), percent(90));
    SpanPass times;
    times.spaces.resize(3);
    times.spaces[0].longest_gap_ns = 7;
    const std::vector<program::Request> requests(1);
    program::Symbols symbols;
    symbols.images.resize(1);
    std::vector<SpaceNode> nodes(2);
    for (std::size_t i = 0; i < 2; ++i) {
        nodes[i].place.module = "app";
        nodes[i].place.build_id = "0123";
        nodes[i].place.ranges = {{0x18, i == 0 ? 0x40U : 0x28U}};  // the second is the smaller one
    }
    auto spaces = make_heavy_spaces(profile_, weighing, times, nodes, Names(requests, symbols));
    ASSERT_EQ(spaces.size(), 3U);
    EXPECT_EQ(spaces[0].place.module, "app");
    EXPECT_EQ(spaces[0].place.build_id, "0123");
    EXPECT_DOUBLE_EQ(spaces[0].weight, 15.0 / 18);
    EXPECT_DOUBLE_EQ(spaces[0].time_share, 75.0 / 90);
    EXPECT_DOUBLE_EQ(spaces[0].stall, 1);
    EXPECT_EQ(spaces[0].deltas, (std::vector<std::int64_t>{75}));
    EXPECT_EQ(spaces[0].rest_deltas, (std::vector<std::int64_t>{15}));
    EXPECT_EQ(spaces[0].longest_gap_ns, 7U);
    // 18 independent samples: 1.96 √(5/6 · 1/6 / 18), and no more than all.
    EXPECT_NEAR(spaces[0].time_share - spaces[0].time_low, 0.172, 0.0005);
    EXPECT_DOUBLE_EQ(spaces[0].time_high, 1);
    EXPECT_EQ(spaces[0].node, NodeIndex(1));  // 0x20 lies in both
    EXPECT_EQ(spaces[1].node, kNone);         // 0x10 in neither
    EXPECT_EQ(spaces[2].node, NodeIndex(0));  // 0x30
    ASSERT_EQ(weighing.same.size(), 3U) << "none overlap";
    const auto groups = make_same_spaces(spaces, weighing.same, nodes);
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(groups[0].members, (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(groups[0].node, NodeIndex(1));
    EXPECT_EQ(spaces[2].same, 2U);
}

HeavySpace heavy(std::uint64_t begin, std::uint64_t end, double weight, std::int64_t ns) {
    HeavySpace space;
    space.place.module = "app";
    space.place.build_id = "0123";
    space.place.ranges = {{begin, end}};
    space.weight = weight;
    space.time_share = weight;
    space.occurrences = 10;
    space.deltas = {ns};
    return space;
}

TEST(SameSpaces, AddUp) {
    std::vector<HeavySpace> spaces = {heavy(0, 100, 0.5, 50), heavy(0, 90, 0.3, 30), heavy(0, 89, 0.1, 10),
                                      heavy(0, 100, 0.05, 5)};
    const auto groups = make_same_spaces(spaces, {{0, 1}, {2}, {3}}, {});
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(groups[0].members, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_DOUBLE_EQ(groups[0].overlap, 0.9);
    EXPECT_DOUBLE_EQ(groups[0].weight, 0.8);
    EXPECT_EQ(groups[0].occurrences, 20U);
    EXPECT_EQ(groups[0].deltas, (std::vector<std::int64_t>{80}));
    EXPECT_EQ(groups[1].members, (std::vector<std::uint32_t>{2}));
    EXPECT_EQ(groups[2].members, (std::vector<std::uint32_t>{3}));
}

TEST(SumCode, TakesOfEachSpaceTheShareOfItsBytes) {
    Profile profile;
    profile.images = {{.path = "/a/app", .build_id = "0123"}, {.path = "/a/lib", .build_id = "4567"}};
    profile.events.push_back({.name = "page-faults", .unit = ""});
    SpaceTable table;
    const auto add = [&](std::uint32_t image, std::uint64_t begin, std::uint64_t end, std::int64_t ns,
                         std::int64_t faults) {
        WeighedSpace space;
        space.image = image;
        space.space.ranges = {{begin, end}};
        space.sums = {ns, faults};
        table.spaces.push_back(std::move(space));
    };
    add(0, 0, 100, 1000, 40);      // half of it in [50, 150)
    add(0, 100, 150, 500, 7);      // all
    add(0, 150, 160, 9999, 9999);  // nothing
    add(1, 0, 200, 9999, 9999);    // of another image
    std::vector<HeavySpace> asked = {heavy(50, 150, 1, 0), heavy(0, 10, 1, 0)};
    asked[1].place.build_id = "unknown";
    const auto sums = sum_code(profile, table, asked);
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_TRUE(sums[0].is_known);
    EXPECT_EQ(sums[0].user_ns, 1000);
    EXPECT_EQ(sums[0].deltas, (std::vector<std::int64_t>{27}));
    EXPECT_FALSE(sums[1].is_known);
}

}  // namespace
}  // namespace kymo::spacetime
