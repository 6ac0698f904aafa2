#include "spacetime/indices.h"

#include <gtest/gtest.h>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace kymo {
namespace {

struct Street {};
using House = Index<std::string>;

static_assert(sizeof(House) == 4 && std::is_trivially_copyable_v<House>);
static_assert(!std::is_convertible_v<std::uint32_t, House> && !std::is_convertible_v<House, std::uint32_t>);
static_assert(!std::is_convertible_v<Index<Street>, House> && !std::is_constructible_v<House, Index<Street>>);
static_assert(std::is_convertible_v<None, House> && std::is_convertible_v<None, std::uint32_t>);

TEST(Index, NamesAnElementAndTheEntriesBesideIt) {
    std::vector<std::string> names = {"first", "second"};
    const std::vector<std::size_t> sizes = {5, 6};
    const House house(1);
    EXPECT_EQ(house.in(names), "second");
    EXPECT_EQ(house.in(sizes), 6U);
    house.in(names) = "last";
    EXPECT_EQ(names[raw(house)], "last");
}

TEST(Index, IsNoneUntilItIsSet) {
    House house;
    EXPECT_EQ(house, kNone);
    EXPECT_EQ(raw(house), kNone);
    house = House(std::size_t{0});
    EXPECT_NE(house, kNone);
    EXPECT_LT(house, House(1));
    EXPECT_LT(House(1), kNone);  // behind all others
}

TEST(Index, OfNothingIsOneForColumnsOfPlainNumbers) {
    std::vector<std::uint32_t> column(2, kNone);
    column[0] = 7;
    EXPECT_TRUE(column[0] != kNone && column[1] == kNone);
    EXPECT_EQ(House(column[1]), kNone);
}

TEST(Index, OfAllElementsComesInOrder) {
    const std::vector<std::string> names = {"a", "b", "c"};
    std::string all;
    for (const House house : indices(names)) {
        all += house.in(names);
    }
    for (const House house : indices(names, 2)) {
        all += house.in(names);
    }
    EXPECT_EQ(all, "abcc");
}

TEST(Index, CanBeAKey) {
    std::unordered_map<House, int> residents = {{House(3), 2}};
    EXPECT_EQ(residents.at(House(3)), 2);
    EXPECT_FALSE(residents.contains(kNone));
}

}  // namespace
}  // namespace kymo
