#include "metrics/measured_run.h"

#include "cells/settings.h"

#include <gtest/gtest.h>

namespace kymo::metrics {
namespace {

// What the launcher writes, the program reads.
TEST(MeasuredRunSettings, AreUnderstoodByTheProgram) {
    RunSettings settings;
    settings.at_start = true;
    settings.cells = {{64, cells::MetricType::kCounter, "ns", "send_in_foo", "time foo spends sending"},
                      {65, cells::MetricType::kGauge, "", "in_foo", ""},
                      {66, cells::MetricType::kMaximum, "bytes", "largest", "of all"}};
    const std::string text =
        format_settings(settings, "/run/user/0/kymo-0/1-0", {cells::TickKind::kCounter, 32, 12345});
    cells::Settings read;
    ASSERT_TRUE(cells::parse_settings(text, read)) << text;
    EXPECT_EQ(read.folder, "/run/user/0/kymo-0/1-0");
    EXPECT_TRUE(read.at_start);
    EXPECT_EQ(read.rate.multiplier, 12345U);
    ASSERT_EQ(read.cells, 3U);
    EXPECT_EQ(read.cell[0].cell.description, "time foo spends sending");
    EXPECT_EQ(read.cell[1].cell.type, cells::MetricType::kGauge);
    EXPECT_EQ(read.cell[2].cell.unit, "bytes");
}

}  // namespace
}  // namespace kymo::metrics
