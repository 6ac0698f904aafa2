// What a virtual speed-up refuses before anything runs.
#include "confirm/speed_up.h"

#include <gtest/gtest.h>

namespace kymo::confirm {
namespace {

TEST(SpeedUp, OfUnknownCostNeedsAPart) {
    const auto runs = run_faster({{"true"}, "/"}, {}, 1, [](const TimedRuns&) {});
    ASSERT_FALSE(runs);
    EXPECT_EQ(runs.error().kind, ErrorKind::kUnsupported);
    EXPECT_NE(runs.error().next.find("--speed-up"), std::string::npos) << runs.error().next;
}

TEST(SpeedUp, OfAProgramThatIsGone) {
    SpeedUp whole;
    whole.part = 1;
    const auto gone = run_faster({{"kymo-no-such-program"}, "/"}, whole, 1, [](const TimedRuns&) {});
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().kind, ErrorKind::kNotFound);
    const auto elsewhere = run_faster({{"true"}, "/no/such/directory"}, whole, 1, [](const TimedRuns&) {});
    ASSERT_FALSE(elsewhere);
    EXPECT_EQ(elsewhere.error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace kymo::confirm
