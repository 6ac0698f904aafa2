// Snapshots of segments become rows of a recording: each metric's value whenever it has changed.
//
// One thread. Bounded by the objects there are; of tasks, standard metrics are written at their last snapshot only
// (samples tell them better), all others at every one.
#pragma once

#include "cells/reader/snapshot.h"
#include "recording/writer.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

namespace kymo::metrics {

class Series {
  public:
    // `last`: the segment's final snapshot.
    void write(const cells::Snapshot& snapshot, bool last, recording::StreamWriter& rows);

  private:
    using MetricKey = std::tuple<cells::ResourceKind, std::string>;
    using ObjectKey = std::tuple<std::uint32_t, std::uint32_t, cells::ResourceKind, std::uint64_t, std::uint32_t,
                                 std::uint64_t>;  // pid, image, kind, number, writer, begin

    struct Described {
        std::uint64_t number = 0;
        cells::Metric metric;
    };

    std::uint64_t metric_number(const cells::Metric& metric, recording::StreamWriter& rows);
    std::uint64_t object_number(const cells::Snapshot& snapshot, const cells::TableValues& table,
                                const cells::RowValues& row, recording::StreamWriter& rows);

    bool described_ = false;
    std::map<MetricKey, std::uint64_t> metrics_;
    std::map<ObjectKey, std::uint64_t> objects_;
    std::unordered_map<std::uint64_t, std::uint64_t> values_;  // by object << 16 | metric
};

}  // namespace kymo::metrics
