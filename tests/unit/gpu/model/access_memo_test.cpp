// The memo gives what the coalescer and the banks give, whether it met the access before or not.
#include "gpu/model/access_memo.h"

#include "accuracy/generate.h"
#include "gpu/model/bank_conflicts.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>

namespace kymo::gpu {
namespace {

struct Walk {
    Program program;
    WarpTrace warp;
};

// Accesses whose lanes lie in one of a few ways, at many places: most are met again.
Walk walk(unsigned seed) {
    std::mt19937_64 random(seed);
    ProgramBuilder builder;
    for (int i = 0; i < 3; ++i) {
        builder.add("LDG.E", {2}, {4}, 4);
    }
    Walk made{builder.take(), {}};
    std::vector<std::vector<std::int64_t>> ways(6);
    for (std::size_t way = 0; way < ways.size(); ++way) {
        for (std::int64_t lane = 0; lane < kWarpLanes; ++lane) {
            ways[way].push_back(way == 0   ? lane * 4
                                : way == 1 ? lane * 4096
                                : way == 2 ? lane / 16 * 512 + lane % 16 * 4
                                           : static_cast<std::int64_t>(random() % 5000));
        }
    }
    const std::uint32_t masks[] = {0xFFFF'FFFFU, 0x0000'FFFFU, 0x8000'0011U, 1U};
    WarpEncoder encoder(made.program);
    for (int i = 0; i < 4000; ++i) {
        const std::uint32_t mask = masks[random() % 4];
        const std::uint64_t base = 0x10'0000 + random() % 64 * 20;
        const auto& way = ways[random() % ways.size()];
        std::vector<std::uint64_t> addresses;
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            addresses.push_back(base +
                                static_cast<std::uint64_t>(way[static_cast<unsigned>(std::countr_zero(left))]));
        }
        encoder.add(static_cast<std::uint32_t>(i % 3), mask, addresses);
    }
    made.warp.code = std::make_shared<const std::vector<std::uint8_t>>(encoder.take());
    return made;
}

TEST(AccessMemo, GivesWhatTheCoalescerGives) {
    const Walk made = walk(5);
    WarpCursor plain(made.program, made.warp);
    WarpCursor cursor(made.program, made.warp);
    AccessMemo memo;
    while (plain.next()) {
        ASSERT_TRUE(cursor.next());
        LaneAddresses addresses;
        ASSERT_TRUE(plain.addresses(addresses));
        Footprint expected;
        coalesce(addresses, plain.mask(), 4, expected);
        std::uint64_t first = 0;
        ASSERT_TRUE(cursor.first_address(first));
        EXPECT_EQ(first, addresses.of[static_cast<unsigned>(std::countr_zero(plain.mask()))]);
        Footprint got;
        ASSERT_TRUE(memo.footprint(cursor, first, 4, got));
        ASSERT_EQ(got.sectors, expected.sectors);
        ASSERT_EQ(got.most_at_one_place, expected.most_at_one_place);
        ASSERT_EQ(got.count, expected.count);
        for (unsigned i = 0; i < got.count; ++i) {
            ASSERT_EQ(got.lines[i].line, expected.lines[i].line);
            ASSERT_EQ(got.lines[i].sectors, expected.lines[i].sectors);
            ASSERT_EQ(got.lines[i].lanes, expected.lines[i].lanes);
        }
    }
    EXPECT_FALSE(cursor.next());
    EXPECT_FALSE(cursor.broken());
}

TEST(AccessMemo, GivesWhatTheBanksGive) {
    const Walk made = walk(6);
    WarpCursor plain(made.program, made.warp);
    WarpCursor cursor(made.program, made.warp);
    AccessMemo memo;
    while (plain.next()) {
        ASSERT_TRUE(cursor.next());
        LaneAddresses addresses;
        ASSERT_TRUE(plain.addresses(addresses));
        std::uint64_t first = 0;
        ASSERT_TRUE(cursor.first_address(first));
        AccessMemo::Banks got;
        ASSERT_TRUE(memo.banks(cursor, first, 4, got));
        ASSERT_EQ(got.passes, shared_passes(addresses, plain.mask(), 4));
        ASSERT_EQ(got.most_on_one_word, most_on_one_word(addresses, plain.mask()));
    }
    EXPECT_FALSE(cursor.next());
}

TEST(WarpCursor, AnAccessBegunMayBeLeft) {
    const Walk made = walk(7);
    WarpCursor plain(made.program, made.warp);
    WarpCursor cursor(made.program, made.warp);
    for (unsigned i = 0; plain.next(); ++i) {
        ASSERT_TRUE(cursor.next());
        std::uint64_t first = 0;
        std::uint64_t other = 0;
        ASSERT_TRUE(plain.first_address(first));
        if (i % 3 != 0) {
            ASSERT_TRUE(cursor.first_address(other));
            ASSERT_EQ(first, other);
        }
    }
    EXPECT_FALSE(cursor.next());
    EXPECT_FALSE(plain.broken() || cursor.broken());
}

}  // namespace
}  // namespace kymo::gpu
