// Memory of processes over time, from rows that are known.
#include "spacetime/memory/memory_over_time.h"

#include "../../recording/temporary_folder.h"
#include "recording/tables.h"
#include "recording/tables/memory.h"
#include "recording/writer.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

class MemoryOverTimeTest : public ::testing::Test {
  protected:
    void write(const char* name, const std::vector<rec::Memory>& rows, const std::optional<rec::Rank>& rank = {},
               const std::optional<rec::ClockPair>& clock = {}, const char* why_not = nullptr) {
        rec::FileWriter file;
        ASSERT_EQ(file.create((folder_ / name).c_str(), {}), 0);
        rec::StreamWriter stream;
        stream.open(file, StreamId{0});
        rec::write_schemas(stream);
        if (rank) {
            stream.append(*rank);
        }
        if (clock) {
            stream.append(*clock);
        }
        if (why_not != nullptr) {
            stream.append(rec::Unavailable{.what = rec::kMemoryOverTime, .why = why_not});
        }
        for (const rec::Memory& row : rows) {
            stream.append(row);
        }
        ASSERT_EQ(file.close(), 0);
    }
    MemoryOverTime load() {
        const auto recording = rec::Recording::open(folder_.path());
        EXPECT_TRUE(recording);
        return memory_over_time(rec::read_each<MemoryRows>(recording->files()).value());
    }
    testing::TemporaryFolder folder_;
};

using Points = std::vector<MemoryPoint>;

TEST_F(MemoryOverTimeTest, EachProcessHasItsCourseAndTheyAddUp) {
    write("launch.krec", {{100, 7, 40, 10}, {110, 8, 60, 20}, {120, 7, 70, 10}, {130, 8, 0, 0}, {140, 7, 20, 10}});
    const MemoryOverTime memory = load();
    ASSERT_TRUE(memory.is_known());
    ASSERT_EQ(memory.processes.size(), 2U);
    EXPECT_EQ(memory.processes[0].pid, 7U);  // 70 at its peak
    EXPECT_EQ(memory.processes[0].points, (Points{{100, 40, 10}, {120, 70, 10}, {140, 20, 10}}));
    EXPECT_EQ(memory.processes[0].ended, std::nullopt);
    EXPECT_EQ(memory.processes[1].pid, 8U);
    EXPECT_EQ(memory.processes[1].ended, 130U);
    EXPECT_EQ(memory.all, (Points{{100, 40, 10}, {110, 100, 30}, {120, 130, 30}, {130, 70, 10}, {140, 20, 10}}));
    EXPECT_EQ(peak_of(memory.all), (MemoryPoint{120, 130, 30}));
}

TEST_F(MemoryOverTimeTest, ANumberThatIsUsedAgainIsAnotherProcess) {
    write("launch.krec", {{100, 7, 40, 0}, {110, 7, 0, 0}, {120, 7, 30, 0}});
    const MemoryOverTime memory = load();
    ASSERT_EQ(memory.processes.size(), 2U);
    EXPECT_EQ(memory.processes[0].ended, 110U);
    EXPECT_EQ(memory.processes[1].points, (Points{{120, 30, 0}}));
    EXPECT_EQ(memory.all, (Points{{100, 40, 0}, {110, 0, 0}, {120, 30, 0}}));
}

// The second host's clock is 1,000 behind: at the same moment of the wall clock it says 1,000 less.
TEST_F(MemoryOverTimeTest, RanksOfOtherHostsLieOnTheFirstOnesClock) {
    write("launch-0.krec", {{5000, 7, 40, 0}}, rec::Rank{.rank = 0, .size = 2, .host = "one"},
          rec::ClockPair{.monotonic = 5000, .realtime = 90'000});
    write("launch-1.krec", {{4100, 7, 50, 0}, {4200, 7, 0, 0}}, rec::Rank{.rank = 1, .size = 2, .host = "two"},
          rec::ClockPair{.monotonic = 4000, .realtime = 90'000});
    const MemoryOverTime memory = load();
    ASSERT_EQ(memory.processes.size(), 2U);
    EXPECT_EQ(memory.processes[0].host, "two");
    EXPECT_EQ(memory.processes[0].rank, 1U);
    EXPECT_EQ(memory.processes[0].points, (Points{{5100, 50, 0}}));
    EXPECT_EQ(memory.processes[0].ended, 5200U);
    EXPECT_EQ(memory.all, (Points{{5000, 40, 0}, {5100, 90, 0}, {5200, 40, 0}}));
}

TEST_F(MemoryOverTimeTest, WithoutRowsItIsNotKnown) {
    write("launch.krec", {});
    EXPECT_FALSE(load().is_known());
    EXPECT_NE(load().why_not.find("earlier versions"), std::string::npos);
}

TEST_F(MemoryOverTimeTest, TheReasonIsTheRecordings) {
    write("launch.krec", {}, {}, {}, "no /proc here");
    EXPECT_EQ(load().why_not, "no /proc here");
}

// An end of what never was.
TEST_F(MemoryOverTimeTest, AnEndAloneIsNoProcess) {
    write("launch.krec", {{100, 7, 0, 0}});
    EXPECT_FALSE(load().is_known());
}

TEST(HighestByPart, AValueHoldsUntilTheNext) {
    const Points points{{10, 40, 0}, {25, 90, 0}, {29, 20, 0}, {60, 30, 0}};
    using Parts = std::vector<std::optional<std::uint64_t>>;
    EXPECT_EQ(highest_by_part(points, 75, 0, 100, 10),
              (Parts{std::nullopt, 40, 90, 20, 20, 20, 30, 30, std::nullopt, std::nullopt}));
    EXPECT_EQ(highest_by_part(points, std::nullopt, 0, 100, 4), (Parts{40, 90, 30, 30}));
}

TEST(HighestByPart, WhatIsOutsideIsAtTheEdge) {
    using Parts = std::vector<std::optional<std::uint64_t>>;
    EXPECT_EQ(highest_by_part({{5, 40, 0}}, std::nullopt, 10, 30, 2), (Parts{40, 40}));
    EXPECT_EQ(highest_by_part({{50, 40, 0}}, std::nullopt, 10, 30, 2), (Parts{std::nullopt, 40}));
}

TEST(Thinned, PeaksAndTheEndStay) {
    Points points;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        points.push_back({i, i == 333 ? 500 : i % 10, 0});
    }
    EXPECT_EQ(thinned(points, 1000), points);
    const Points few = thinned(points, 20);
    EXPECT_LE(few.size(), 20U);
    EXPECT_EQ(peak_of(few), (MemoryPoint{333, 500, 0}));
    EXPECT_EQ(few.back(), points.back());
    EXPECT_TRUE(std::is_sorted(few.begin(), few.end(), [](const auto& a, const auto& b) { return a.time < b.time; }));
}

}  // namespace
}  // namespace kymo::spacetime
