#include "events/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::events {
namespace {

TEST(EditDistance, CountsEdits) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("cycles", "cycles"), 0U);
    EXPECT_EQ(edit_distance("cycles", "CYCLES"), 0U);
    EXPECT_EQ(edit_distance("cylces", "cycles"), 1U);  // neighbours exchanged
    EXPECT_EQ(edit_distance("page-fault", "page-faults"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, RanksAndLimits) {
    const std::vector<std::string> known = {"cycles", "bus-cycles", "instructions", "page-faults", "ref-cycles"};
    EXPECT_THAT(nearest("cylces", known), testing::ElementsAre("cycles"));
    EXPECT_THAT(nearest("faults", known), testing::ElementsAre("page-faults"));
    EXPECT_THAT(nearest("cycles", known, 2), testing::ElementsAre("cycles", "bus-cycles"));
    EXPECT_TRUE(nearest("zzzzzzzz", known).empty());
    EXPECT_TRUE(nearest("", known).empty());
}

}  // namespace
}  // namespace kymo::events
