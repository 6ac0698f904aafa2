#include "spacetime/evidence/occurrences/loop_progress.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using Values = std::vector<std::uint64_t>;

// Addresses 0 and 1 lie in loop 0, counted up by 8 in register 1; 2 in loop 1, counted down in register 0, 32 bits;
// 3 in none.
CountedLoops two_loops() {
    const program::Induction up{.reg = 1, .bits = 64, .step = 8};
    const program::Induction down{.reg = 0, .bits = 32, .step = -1};
    return {{{0, up}, {0, up}, {1, down}, {kNone, {}}}, {10, 20}};
}

TEST(StreamProgress, CountsRoundsBetweenSamplesInOneLoop) {
    const CountedLoops loops = two_loops();
    StreamProgress stream(loops);
    stream.sample(0, 0, false);
    EXPECT_FALSE(stream.registers(Values{0, 800}));  // nothing to hold it against
    stream.sample(1, 1'000, false);
    auto between = stream.registers(Values{0, 1'600});
    ASSERT_TRUE(between);
    EXPECT_EQ(between->loop, 0U);
    EXPECT_EQ(between->rounds, 100U);
    EXPECT_EQ(between->user, 1'000);
    stream.sample(0, 1'000, false);
    between = stream.registers(Values{0, 0});
    ASSERT_TRUE(between);
    EXPECT_EQ(between->rounds, std::nullopt);  // entered anew
    stream.sample(0, 1'000, false);
    between = stream.registers(Values{0, 80'000'000});
    ASSERT_TRUE(between);
    EXPECT_EQ(between->rounds, std::nullopt);  // 10 rounds a nanosecond are none
}

TEST(StreamProgress, SaysNothingAcrossLoopsPausesAndSamplesWithoutRegisters) {
    const CountedLoops loops = two_loops();
    StreamProgress stream(loops);
    stream.sample(0, 0, false);
    EXPECT_FALSE(stream.registers(Values{500, 800}));
    stream.sample(2, 1'000, false);
    EXPECT_FALSE(stream.registers(Values{500, 1'600}));  // another loop
    stream.sample(2, 1'000, false);
    EXPECT_EQ(stream.registers(Values{490, 0}).value().rounds, 10U);
    stream.sample(2, 1'000, true);
    EXPECT_FALSE(stream.registers(Values{480, 0}));  // measurement was off in between
    stream.sample(2, 1'000, false);
    stream.sample(2, 1'000, false);
    EXPECT_FALSE(stream.registers(Values{470, 0}));  // the one before came without
    stream.sample(3, 1'000, false);
    EXPECT_FALSE(stream.registers(Values{460, 0}));  // in no counted loop
    stream.sample(kNone, 1'000, false);
    EXPECT_FALSE(stream.registers(Values{460, 0}));
    stream.sample(0, 1'000, false);
    EXPECT_FALSE(stream.registers(Values{1}));  // a row that is too short
}

}  // namespace
}  // namespace kymo::spacetime
