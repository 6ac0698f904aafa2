// What metrics came to, from rows that are known.

#include "../../recording/temporary_folder.h"
#include "recording/tables/metrics.h"
#include "recording/writer.h"
#include "spacetime/metrics/load_run_metrics.h"
#include "view/metrics.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

constexpr std::uint64_t kSecond = 1'000'000'000;

class RunMetricsTest : public ::testing::Test {
  protected:
    // One launcher's file of a run from 100 s to 160 s.
    void write(const char* name, const char* host, const std::function<void(rec::StreamWriter&)>& rows) {
        rec::FileWriter file;
        ASSERT_EQ(file.create((folder_ / name).c_str(), {}), 0);
        rec::StreamWriter stream;
        stream.open(file, StreamId{0});
        rec::write_schemas(stream);
        rec::for_each_metric_row([&]<typename Row>() { rec::write_schema<Row>(stream); });
        rec::Run run;
        run.time = 100 * kSecond;
        run.host = host;
        stream.append(run);
        rows(stream);
        rec::RunEnd end;
        end.time = 160 * kSecond;
        stream.append(end);
        ASSERT_EQ(file.close(), 0);
    }
    RunMetrics load() {
        const auto recording = rec::Recording::open(folder_.path());
        EXPECT_TRUE(recording);
        auto loaded = load_run_metrics(recording->files());
        EXPECT_TRUE(loaded);
        return std::move(*loaded);
    }
    testing::TemporaryFolder folder_;
};

rec::MetricRow metric(std::uint64_t number, std::uint64_t kind, const char* name, std::uint64_t type,
                      std::uint64_t origin = 2) {
    rec::MetricRow row;
    row.number = number;
    row.kind = kind;
    row.name = name;
    row.type = type;
    row.origin = origin;
    row.unit = "things";
    return row;
}

rec::MetricObject object(std::uint64_t id, std::uint64_t kind, std::uint64_t pid, std::uint64_t number) {
    rec::MetricObject row;
    row.object = id;
    row.kind = kind;
    row.pid = pid;
    row.number = number;
    return row;
}

rec::MetricValue value(std::uint64_t second, std::uint64_t metric, std::uint64_t object, std::uint64_t value) {
    return {second * kSecond, metric, object, value};
}

TEST_F(RunMetricsTest, AddUpOverThreadsProcessesAndHosts) {
    write("launch-0.krec", "one", [](rec::StreamWriter& rows) {
        rows.append(metric(1, 1, "sent", 1));
        rows.append(metric(2, 1, "largest", 3));
        rows.append(object(1, 1, 7, 71));
        rows.append(object(2, 1, 8, 81));
        rows.append(value(110, 1, 1, 10));
        rows.append(value(130, 1, 1, 30));
        rows.append(value(120, 1, 2, 5));
        rows.append(value(120, 2, 1, 50));
        rows.append(value(120, 2, 2, 60));
    });
    write("launch-1.krec", "two", [](rec::StreamWriter& rows) {
        rows.append(metric(9, 1, "sent", 1));
        rows.append(object(4, 1, 9, 91));
        rows.append(value(160, 9, 4, 100));
    });
    const RunMetrics run = load();
    ASSERT_EQ(run.hosts.size(), 2U);
    EXPECT_EQ(run.hosts[0].name, "one");
    EXPECT_EQ(run.hosts[1].name, "two");
    EXPECT_FALSE(run.is_by_ring());
    const RunMetric* sent = run.find(Resource::kTask, "sent");
    ASSERT_NE(sent, nullptr);
    EXPECT_EQ(sent->total(), 135U);
    EXPECT_EQ(sent->objects.front().value, 100U);
    EXPECT_EQ(sent->aggregate(ResourceLevel::kObject, 71).sum, 30U);
    EXPECT_EQ(sent->aggregate(ResourceLevel::kProcess, 8).sum, 5U);
    EXPECT_EQ(sent->aggregate(ResourceLevel::kHost, 0).sum, 35U);
    EXPECT_EQ(sent->aggregate(ResourceLevel::kHost, 1).sum, 100U);
    EXPECT_EQ(run.find(Resource::kTask, "largest")->total(), 60U);
    EXPECT_NEAR(std::accumulate(sent->bins.begin(), sent->bins.end(), 0.0), 135, 1e-9);
    // A second a bin: 10 from 100 to 110 s, 20 from there to 130, 5 from 100 to 120, 100 over all of it.
    EXPECT_NEAR(sent->bins[5], 10.0 / 10 + 5.0 / 20 + 100.0 / 60, 1e-9);
    EXPECT_NEAR(sent->bins[45], 100.0 / 60, 1e-9);
}

