// What an address that names nothing says.
#include "view/metric_address.h"

#include "recording/tables.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;

MetricOfObject object(std::uint64_t number, std::uint32_t host) {
    MetricOfObject made;
    made.number = number;
    made.host = host;
    made.value = 7;
    return made;
}

RunMetrics with_objects(std::vector<MetricOfObject> objects) {
    RunMetrics run;
    RunMetric busy;
    busy.name = "busy";
    busy.kind = Resource::kProcessor;
    busy.objects = std::move(objects);
    run.metrics.push_back(busy);
    return run;
}

TEST(MetricAddress, AnUnknownObjectIsAnsweredWithThoseThatThereAre) {
    const RunMetrics run = with_objects({object(1, 0), object(0, 0)});
    EXPECT_FALSE(why_unknown(run, {Resource::kProcessor, ResourceLevel::kObject, 1, "busy"}));
    const auto problem = why_unknown(run, {Resource::kProcessor, ResourceLevel::kObject, 2, "busy"});
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->next, "there are 0, 1");
}

// As `kymo top --record` has it of other hosts: one object that is all of the host's.
TEST(MetricAddress, WhatIsKnownOfWholeHostsAloneIsSaidSo) {
    const RunMetrics run = with_objects({object(recording::kAllObjects, 1)});
    const auto problem = why_unknown(run, {Resource::kProcessor, ResourceLevel::kObject, 0, "busy"});
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->next, "it is known of whole hosts alone: kymo metrics REC processor/host/1/busy");
}

}  // namespace
}  // namespace kymo::view
