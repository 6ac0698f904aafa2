#include "view/page/series.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using spacetime::MetricOrigin;
using spacetime::RunMetric;

RunMetric metric(Resource kind, MetricOrigin origin, const char* name, std::vector<double> bins) {
    RunMetric made;
    made.kind = kind;
    made.origin = origin;
    made.name = name;
    made.bins = std::move(bins);
    return made;
}

TEST(PageSeries, HasWhatIsWorthATrack) {
    spacetime::RunMetrics run;
    run.begin = 1500;
    run.end = 2500;
    run.metrics = {metric(Resource::kTask, MetricOrigin::kDescription, "sends", {1, 0, 3}),
                   metric(Resource::kTask, MetricOrigin::kProgram, "never", {0, 0, 0}),
                   metric(Resource::kTask, MetricOrigin::kStandard, "user", {1, 1, 1}),
                   metric(Resource::kChannel, MetricOrigin::kLibrary, "messages", {-1, 2, 0}),
                   metric(Resource::kChannel, MetricOrigin::kLibrary, "largest", {8, 8, 8})};
    const auto series = page_series(run, 1000);
    ASSERT_EQ(series.size(), 2U);
    EXPECT_EQ(series[0]["name"], "sends");
    EXPECT_EQ(series[0]["begin"], 500);
    EXPECT_EQ(series[0]["end"], 1500);
    EXPECT_EQ(series[0]["bins"], (std::vector<double>{1, 0, 3}));
    EXPECT_EQ(series[1]["kind"], "channel");
    EXPECT_EQ(series[1]["bins"], (std::vector<double>{0, 2, 0})) << "nothing is drawn below the ground";
}

TEST(PageSeries, IsBounded) {
    spacetime::RunMetrics run;
    run.end = 1000;
    for (int i = 0; i < 100; ++i) {
        run.metrics.push_back(metric(Resource::kTask, MetricOrigin::kProgram, "one of many", {1}));
    }
    EXPECT_EQ(page_series(run, 0).size(), kMostSeries);
}

}  // namespace
}  // namespace kymo::view
