// What of a metric's snapshots goes into a recording.
#include "metrics/series.h"

#include "recording/reader.h"
#include "recording/tables/metrics.h"
#include "recording/writer.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kymo::metrics {
namespace {

using Rows = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // time, value

cells::Snapshot snapshot_at(std::uint64_t time, std::uint64_t value) {
    constexpr std::uint32_t kCell = 1;
    cells::Snapshot snapshot;
    snapshot.time = time;
    snapshot.pid = 7;
    snapshot.schema.push_back({cells::ResourceKind::kTask, kCell, cells::MetricType::kCounter,
                               cells::Origin::kDescription, "", "calls", ""});
    cells::RowValues row;
    row.number = 71;
    row.begin = 50;
    row.state = cells::RowState::kLive;
    row.cells = {0, value};
    cells::TableValues table;
    table.kind = cells::ResourceKind::kTask;
    table.cells = 2;
    table.rows.push_back(row);
    snapshot.tables.push_back(table);
    return snapshot;
}

// The last of `snapshots` is the segment's final one where `has_last`.
Rows written(const std::vector<cells::Snapshot>& snapshots, bool has_last = false) {
    const auto folder = std::filesystem::temp_directory_path() / ("kymo-series-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    recording::FileWriter file;
    EXPECT_EQ(file.create((folder / "launch.krec").c_str(), {}), 0);
    recording::StreamWriter stream;
    stream.open(file, StreamId{0});
    Series series;
    for (std::size_t i = 0; i < snapshots.size(); ++i) {
        series.write(snapshots[i], has_last && i + 1 == snapshots.size(), stream);
    }
    EXPECT_EQ(file.close(), 0);
    Rows rows;
    const auto read = recording::Recording::open(folder);
    EXPECT_TRUE(read);
    for (const recording::File& each : read->files()) {
        EXPECT_TRUE(each.scan(recording::on<recording::MetricValue>(
            [&](StreamId, const recording::MetricValue& row) { rows.emplace_back(row.time, row.value); })));
    }
    std::filesystem::remove_all(folder);
    return rows;
}

TEST(Series, TellsAChangeWhereItWas) {
    const Rows rows = written({snapshot_at(100, 0), snapshot_at(200, 0), snapshot_at(300, 0), snapshot_at(400, 5),
                               snapshot_at(500, 6), snapshot_at(600, 6)});
    // Nothing while it stays; before the change what it still was.
    EXPECT_EQ(rows, (Rows{{100, 0}, {300, 0}, {400, 5}, {500, 6}}));
}

// A timer that was started at 50, and runs.
cells::Snapshot running_at(std::uint64_t time, std::uint64_t ended = 0) {
    cells::Snapshot snapshot = snapshot_at(time, 0);
    snapshot.ended = ended;
    const std::uint64_t until = ended == 0 ? time : ended;
    snapshot.tables[0].rows[0].running.push_back({.number = 0, .depth = 1, .cell = 1, .so_far = until - 50});
    return snapshot;
}

TEST(Series, ATimerRunsUntilTheProcessEnds) {
    EXPECT_EQ(written({running_at(200), running_at(300, 280)}, true).back(),
              std::pair(std::uint64_t{300}, std::uint64_t{230}));
    EXPECT_EQ(written({running_at(300, 280)}, true), (Rows{{300, 230}}));
}

TEST(Series, ATimerOfAKilledProcessRunsUntilTheProcessWasSeenLast) {
    const Rows rows = written({running_at(200), running_at(300)}, true);
    EXPECT_EQ(rows.back().second, 150U) << "not 0, and not up to 300, when it was no more";
    EXPECT_EQ(written({running_at(300)}, true).back().second, 0U) << "it was never seen before";
}

}  // namespace
}  // namespace kymo::metrics
