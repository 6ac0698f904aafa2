// Which readings of a process's memory become rows.
#include "launch/run/resident_rows.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

namespace kymo::launch {
namespace {

constexpr std::uint64_t kKib = 1024;
constexpr std::uint64_t kMib = 1024 * kKib;

using Rows = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // time, bytes

// Appends.
void gather(const std::vector<recording::Memory>& rows, Rows& all) {
    for (const recording::Memory& row : rows) {
        EXPECT_EQ(row.pid, 7U);
        all.emplace_back(row.time, row.resident_bytes);
    }
}

Rows rows_of(const Rows& readings, bool has_ended = false, std::uint64_t end = 0) {
    ResidentRows rows(7);
    Rows all;
    for (const auto& [time, bytes] : readings) {
        gather(rows.take(time, {bytes, 0}), all);
    }
    gather(rows.end(end, has_ended), all);
    return all;
}

TEST(Statm, PagesBecomeBytes) {
    // size resident shared text lib data dt, as the kernel prints them
    EXPECT_EQ(parse_statm("5000 1200 300 10 0 900 0\n", 4096), (Resident{1200 * 4096, 300 * 4096}));
    EXPECT_EQ(parse_statm("5000 1200 300 10 0 900 0\n", 65536), (Resident{1200 * 65536, 300 * 65536}));
}

TEST(Statm, AProcessThatHasEndedHasNoMemory) {
    EXPECT_EQ(parse_statm("0 0 0 0 0 0 0\n", 4096), std::nullopt);
}

TEST(Statm, WhatIsNoneIsNotKnown) {
    for (const char* text : {"", "5000", "5000 1200", "5000 1200 x", "-1 2 3", "99999999999999999999999 1 1"}) {
        EXPECT_EQ(parse_statm(text, 4096), std::nullopt) << text;
    }
}

// The kernel adds the three numbers up one after the other.
TEST(Statm, SharedIsNeverMoreThanResident) {
    EXPECT_EQ(parse_statm("5000 100 101 0 0 0 0", 4096), (Resident{100 * 4096, 100 * 4096}));
}

TEST(ResidentRows, TheFirstReadingIsARowAndSteadyMemoryIsNone) {
    EXPECT_EQ(rows_of({{10, 8 * kMib}, {20, 8 * kMib}, {30, 8 * kMib}}), (Rows{{10, 8 * kMib}}));
}

TEST(ResidentRows, SmallMemoryChangesBySixtyFourKib) {
    EXPECT_EQ(rows_of({{10, kMib}, {20, kMib + 63 * kKib}, {30, kMib + 64 * kKib}, {40, kMib + kKib}}),
              (Rows{{10, kMib}, {30, kMib + 64 * kKib}}));  // the last differs by 63 KiB from its row
}

TEST(ResidentRows, LargeMemoryChangesByOnePercent) {
    EXPECT_EQ(rows_of({{10, 1000 * kMib}, {20, 1009 * kMib}, {30, 1010 * kMib}, {40, 1000 * kMib}}),
              (Rows{{10, 1000 * kMib}, {30, 1010 * kMib}}));  // 10 of 1010 are less than 1 %
}

TEST(ResidentRows, ASlowDriftIsSeen) {
    Rows readings;
    for (std::uint64_t i = 0; i <= 128; ++i) {
        readings.emplace_back(i, kMib + i * kKib);  // never 64 KiB from one reading to the next
    }
    EXPECT_EQ(rows_of(readings), (Rows{{0, kMib}, {64, kMib + 64 * kKib}, {128, kMib + 128 * kKib}}));
}

TEST(ResidentRows, TheEndOfAProcessIsARowOfNoMemory) {
    EXPECT_EQ(rows_of({{10, kMib}}, true, 30), (Rows{{10, kMib}, {30, 0}}));
    EXPECT_EQ(rows_of({}, true, 30), Rows{}) << "it was never read";
    EXPECT_EQ(rows_of({{10, kMib}}, false, 30), (Rows{{10, kMib}})) << "the run ended before it";
}

// A day of memory that goes up and down at every reading.
TEST(ResidentRows, ADayIsBounded) {
    constexpr std::uint64_t kStep = 100'000'000;
    constexpr std::uint64_t kReadings = 864'000;
    constexpr std::uint64_t kPeakAt = 700'001;  // the one reading of 900 MiB
    ResidentRows rows(7);
    Rows all;
    for (std::uint64_t i = 0; i < kReadings; ++i) {
        const std::uint64_t mib = i == kPeakAt ? 900 : i % 2 == 0 ? 100 : 200;
        gather(rows.take(i * kStep, {mib * kMib, 0}), all);
    }
    gather(rows.end(kReadings * kStep, true), all);
    EXPECT_LT(all.size(), 25'000U);
    EXPECT_GT(all.size(), 10'000U);
    EXPECT_NE(std::find(all.begin(), all.end(), std::pair(kPeakAt * kStep, 900 * kMib)), all.end())
        << "a peak is never left out";
    EXPECT_EQ(all.back(), std::pair(kReadings * kStep, std::uint64_t{0}));
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
}

}  // namespace
}  // namespace kymo::launch
