// Whole runs with a stand-in for the monitor, and what their log says.
#pragma once

#include "launch/record.h"
#include "launch/run_log.h"
#include "recording/reader.h"
#include "temporary_folder.h"

#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kymo::launch {

// What a test asks of launch.krec.
struct Log {
    std::vector<std::string> commands;
    std::vector<recording::RunEnd> ends;
    std::vector<std::string> missing;
    std::vector<std::uint64_t> clock_pairs;
    std::vector<recording::Task> tasks;  // names not kept
    std::vector<std::string> task_names;
    std::vector<recording::Switch> switches;
    std::vector<recording::Mapping> mappings;
    std::uint64_t damages = 0;
};

inline Log read_log(const std::filesystem::path& folder) {
    Log log;
    const auto file = recording::File::open(folder / kLaunchFile);
    EXPECT_TRUE(file) << file.error().what;
    const auto report = file->scan(
        recording::on<recording::Run>(
            [&](StreamId, const recording::Run& row) { log.commands.emplace_back(row.command); }),
        recording::on<recording::RunEnd>([&](StreamId, const recording::RunEnd& row) { log.ends.push_back(row); }),
        recording::on<recording::Unavailable>(
            [&](StreamId, const recording::Unavailable& row) { log.missing.emplace_back(row.what); }),
        recording::on<recording::ClockPair>(
            [&](StreamId, const recording::ClockPair& row) { log.clock_pairs.push_back(row.error); }),
        recording::on<recording::Task>([&](StreamId, const recording::Task& row) {
            log.tasks.push_back(row);
            log.task_names.emplace_back(row.name);
        }),
        recording::on<recording::Mapping>(
            [&](StreamId, const recording::Mapping& row) { log.mappings.push_back(row); }),
        recording::on<recording::Switch>(
            [&](StreamId, const recording::Switch& row) { log.switches.push_back(row); }));
    EXPECT_TRUE(report);
    log.damages = report->damages;
    return log;
}

class RecordTest : public testing::Test {
  protected:
    static RecordOptions shell(const std::string& script) {
        RecordOptions options;
        options.command = {"/bin/sh", "-c", script};
        options.monitor = NOTE_MONITOR;
        return options;
    }

    // Records and reads back what every run must have.
    Log record_and_read(const RecordOptions& options, RecordOutcome& outcome) {
        auto result = record(options);
        EXPECT_TRUE(result) << result.error().what;
        if (!result) {
            return {};
        }
        outcome = std::move(*result);
        Log log = read_log(outcome.recording);
        EXPECT_EQ(log.damages, 0U);
        EXPECT_EQ(log.commands.size(), 1U);
        EXPECT_EQ(log.clock_pairs.size(), 2U);
        EXPECT_EQ(log.ends.size(), 1U);
        if (!log.ends.empty()) {
            EXPECT_EQ(log.ends[0].wait_status, static_cast<std::uint64_t>(outcome.wait_status));
            EXPECT_EQ(log.ends[0].reason, static_cast<std::uint64_t>(outcome.reason));
        }
        return log;
    }

    TemporaryFolder folder_;
};

}  // namespace kymo::launch
