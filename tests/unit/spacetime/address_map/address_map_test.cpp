#include "spacetime/address_map/address_map.h"

#include "made_recording.h"
#include "recording/reader.h"
#include "spacetime/address_map/merge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tuple>

namespace kymo::spacetime {
namespace {

using recording::AreaKind;
constexpr std::uint64_t kReadWrite = recording::kAreaRead | recording::kAreaWrite;

AreaSpan span(std::uint32_t number, std::uint64_t seen, std::optional<std::uint64_t> gone, std::uint64_t begin,
              std::uint64_t end, std::optional<std::uint64_t> owner = {}) {
    return {.number = number,
            .seen = seen,
            .gone = gone,
            .begin = begin,
            .end = end,
            .protection = kReadWrite,
            .path = {},
            .owner = owner};
}

// "#1 [10,20) 5-9 of 7" …
std::string shown(const MapReadings& readings) {
    std::string text;
    for (const AreaSpan& area : readings.spans) {
        text += fmt::format("#{} [{},{}) {}-{}{} ", area.number, area.begin, area.end, area.seen,
                            area.gone ? std::to_string(*area.gone) : "",
                            area.owner ? " of " + std::to_string(*area.owner) : "");
    }
    return text;
}

TEST(MergedReadings, WhatOneHasSeenBetweenTwoReadingsOfTheOtherIsThere) {
    const MapReadings inside{{5, 50}, {span(1, 5, {}, 10, 20)}};
    const MapReadings outside{{20, 30}, {span(1, 20, {}, 10, 20), span(2, 20, 30, 40, 60)}};
    const MapReadings merged = merge_readings(inside, outside, {});
    EXPECT_EQ(merged.times, (std::vector<std::uint64_t>{5, 20, 30, 50}));
    EXPECT_EQ(shown(merged), "#1 [10,20) 5- #2 [40,60) 20-30 ");
}

TEST(MergedReadings, AnAreaThatGrowsKeepsItsNumberWhoeverSeesIt) {
    const MapReadings inside{{5, 50}, {span(1, 5, 50, 10, 20), span(1, 50, {}, 10, 40)}};
    const MapReadings outside{{20}, {span(9, 20, {}, 10, 30)}};
    EXPECT_EQ(shown(merge_readings(inside, outside, {})), "#1 [10,20) 5-20 #1 [10,30) 20-50 #1 [10,40) 50- ");
}

TEST(MergedReadings, StacksAreThoseOfThreadsThatLive) {
    const MapReadings inside{{5, 50}, {}};
    const MapReadings outside{{20, 30}, {span(1, 20, {}, 10, 20), span(2, 20, {}, 40, 50)}};
    // Thread 7 lives from 15 to 25 on the first; thread 8 only begins at 40.
    EXPECT_EQ(shown(merge_readings(inside, outside, {{19, 7, 15, 25}, {49, 8, 40, 60}})),
              "#1 [10,20) 20-30 of 7 #2 [40,50) 20-50 #1 [10,20) 30-50 ");
}

TEST(MergedReadings, WithoutTheOtherNothingChanges) {
    const MapReadings inside{{5}, {span(3, 5, {}, 10, 20, 4)}};
    EXPECT_EQ(shown(merge_readings(inside, {}, {})), "#3 [10,20) 5- of 4 ");
}

void area(testing::MadeFile& file, std::uint64_t time, std::uint64_t number, std::uint64_t begin, std::uint64_t pid) {
    recording::Area row;
    row.time = time;
    row.area = number;
    row.begin = begin;
    row.end = begin + 0x1000;
    row.protection = kReadWrite;
    row.pid = pid;
    file.own().append(row);
}

void reading(testing::MadeFile& file, std::uint64_t time, std::uint64_t readings, std::uint64_t pid) {
    recording::AreaEnd row;
    row.time = time;
    row.readings = readings;
    row.pid = pid;
    file.own().append(row);
}

TEST(AddressMap, ReadingsFromOutsideBelongToTheirProcessWhileItLives) {
    const testing::TemporaryFolder folder;
    {
        testing::MadeFile launch(folder.path() / "launch.krec", 99);
        launch.own().append(recording::Run{});
        area(launch, 120, 1, 0x5000, 100);
        reading(launch, 120, 1, 100);
        area(launch, 130, 1, 0x6000, 777);  // of a process that has no file
        reading(launch, 130, 1, 777);
        reading(launch, 900, 2, 100);  // of another process that got its number later
        launch.close();
        testing::MadeFile file(folder.path() / "process-100-0.krec", 100);
        recording::Process process;
        process.time = 100;
        process.pid = 100;
        file.own().append(process);
        area(file, 110, 1, 0x1000, 0);
        reading(file, 110, 1, 0);
        reading(file, 150, 2, 0);
        recording::ProcessEnd end;
        end.time = 160;
        file.own().append(end);
        file.close();
    }
    const auto recording = recording::Recording::open(folder.path());
    ASSERT_TRUE(recording);
    const auto map = load_address_map(*recording);
    ASSERT_TRUE(map);
    ASSERT_EQ(map->processes.size(), 1U);
    const ProcessMap& process = map->processes[0];
    EXPECT_EQ(process.pid, 100U);
    EXPECT_EQ(process.readings, (std::vector<std::uint64_t>{110, 120, 150}));
    EXPECT_EQ(process.outside_readings, 1U);
    EXPECT_TRUE(process.has_ended);
    ASSERT_EQ(process.areas.size(), 3U);  // gone at 120 by the other account, back at 150
    EXPECT_EQ(process.areas[1].begin, 0x5000U);
    EXPECT_EQ(process.areas[1].gone, 150U);
}

TEST(AddressMap, MemoryBehindDataIsThatOfAProgramsOwnData) {
    const testing::TemporaryFolder folder;
    {
        testing::MadeFile file(folder.path() / "process-100-0.krec", 100);
        recording::Process process;
        process.pid = 100;
        file.own().append(process);
        std::uint64_t number = 0;
        for (const auto& [begin, path, protection] :
             {std::tuple{0x1000U, "/opt/app", kReadWrite}, std::tuple{0x2000U, "", kReadWrite},
              std::tuple{0x5000U, "anon_inode:[perf_event]", kReadWrite}, std::tuple{0x6000U, "", kReadWrite},
              std::tuple{0x8000U, "/tmp/shared", kReadWrite | recording::kAreaShared},
              std::tuple{0x9000U, "", kReadWrite}}) {
            recording::Area row;
            row.time = 110;
            row.area = ++number;
            row.begin = begin;
            row.end = begin + 0x1000;
            row.kind = static_cast<std::uint64_t>(*path != 0 ? AreaKind::kFile : AreaKind::kAnonymous);
            row.protection = protection;
            row.path = path;
            file.own().append(row);
        }
        file.close();
    }
    const auto map = load_address_map(*recording::Recording::open(folder.path()));
    ASSERT_EQ(map->processes.size(), 1U);
    std::string names;
    for (const AreaSpan& one : map->processes[0].areas) {
        names += area_name(one) + ", ";
    }
    EXPECT_EQ(
        names,
        "app, memory behind the data of app, anon_inode:[perf_event], anonymous memory, shared, anonymous memory, ");
}

AreaSpan file_span(std::uint64_t seen, std::uint64_t begin, std::uint64_t end) {
    AreaSpan area = span(7, seen, {}, begin, end);
    area.kind = AreaKind::kFile;
    area.path = "/opt/data";
    return area;
}

// "data 2 of 20, not known 1 of 10" …
std::string told(const std::vector<RegionFaults>& regions) {
    std::string text;
    for (const RegionFaults& region : regions) {
        text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", region.name, region.samples, region.faults);
    }
    return text;
}

TEST(RegionFaults, TheReadingsAroundName) {
    const MapReadings readings{{10, 50}, {span(1, 10, {}, 100, 200), file_span(10, 300, 400)}};
    EXPECT_EQ(told(faults_by_region(readings, {{20, 150, 10}, {30, 300, 10}, {40, 399, 10}, {45, 400, 5}}, {}, {})),
              "data 2 of 20, anonymous memory 1 of 10, not known 1 of 5");
}

TEST(RegionFaults, OneReadingIsEnoughWhereNothingWasMappedSince) {
    const MapReadings readings{{10, 50}, {span(1, 10, 50, 100, 200), file_span(50, 300, 400)}};
    EXPECT_EQ(told(faults_by_region(readings, {{5, 150, 1}, {20, 150, 1}, {30, 350, 1}, {60, 350, 1}}, {}, {})),
              "anonymous memory 2 of 2, data 2 of 2");
}

TEST(RegionFaults, ARecordedMappingIsWhatCameLast) {
    // At 10 a file, at 50 memory; the mapping at 30 says when.
    const MapReadings readings{{10, 50}, {file_span(10, 100, 200), span(2, 50, {}, 100, 200)}};
    MapReadings changed = readings;
    changed.spans[0].gone = 50;
    const std::vector<RecordedMapping> mappings{{30, 100, 200}};
    EXPECT_EQ(told(faults_by_region(changed, {{40, 150, 1}}, mappings, {})), "anonymous memory 1 of 1");
    // Before it nothing tells: the readings differ.
    EXPECT_EQ(told(faults_by_region(changed, {{20, 150, 1}}, mappings, {})), "not known 1 of 1");
    // Mapped and gone again before the next reading.
    const MapReadings empty{{10, 50}, {}};
    EXPECT_EQ(told(faults_by_region(empty, {{40, 150, 1}}, mappings, {})),
              "memory that was gone at the next reading of the map 1 of 1");
}

TEST(RegionFaults, AStackIsAThreadsWhileThatLives) {
    const MapReadings readings{{10, 50}, {span(1, 10, {}, 100, 200)}};
    // The stack ends at 180; what lies above it in the area is not of it.
    const std::vector<ThreadStack> stacks{{179, 77, 15, 35}};
    EXPECT_EQ(told(faults_by_region(readings, {{20, 150, 1}, {20, 190, 1}, {40, 150, 1}}, {}, stacks)),
              "anonymous memory 2 of 2, stack of thread 77 1 of 1");
}

}  // namespace
}  // namespace kymo::spacetime
