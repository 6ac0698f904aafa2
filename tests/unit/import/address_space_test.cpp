#include "import/address_space.h"

#include <gtest/gtest.h>

namespace kymo::import {
namespace {

TEST(AddressSpace, FindsTheMappingAroundAnAddress) {
    AddressSpace space;
    space.map(0x1000, 0x2000, {1, 0x100});
    EXPECT_EQ(space.at(0xfff).image, 0U);
    EXPECT_EQ(space.at(0x1000).image, 1U);
    EXPECT_EQ(space.at(0x2fff).bias, 0x100U);
    EXPECT_EQ(space.at(0x3000).image, 0U);
}

TEST(AddressSpace, ALaterMappingReplacesWhatItCovers) {
    AddressSpace space;
    space.map(0x1000, 0x4000, {1, 0});
    space.map(0x2000, 0x1000, {2, 0});
    EXPECT_EQ(space.at(0x1fff).image, 1U);
    EXPECT_EQ(space.at(0x2000).image, 2U);
    EXPECT_EQ(space.at(0x2fff).image, 2U);
    EXPECT_EQ(space.at(0x3000).image, 1U);
    space.map(0, 0x10000, {3, 0});
    EXPECT_EQ(space.at(0x2800).image, 3U);
    EXPECT_EQ(space.at(0x1000).image, 3U);
}

TEST(AddressSpace, MappingsWithoutBytesAndBeyondTheEndAreHarmless) {
    AddressSpace space;
    space.map(0x1000, 0, {1, 0});
    EXPECT_EQ(space.at(0x1000).image, 0U);
    space.map(~std::uint64_t{0} - 10, 100, {2, 0});
    EXPECT_EQ(space.at(~std::uint64_t{0} - 5).image, 2U);
    EXPECT_EQ(space.at(0).image, 0U);
}

}  // namespace
}  // namespace kymo::import
