// One file's rows about metrics, as they were written: what run_metrics.h is made from.
#pragma once

#include "recording/handlers.h"
#include "recording/tables.h"
#include "spacetime/metrics/run_metrics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::spacetime {

// A reader of rows (recording/handlers.h). Not thread-safe; bounded by the rows.
class MetricRows {
  public:
    struct Point {
        std::uint64_t time = 0;
        std::uint64_t value = 0;
    };

    void read_from(const recording::File& file, recording::Handlers& handlers);
    void end(const recording::ScanReport& report);

    [[nodiscard]] bool is_of_rank() const { return rank.has_value(); }

    RunHost host;
    std::uint32_t host_number = 0;
    std::optional<recording::ClockPair> clock_pair;
    std::optional<std::uint64_t> rank;
    std::string rank_host;
    std::vector<std::uint64_t> processes;
    std::uint64_t begin = 0;
    std::uint64_t end_time = 0;
    std::vector<Absence> absences;  // each once
    std::map<std::uint64_t, RunMetric> metrics;
    std::map<std::uint64_t, std::pair<Resource, MetricOfObject>> objects;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Point>> values;  // by metric and object

  private:
    void take_mark(const recording::Mark& row);
    void take_metric(const recording::MetricRow& row);
    void take_object(const recording::MetricObject& row);
};

// Those of `from` that `to` does not have, up to kMaxAbsences.
void add_absences(const std::vector<Absence>& from, std::vector<Absence>& to);

}  // namespace kymo::spacetime
