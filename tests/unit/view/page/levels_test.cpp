#include "view/page/levels.h"

#include "unpack.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace kymo::view {
namespace {

using testing::unpack;

CellLevel busy_thread(std::uint64_t width, std::size_t bins, unsigned seed = 1) {
    std::mt19937 random(seed);
    ThreadCells cells(width, 1);
    for (std::uint64_t at = 0; at < width * bins;) {
        const std::uint64_t end = std::min<std::uint64_t>(at + 1 + random() % width, width * bins);
        const std::uint64_t count[] = {random() % 1000};
        const auto leaf = static_cast<std::uint32_t>(random() % 20);
        const std::uint32_t key = cell_key(leaf, static_cast<std::uint32_t>(random() % 2));
        cells.count(at, end, key, count);
        cells.add(at, end, key);
        at = end;
    }
    return join(std::vector<CellLevel>{cells.finish()}, width, 1);
}

TEST(Levels, EveryLevelSaysTheWholeTime) {
    const std::uint64_t duration = 1'000'000 * 4096ULL;
    const auto levels = pack_levels(busy_thread(1'000'000, 4096), {10'000'000, 10'000'000, duration});
    ASSERT_GE(levels.size(), 3U);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto level = unpack(levels[i].deflated);
        const auto amount = level.numbers("amount");
        const auto unit = level.json["unit"].get<std::int64_t>();
        const std::int64_t sum = std::accumulate(amount.begin(), amount.end(), std::int64_t{0}) * unit;
        EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(duration), static_cast<double>(unit)) << i;
        if (i > 0) {
            EXPECT_EQ(levels[i - 1].width, levels[i].width * 4);
        }
    }
    EXPECT_LE(duration / levels[0].width, 256U);
}

TEST(Levels, FitWhatIsAllowed) {
    const std::uint64_t duration = 1'000'000 * 8192ULL;
    const auto all = pack_levels(busy_thread(1'000'000, 8192), {10'000'000, 10'000'000, duration});
    const auto few = pack_levels(busy_thread(1'000'000, 8192), {10'000'000, 20'000, duration});
    std::size_t bytes = 0;
    for (const PackedLevel& level : few) {
        bytes += level.deflated.size();
    }
    EXPECT_LE(bytes, 20'000U);
    EXPECT_GT(few.back().width, all.back().width);
    const auto none = pack_levels(busy_thread(1'000'000, 8192), {0, 0, duration});
    ASSERT_EQ(none.size(), 1U) << "one level stays, whatever is allowed";
}

TEST(Levels, PiecesSayWhichAddressEndedThem) {
    TimePass pass;
    pass.points = {{}, {2, 0x40}, {1, 0x10}};
    pass.pieces.resize(2);
    pass.pieces[0] = {100, {5, 7}, {8, 9}, {1, 2}, {0, 0}, {{3, 0}}};
    pass.pieces[1] = {200, {1}, {10}, {0}, {4}, {{1}}};
    const PackedLevel packed = pack_pieces(pass, 1);
    EXPECT_EQ(packed.width, 0U);
    EXPECT_EQ(packed.cells, 3U);
    const auto level = unpack(packed.deflated);
    using Numbers = std::vector<std::int64_t>;
    EXPECT_EQ(level.numbers("first"), (Numbers{0, 2, 3}));
    EXPECT_EQ(level.numbers("point"), (Numbers{1, 2, 0}));
    EXPECT_EQ(level.numbers("point.image"), (Numbers{0, 2, 1}));
    EXPECT_EQ(level.numbers("point.offset"), (Numbers{0, 0x40, 0x10}));
    EXPECT_EQ(level.numbers("wait"), (Numbers{0, 0, 4}));
    EXPECT_EQ(level.numbers("event.0"), (Numbers{3, 0, 1}));
}

// Single pieces and levels share what is allowed; pieces that would leave too little are not there.
TEST(Levels, PiecesAndLevelsTogetherFit) {
    const std::uint64_t duration = 1'000'000 * 8192ULL;
    const auto packed = [&](std::size_t most_bytes) {
        TimePass pass;
        pass.finest = busy_thread(1'000'000, 8192);
        pass.points = {{}, {1, 0x10}};
        std::mt19937 random(1);
        pass.pieces.resize(1);
        pass.pieces[0].events.resize(1);
        for (int i = 0; i < 20'000; ++i) {
            pass.pieces[0].length.push_back(random() % 1'000'000);
            pass.pieces[0].key.push_back(static_cast<std::uint32_t>(random() % 100));
            pass.pieces[0].point.push_back(static_cast<std::uint32_t>(random() % 2));
            pass.pieces[0].wait.push_back(0);
            pass.pieces[0].events[0].push_back(random() % 1000);
        }
        return pack_pass(std::move(pass), {10'000'000, most_bytes, duration});
    };
    for (const std::size_t most : {std::size_t{10'000'000}, std::size_t{250'000}, std::size_t{100'000}}) {
        const auto levels = packed(most);
        std::size_t bytes = 0;
        for (const PackedLevel& level : levels) {
            bytes += level.deflated.size();
        }
        EXPECT_LE(bytes, most);
        EXPECT_EQ(levels.back().width == 0, most > 100'000) << most;
        EXPECT_GT(levels.front().width, 0U);
    }
}

TEST(Levels, RoughBytesAreWithinAThirtieth) {
    const auto exact_of = [](std::uint8_t rough) {
        return rough < 16 ? rough : (16 + (rough & 15) + 0.5) * std::pow(2.0, (rough >> 4) - 1);
    };
    for (std::uint64_t value = 0; value < 16; ++value) {
        EXPECT_EQ(rough_byte(value), value);
    }
    for (std::uint64_t value = 16; value < (1U << 19U); value += 1 + value / 50) {
        const double back = exact_of(rough_byte(value));
        EXPECT_NEAR(back / static_cast<double>(value), 1.0, 1.0 / 30) << value;
    }
    EXPECT_EQ(rough_byte(~std::uint64_t{0}), 255);
}

}  // namespace
}  // namespace kymo::view
