#include "parallel/loops.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <tbb/task_arena.h>
#include <thread>
#include <vector>

namespace kymo::parallel {
namespace {

TEST(ForEachIndex, ComesToEachOnceAndItsResultsAreSeenAfterwards) {
    std::vector<std::uint64_t> squares;
    for (const std::size_t count : {0, 1, 2, 1000}) {
        squares.assign(count, 7);  // seen by the bodies
        for_each_index(count, [&](std::size_t i) { squares[i] += i * i; });
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(squares[i], i * i + 7);
        }
    }
}

TEST(ForEachIndex, MayBeNested) {
    std::vector<std::vector<int>> rows(20);
    for_each_index(static_cast<std::uint32_t>(rows.size()), [&](std::uint32_t row) {
        rows[row].resize(row);
        for_each_index(rows[row].size(), [&](std::size_t column) { rows[row][column] = 1; });
    });
    for (std::size_t row = 0; row < rows.size(); ++row) {
        EXPECT_EQ(std::accumulate(rows[row].begin(), rows[row].end(), 0), static_cast<int>(row));
    }
}

TEST(ForEachIndex, OfOneWorkerStartsNoThread) {
    tbb::task_arena arena(1);
    arena.execute([] {
        EXPECT_EQ(workers(), 1);
        const auto caller = std::this_thread::get_id();
        std::vector<std::thread::id> ran(50);
        for_each_index(ran.size(), [&](std::size_t i) { ran[i] = std::this_thread::get_id(); });
        EXPECT_EQ(ran, std::vector(50, caller));
        std::thread::id one;
        std::thread::id other;
        together([&] { one = std::this_thread::get_id(); }, [&] { other = std::this_thread::get_id(); });
        EXPECT_EQ(one, caller);
        EXPECT_EQ(other, caller);
    });
}

TEST(Together, BothAreDoneWhenItReturns) {
    for (int round = 0; round < 100; ++round) {
        int one = 0;
        int other = 0;
        together([&] { one = round; }, [&] { other = round; });
        EXPECT_EQ(one, round);
        EXPECT_EQ(other, round);
    }
}

}  // namespace
}  // namespace kymo::parallel
