// From the rows about metrics to what they came to over the run.
#pragma once

#include "base/resource.h"
#include "base/result.h"
#include "recording/reader.h"
#include "spacetime/metrics/metric_rows.h"
#include "spacetime/metrics/run_metrics.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kymo::spacetime {

// Whether ends of channels have metrics of their own (RunMetric::of_ends), or are in those of all channels.
enum class EndsAre : std::uint8_t { kApart, kAmongAll };

// `files`: the rows of all files of the recording.
RunMetrics make_run_metrics(std::vector<MetricRows> files, EndsAre ends = EndsAre::kApart);
// The same, read from the files. Error: the system cannot read one of them.
Result<RunMetrics> load_run_metrics(std::span<const recording::File> files, EndsAre ends = EndsAre::kApart);
// Of that address, as if there were no others.
Result<RunMetrics> load_run_metrics(std::span<const recording::File> files, const MetricAddress& only);

}  // namespace kymo::spacetime
