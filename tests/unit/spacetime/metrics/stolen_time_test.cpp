#include "spacetime/metrics/stolen_time.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

RunMetric of_processors(const char* name, const std::vector<std::uint64_t>& values) {
    RunMetric metric;
    metric.name = name;
    metric.kind = Resource::kProcessor;
    for (std::uint64_t number = 0; number < values.size(); ++number) {
        metric.objects.emplace_back().number = number;
        metric.objects.back().value = values[number];
    }
    return metric;
}

TEST(StolenTime, IsTheSumOverProcessors) {
    RunMetrics metrics;
    metrics.metrics = {of_processors("busy", {500, 700}), of_processors("steal", {10, 20})};
    EXPECT_EQ(stolen_time(metrics), 30);
}

TEST(StolenTime, IsNotKnownWithoutCountersAndNothingWhereItNeverGrew) {
    EXPECT_EQ(stolen_time({}), std::nullopt);
    RunMetrics busy;
    busy.metrics = {of_processors("busy", {500})};
    EXPECT_EQ(stolen_time(busy), 0);
}

}  // namespace
}  // namespace kymo::spacetime