// Each rank's host has a monotonic clock of its own: the second's is 40 s behind, as the wall clock tells.
TEST_F(RunMetricsTest, RanksOfOtherHostsLieOnTheFirstOnesClock) {
    const auto rank = [](std::uint64_t number, const char* host, std::uint64_t wall) {
        return [=](rec::StreamWriter& rows) {
            rows.append(rec::Rank{number, 2, host});
            rows.append(rec::ClockPair{100 * kSecond, wall, 2});
            rows.append(metric(1, 1, "sent", 1));
            rows.append(object(1, 1, 7, 71));
            rows.append(value(110, 1, 1, 0));
            rows.append(value(120, 1, 1, 10));
        };
    };
    write("launch-0.krec", "one", rank(0, "one", 5'000 * kSecond));
    write("launch-1.krec", "two", rank(1, "two", 5'040 * kSecond));
    const RunMetrics run = load();
    EXPECT_EQ(run.begin, 100 * kSecond);
    EXPECT_EQ(run.end, 200 * kSecond) << "of the second host: 160 s, 40 s later";
    const RunMetric& sent = *run.find(Resource::kTask, "sent");
    ASSERT_EQ(sent.host_bins.size(), 2U);
    const double width = 100.0 / static_cast<double>(kMetricBins);
    for (std::size_t host = 0; host < 2; ++host) {
        EXPECT_NEAR(std::accumulate(sent.host_bins[host].begin(), sent.host_bins[host].end(), 0.0), 10, 1e-9);
        const double begin = host == 0 ? 10 : 50;
        for (std::size_t bin = 0; bin < kMetricBins; ++bin) {
            const double from = std::max(static_cast<double>(bin) * width, begin);
            const double to = std::min(static_cast<double>(bin + 1) * width, begin + 10);
            EXPECT_NEAR(sent.host_bins[host][bin], std::max(to - from, 0.0), 1e-9) << host << " in bin " << bin;
        }
    }
}

TEST_F(RunMetricsTest, ProcessorsCountFromTheirFirstReadingAndGaugesHold) {
    write("launch.krec", "one", [](rec::StreamWriter& rows) {
        rows.append(metric(1, 2, "busy", 1, 1));
        rows.append(metric(2, 1, "depth", 2));
        rows.append(object(1, 2, 0, 3));
        rows.append(object(2, 1, 7, 71));
        rows.append(value(110, 1, 1, 1'000'000));
        rows.append(value(140, 1, 1, 1'000'500));
        rows.append(value(110, 2, 2, 3));
        rows.append(value(130, 2, 2, UINT64_MAX));
    });
    const RunMetrics run = load();
    EXPECT_EQ(run.find(Resource::kProcessor, "busy")->total(), 500U);
    const RunMetric* depth = run.find(Resource::kTask, "depth");
    EXPECT_EQ(depth->bins[5], 0);
    EXPECT_EQ(depth->bins[15], 3);
    EXPECT_EQ(run.metrics.front().name, "depth");  // the program's own first
    EXPECT_EQ(view::json_metrics(run)[0]["total"], -1);
}

TEST_F(RunMetricsTest, DamagedRowsAreLeftOut) {
    write("launch.krec", "one", [](rec::StreamWriter& rows) {
        rows.append(metric(1, 1, "sent", 1));
        rows.append(metric(2, 77, "of nothing", 1));
        rows.append(metric(3, 1, "odd", 99, 99));
        rows.append(object(1, 1, 7, 71));
        rows.append(object(2, 2, 7, 71));
        rows.append(object(3, 99, 7, 71));
        rows.append(value(110, 1, 99, 1));
        rows.append(value(110, 99, 1, 1));
        rows.append(value(110, 1, 2, 1));
        rows.append(value(110, 2, 3, 1));
        rows.append(value(0, 3, 1, 5));
        rows.append(value(UINT64_MAX / kSecond, 3, 1, 6));
    });
    const RunMetrics run = load();
    ASSERT_EQ(run.metrics.size(), 1U);
    EXPECT_EQ(run.metrics[0].name, "odd");
    EXPECT_EQ(run.metrics[0].total(), 6U);
}

TEST_F(RunMetricsTest, ARecordingWithoutMetricsHasNone) {
    write("launch.krec", "one", [](rec::StreamWriter&) {});
    const RunMetrics run = load();
    EXPECT_TRUE(run.metrics.empty());
    EXPECT_EQ(view::terminal_metrics({}, run, 10), "");
    EXPECT_TRUE(view::json_metrics(run).empty());
}

void collect(const nlohmann::ordered_json& json, std::vector<std::string>* names) {
    for (const auto& [key, inner] : json.items()) {
        if (json.is_object()) {
            names->push_back(key);
        }
        if (inner.is_structured()) {
            collect(inner, names);
        }
    }
}

TEST_F(RunMetricsTest, AsDataHaveTheDocumentedKeysAndShowOnATerminal) {
    write("launch.krec", "one", [](rec::StreamWriter& rows) {
        rows.append(metric(1, 3, "messages", 1, 1));
        rows.append(metric(2, 1, "sent", 1));
        rec::MetricObject channel = object(1, 3, 7, 0);
        channel.peer = 5;
        channel.direction = 1;
        rows.append(channel);
        rows.append(object(2, 1, 7, 71));
        rows.append(value(110, 1, 1, 3));
        rows.append(value(110, 2, 2, 1234));
    });
    const RunMetrics run = load();
    const nlohmann::ordered_json json = view::json_metrics(run);
    EXPECT_EQ(json[1]["objects"][0]["direction"], "receive");
    EXPECT_EQ(json[1]["objects"][0]["peer"], 5);
    std::ifstream file(KYMO_TEST_DOCS "/json.md");
    std::stringstream text;
    text << file.rdbuf();
    std::vector<std::string> names;
    collect(json, &names);
    EXPECT_GT(names.size(), 15U);
    for (const std::string& name : names) {
        EXPECT_THAT(text.str(), ::testing::HasSubstr("`" + name + "`"));
    }
    const std::string shown = view::terminal_metrics({}, run, 10);
    EXPECT_THAT(shown, ::testing::HasSubstr("1,234 things"));
    EXPECT_THAT(shown, ::testing::HasSubstr("channel messages"));
}

}  // namespace
}  // namespace kymo::spacetime
