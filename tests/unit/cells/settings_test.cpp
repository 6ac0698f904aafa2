#include "cells/settings.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo::cells {
namespace {

TEST(CellsSettings, AreReadWhole) {
    const std::string text =
        "kymo-cells 1\nfolder /dev/shm/kymo 0/1-0\nticks 2 32 2147483648\nrows 100 200\nat-start 1\n"
        "cell 64 counter ns send_in_foo time foo spends sending\ncell 65 gauge - in_foo \nshown 65 2 1\ntimer 17 "
        "64\n";
    Settings settings;
    ASSERT_TRUE(parse_settings(text, settings));
    EXPECT_EQ(settings.folder, "/dev/shm/kymo 0/1-0");
    EXPECT_TRUE(settings.rate_known);
    EXPECT_EQ(settings.rate.to_ns(10), 5U);
    EXPECT_EQ(settings.tasks, 100U);
    EXPECT_EQ(settings.channels, 200U);
    EXPECT_TRUE(settings.at_start);
    ASSERT_EQ(settings.cells, 2U);
    EXPECT_EQ(settings.cell[0].index, 64U);
    EXPECT_EQ(settings.cell[0].cell.unit, "ns");
    EXPECT_EQ(settings.cell[0].cell.description, "time foo spends sending");
    EXPECT_EQ(settings.cell[1].cell.type, MetricType::kGauge);
    EXPECT_EQ(settings.cell[1].cell.unit, "");
    EXPECT_EQ(settings.cell[1].cell.name, "in_foo");
    EXPECT_EQ(settings.cell[0].cell.total, MetricTotal::kOfType);
    EXPECT_EQ(settings.cell[1].cell.total, MetricTotal::kMean);
    EXPECT_EQ(settings.cell[1].cell.per, 1U);
    EXPECT_EQ(settings.bindings[17], 64U);
    EXPECT_EQ(settings.bindings[16], 0U);
}

TEST(CellsSettings, WhatIsNotUnderstoodIsRefused) {
    Settings settings;
    EXPECT_TRUE(parse_settings("kymo-cells 1\nfolder /x\n", settings));
    for (const char* text : {"",
                             "kymo-cells 2\nfolder /x\n",
                             "kymo-cells 1\n",
                             "kymo-cells 1\nfolder x\n",
                             "kymo-cells 1\nfolder \n",
                             "kymo-cells 1\nfolder /x\nticks 2 64 1\n",
                             "kymo-cells 1\nfolder /x\nticks 3 0 1\n",
                             "kymo-cells 1\nfolder /x\nticks 2 3 0\n",
                             "kymo-cells 1\nfolder /x\nrows 0 1\n",
                             "kymo-cells 1\nfolder /x\nrows 65536 1\n",
                             "kymo-cells 1\nfolder /x\nrows 1\n",
                             "kymo-cells 1\nfolder /x\nat-start 2\n",
                             "kymo-cells 1\nfolder /x\ncell 63 counter ns a b\n",
                             "kymo-cells 1\nfolder /x\ncell 128 counter ns a b\n",
                             "kymo-cells 1\nfolder /x\ncell 64 sum ns a b\n",
                             "kymo-cells 1\nfolder /x\ncell 64 counter ns\n",
                             "kymo-cells 1\nfolder /x\nshown 64 1 1\n",
                             "kymo-cells 1\nfolder /x\ncell 64 counter ns a b\nshown 64 5 1\n",
                             "kymo-cells 1\nfolder /x\ncell 64 counter ns a b\nshown 64 1 4\n",
                             "kymo-cells 1\nfolder /x\ntimer 64 1\n",
                             "kymo-cells 1\nfolder /x\ntimer 1 128\n",
                             "kymo-cells 1\nfolder /x\ntimer 1\n",
                             "kymo-cells 1\nfolder /x\nmore 1\n"}) {
        EXPECT_FALSE(parse_settings(text, settings)) << text;
    }
    std::string many = "kymo-cells 1\nfolder /x\n";
    for (int i = 0; i <= 64; ++i) {
        many += "cell 64 counter ns a b\n";
    }
    EXPECT_FALSE(parse_settings(many, settings));
    EXPECT_FALSE(parse_settings(many + std::string(kMaxSettings, ' '), settings));
}

}  // namespace
}  // namespace kymo::cells
