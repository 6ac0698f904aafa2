// Turns snapshots of segments into rows of a recording: a metric's value whenever it has changed, preceded by its
// previous value if that had not changed for longer, so that the change appears at its time.
//
// One thread. Bounded by the number of objects; for tasks, standard metrics are written at their last snapshot
// only (samples are more precise), all others at every one.
#pragma once

#include "cells/reader/snapshot.h"
#include "recording/writer.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

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
    struct Written {
        std::uint64_t value = 0;
        std::uint64_t time = 0;  // of the last row
    };
    std::unordered_map<std::uint64_t, Written> values_;                      // by object << 16 | metric
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> read_;  // when a segment was last, by pid, image
};

}  // namespace kymo::metrics
