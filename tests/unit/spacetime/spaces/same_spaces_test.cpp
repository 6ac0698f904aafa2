#include "spacetime/spaces/same_spaces.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace kymo::spacetime {
namespace {

using Ranges = std::vector<ByteRange>;
using Groups = std::vector<std::vector<std::size_t>>;

Groups group(const std::vector<Ranges>& spaces, Share share = percent(90)) {
    std::vector<PlacedSpace> placed;
    for (const Ranges& ranges : spaces) {
        placed.push_back({0, ranges});
    }
    return group_same(placed, share);
}

TEST(SameSpaces, NinetyPerCentIsEnoughAndEightyNineIsNot) {
    // 90 of 100 bytes in common, 89 of 100, and 899 of 999 (just under).
    EXPECT_EQ(group({{{0, 100}}, {{0, 90}}}), (Groups{{0, 1}}));
    EXPECT_EQ(group({{{0, 100}}, {{0, 89}}}), (Groups{{0}, {1}}));
    EXPECT_EQ(group({{{0, 95}}, {{5, 100}}}), (Groups{{0, 1}}));  // shifted: 90 in common, 100 in all
    EXPECT_EQ(group({{{0, 94}}, {{5, 100}}}), (Groups{{0}, {1}}));
    EXPECT_EQ(group({{{0, 1000}}, {{0, 899}}}), (Groups{{0}, {1}}));
    EXPECT_EQ(group({{{0, 100}}, {{0, 89}}}, percent(89)), (Groups{{0, 1}}));
}

TEST(SameSpaces, AreOfOneImage) {
    const Ranges ranges = {{0, 100}};
    EXPECT_EQ(group_same(std::vector<PlacedSpace>{{1, ranges}, {2, ranges}, {1, ranges}}), (Groups{{0, 2}, {1}}));
}

TEST(SameSpaces, OfSeveralRangesMayBeginFarApart) {
    EXPECT_EQ(group({{{0, 10}, {1000, 1090}}, {{1000, 1090}}}), (Groups{{0, 1}}));  // 90 of 100
    EXPECT_EQ(group({{{0, 11}, {1000, 1090}}, {{1000, 1090}}}), (Groups{{0}, {1}}));
}

TEST(SameSpaces, DoNotDriftAlongAChain) {
    // Each overlaps with the next by 95 of 105, but the first and the third by 90 of 110 only.
    EXPECT_EQ(group({{{0, 100}}, {{5, 105}}, {{10, 110}}}), (Groups{{0, 1}, {2}}));
}

TEST(SameSpaces, GroupsOfRandomSpacesAreThoseOfComparingAll) {
    std::mt19937 random(17);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint64_t>(random() % limit); };
    std::size_t joined = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<Ranges> spaces;
        for (int i = 0; i < 30; ++i) {
            if (!spaces.empty() && below(3) != 0) {  // a neighbour of one there is
                Ranges ranges = spaces[below(static_cast<std::uint32_t>(spaces.size()))];
                ranges[below(static_cast<std::uint32_t>(ranges.size()))].end += below(12);
                spaces.push_back(normalise(ranges));
                continue;
            }
            Ranges ranges;
            for (std::uint64_t k = 1 + below(3); k-- > 0;) {
                const std::uint64_t begin = below(300);
                ranges.push_back({begin, begin + 1 + below(100)});
            }
            spaces.push_back(normalise(ranges));
        }
        for (const Share share : {percent(90), percent(70), percent(50)}) {
            // The definition: in the order given, into the first group all of whose members overlap enough.
            Groups expected;
            for (std::size_t i = 0; i < spaces.size(); ++i) {
                const auto fits = std::find_if(expected.begin(), expected.end(), [&](const auto& members) {
                    return std::all_of(members.begin(), members.end(), [&](std::size_t member) {
                        return overlaps({0, spaces[member]}, {0, spaces[i]}, share);
                    });
                });
                if (fits == expected.end()) {
                    expected.push_back({i});
                } else {
                    fits->push_back(i);
                    ++joined;
                }
            }
            ASSERT_EQ(group(spaces, share), expected) << round << " " << share.per_million;
        }
    }
    EXPECT_GT(joined, 1000U);
}

TEST(CodeSpace, RangesAreJoinedAndCompared) {
    EXPECT_EQ(normalise({{5, 7}, {1, 3}, {3, 4}, {9, 9}, {6, 8}}), (Ranges{{1, 4}, {5, 8}}));
    EXPECT_EQ(byte_count(Ranges{{1, 4}, {5, 8}}), 6U);
    EXPECT_EQ(common_bytes(Ranges{{0, 4}, {6, 10}}, Ranges{{2, 8}}), 4U);
    EXPECT_EQ(intersection(Ranges{{0, 4}, {6, 10}}, Ranges{{2, 8}}), (Ranges{{2, 4}, {6, 8}}));
}

SpaceTable table_of(const std::vector<std::pair<Ranges, std::uint64_t>>& weights) {
    SpaceTable table;
    for (const auto& [ranges, weight] : weights) {
        WeighedSpace space;
        space.space.ranges = ranges;
        space.weight = weight;
        table.total_weight += weight;
        table.spaces.push_back(std::move(space));
    }
    return table;
}

// Of 1,000: two of 8 that are the same by 95 %, one of 8 alone, one of 9 with a far lighter one, and the rest.
TEST(SameSpaces, AreHeavyTogether) {
    const SpaceTable table = table_of({{{{0, 95}}, 8},
                                       {{{1000, 1100}}, 8},
                                       {{{0, 100}}, 8},
                                       {{{2000, 2100}}, 9},
                                       {{{2000, 2100}, {2200, 2201}}, 1},
                                       {{{5000, 5001}}, 966}});
    EXPECT_EQ(heavy_with_same(table, percent(1), percent(90)), (std::vector<std::size_t>{5, 0, 2}));
    EXPECT_EQ(heavy_with_same(table, percent(1), percent(96)), (std::vector<std::size_t>{5}));
    EXPECT_EQ(heavy_with_same(table, percent(0), percent(96)).size(), 6U);
    EXPECT_TRUE(heavy_with_same({}, percent(1), percent(90)).empty());
}

}  // namespace
}  // namespace kymo::spacetime
