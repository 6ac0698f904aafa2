#include "spacetime/evidence/operands/slow_loops.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

// Ten instructions of four bytes from 0x100 on: at 0x110 a jump to 0x11c, over two instructions.
const program::TwoWayLoop kLoop = [] {
    program::TwoWayLoop loop;
    loop.blocks = {{0x100, 0x114}, {0x114, 0x11c}, {0x11c, 0x128}};
    program::TwoWayJump jump;
    jump.jump = 0x110;
    jump.ways = {{0x114, 0x11c}, {0x11c, 0x124}};
    jump.even = 1.0 / 3;
    loop.jumps = {jump};
    return loop;
}();

bool awaits(std::uint64_t before, std::uint64_t one_way, std::uint64_t other_way, std::uint64_t behind) {
    return awaits_ways({{0x108, {0, before}},
                        {0x118, {1, one_way}},
                        {0x120, {2, other_way}},
                        {0x124, {3, behind}},
                        {0x200, {4, 900}}},
                       kLoop);
}

TEST(AwaitedWays, AreWhereTheSamplesAreBehindTheJumpOnBothSides) {
    EXPECT_TRUE(awaits(45, 22, 32, 1));
    EXPECT_FALSE(awaits(45, 0, 54, 1)) << "one side: a long instruction, or a jump that mostly goes one way";
    EXPECT_FALSE(awaits(60, 20, 19, 1)) << "as many as even work would have";
    EXPECT_FALSE(awaits(40, 20, 30, 1)) << "too few to tell";
}

TEST(AwaitedWays, OfSeveralCasesNeedLittleAtEach) {
    program::TwoWayLoop loop;
    loop.blocks = {{0x100, 0x200}};
    program::TwoWayJump jump;
    jump.jump = 0x100;
    FunctionSamples samples = {{0x104, {0, 65}}};
    for (std::uint32_t i = 1; i <= 8; ++i) {
        jump.ways.push_back({0x100 + 0x10 * i, 0x108 + 0x10 * i});
        samples[0x104 + 0x10 * i] = {i, 5};
    }
    jump.even = 0.1;
    loop.jumps = {jump};
    EXPECT_TRUE(awaits_ways(samples, loop));
    samples[0x104] = {0, 200};
    EXPECT_FALSE(awaits_ways(samples, loop));
}

TEST(IdleRounds, FindLittleWhereHardlyAnySampleIsInWhatTheLoopDoes) {
    program::IdleLoop loop;
    loop.idle = {{0x100, 0x120}};
    loop.acting = {{0x120, 0x180}};
    EXPECT_FALSE(finds_little({{0x104, {0, 600}}}, loop))
        << "a few instructions have no samples, even if they run often";
    loop.acts_long = true;
    EXPECT_TRUE(finds_little({{0x104, {0, 600}}, {0x140, {1, 20}}}, loop));
    EXPECT_FALSE(finds_little({{0x104, {0, 600}}, {0x140, {1, 200}}}, loop)) << "it does something often";
    EXPECT_FALSE(finds_little({{0x104, {0, 60}}}, loop)) << "too few to tell";
}

}  // namespace
}  // namespace kymo::spacetime
