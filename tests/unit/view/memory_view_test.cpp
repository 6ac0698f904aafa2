// Memory over time on a terminal and in JSON, from values that are known.
#include "view/memory/memory.h"

#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace kymo::view {
namespace {

constexpr std::uint64_t kMib = 1024 * 1024;
constexpr std::uint64_t kSecond = 1'000'000'000;

spacetime::Profile ten_seconds() {
    spacetime::Profile profile;
    profile.begin = 100 * kSecond;
    profile.end = 110 * kSecond;
    for (const std::uint64_t pid : {7U, 8U, 9U}) {
        spacetime::ProfileProcess process;
        process.pid = pid;
        process.name = pid == 7 ? "app" : "tool";
        process.begin = 100 * kSecond;
        profile.processes.push_back(process);
    }
    return profile;
}

// app: 40 MiB, from 2 s 64, from 6 s 16; tool 8: 10 MiB from 4 to 5 s.
spacetime::MemoryOverTime two_processes() {
    spacetime::MemoryOverTime memory;
    memory.processes.push_back({.pid = 7,
                                .host = {},
                                .rank = {},
                                .points = {{100 * kSecond, 40 * kMib, 3 * kMib},
                                           {102 * kSecond, 64 * kMib, 3 * kMib},
                                           {106 * kSecond, 16 * kMib, 3 * kMib}}});
    memory.processes.push_back(
        {.pid = 8, .host = {}, .rank = {}, .points = {{104 * kSecond, 10 * kMib, 1 * kMib}}, .ended = 105 * kSecond});
    memory.all = {{100 * kSecond, 40 * kMib, 3 * kMib},
                  {102 * kSecond, 64 * kMib, 3 * kMib},
                  {104 * kSecond, 74 * kMib, 4 * kMib},
                  {105 * kSecond, 64 * kMib, 3 * kMib},
                  {106 * kSecond, 16 * kMib, 3 * kMib}};
    return memory;
}

TEST(MemoryView, TheSectionHasAllTogetherAndEach) {
    const std::string text = terminal_memory({.width = 100, .unicode = false}, ten_seconds(), two_processes(), 5);
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) {
        lines.push_back(line);
    }
    ASSERT_GE(lines.size(), 6U);
    EXPECT_EQ(lines[1], "Memory over time  resident, read by kymo record from outside");
    using testing::ContainsRegex;
    EXPECT_THAT(lines[3], ContainsRegex("40.0 MiB +74.0 MiB +4.00 s +16.0 MiB +----########[.]{8} +all 2 together"));
    EXPECT_THAT(lines[4], ContainsRegex("40.0 MiB +64.0 MiB +2.00 s +16.0 MiB +====########[.]{8} +app 7"));
    EXPECT_THAT(lines[5], ContainsRegex("10.0 MiB +10.0 MiB +4.00 s +10.0 MiB +## +tool 8"));
    EXPECT_THAT(text, testing::HasSubstr("Not known of 1 process"));
    EXPECT_THAT(text, testing::HasSubstr("Of the highest 64.0 MiB, 3.0 MiB were pages of files"));
}

TEST(MemoryView, OneLine) {
    EXPECT_EQ(memory_line({}, ten_seconds(), two_processes()),
              "  Memory: at most 74.0 MiB at 4.00 s in 2 processes, 64.0 MiB in app 7\n");
    spacetime::MemoryOverTime one = two_processes();
    one.processes.pop_back();
    one.all = one.processes[0].points;
    EXPECT_EQ(memory_line({}, ten_seconds(), one),
              "  Memory: 40.0 MiB at first, at most 64.0 MiB at 2.00 s, 16.0 MiB last\n");
}

TEST(MemoryView, WhatIsNotKnownIsSaidAndNeverZero) {
    spacetime::MemoryOverTime none;
    none.why_not = "no /proc here";
    EXPECT_EQ(memory_line({}, ten_seconds(), none), "");
    EXPECT_EQ(terminal_memory({}, ten_seconds(), none, 5), "\nMemory over time\n  Not known: no /proc here.\n");
    const auto json = json_memory(ten_seconds(), none);
    EXPECT_EQ(json["why_not"], "no /proc here");
    EXPECT_TRUE(json["together"].is_null());
    EXPECT_TRUE(json["processes"].empty());
    EXPECT_EQ(json["unknown_processes"], 3);
}

TEST(MemoryView, JsonHasTheCourseInSixtyParts) {
    const auto json = json_memory(ten_seconds(), two_processes());
    EXPECT_TRUE(json["why_not"].is_null());
    EXPECT_EQ(json["unknown_processes"], 1) << "9";
    const auto& app = json["processes"][0];
    EXPECT_EQ(app["name"], "app 7");
    EXPECT_EQ(app["peak_bytes"], 64 * kMib);
    EXPECT_EQ(app["peak_shared_bytes"], 3 * kMib);
    EXPECT_EQ(app["peak_s"], 2.0);
    EXPECT_EQ(app["last_bytes"], 16 * kMib);
    EXPECT_TRUE(app["ended_s"].is_null());
    const auto& tool = json["processes"][1];
    EXPECT_EQ(tool["ended_s"], 5.0);
    ASSERT_EQ(tool["highest_bytes"].size(), 60U);
    for (std::size_t part = 0; part < 60; ++part) {  // 4 to 5 s are parts 24 to 29
        EXPECT_EQ(tool["highest_bytes"][part].is_null(), part < 24 || part > 29) << part;
    }
}

}  // namespace
}  // namespace kymo::view
