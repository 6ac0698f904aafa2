// The worked example of docs/cells-format.md is a segment, and says what it is said to say.

#include "base/checksum.h"
#include "cells/reader/snapshot.h"
#include "example.h"

#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kymo::cells {
namespace {

using testing::example;
using testing::save;
using testing::TemporaryFolder;

TEST(CellsDocument, TheWorkedExampleReads) {
    const TemporaryFolder folder;
    ASSERT_EQ(example().size(), 1120U);
    save(folder / "1234-0.cells", example());
    const auto read = read_segment(folder / "1234-0.cells");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->pid, 1234U);
    EXPECT_EQ(read->program, "solver");
    EXPECT_EQ(read->made, 1'000'000U);
    EXPECT_EQ(read->ended, 0U);
    EXPECT_EQ(read->rate.to_ns(1000), 500U);
    ASSERT_EQ(read->schema.size(), 2U);
    const Metric* user = read->metric(ResourceKind::kTask, "user");
    ASSERT_NE(user, nullptr);
    EXPECT_EQ(user->cell, 1U);
    EXPECT_EQ(user->unit, "ns");
    EXPECT_EQ(user->origin, Origin::kStandard);
    EXPECT_EQ(read->metric(ResourceKind::kTask, "depth")->type, MetricType::kGauge);
    EXPECT_EQ(read->metric(ResourceKind::kChannel, "depth"), nullptr);
    const TableValues* tasks = read->table(ResourceKind::kTask);
    ASSERT_NE(tasks, nullptr);
    EXPECT_EQ(tasks->first_indexed, 2U);
    EXPECT_EQ(tasks->indexed, 2U);
    ASSERT_EQ(tasks->rows.size(), 2U);
    EXPECT_EQ(tasks->rows[0].state, RowState::kSum);
    EXPECT_EQ(tasks->rows[0].cells, (std::vector<std::uint64_t>{0, 7, 0, 0}));
    const RowValues& thread = tasks->rows[1];
    EXPECT_EQ(thread.state, RowState::kLive);
    EXPECT_EQ(thread.number, 1235U);
    EXPECT_EQ(thread.begin, 2'000'000U);
    EXPECT_EQ(thread.filled, 3'000'000U);
    EXPECT_EQ(thread.name, "worker");
    EXPECT_EQ(thread.cells, (std::vector<std::uint64_t>{0, 100, UINT64_MAX, 5}));
    EXPECT_FALSE(thread.torn);
    ASSERT_EQ(thread.running.size(), 1U);
    EXPECT_EQ(thread.running[0].cell, 3U);
    EXPECT_EQ(thread.running[0].depth, 1U);
}

// Every byte of it changed: read or refused, never worse; and what is fixed is covered by the checksum.
TEST(CellsDocument, EveryByteMayBeWrong) {
    const TemporaryFolder folder;
    const auto good = example();
    save(folder / "a.cells", good);
    const int file = open((folder / "a.cells").c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_GE(file, 0);
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const unsigned value : {0x00U, 0xFFU, 0x80U, 0x01U}) {
            const auto wrong = static_cast<std::uint8_t>(value);
            if (wrong == good[i]) {
                continue;
            }
            ASSERT_EQ(pwrite(file, &wrong, 1, static_cast<off_t>(i)), 1);
            const auto read = read_segment(folder / "a.cells");
            if (i < 112) {
                EXPECT_FALSE(read) << "byte " << i;
            }
        }
        ASSERT_EQ(pwrite(file, &good[i], 1, static_cast<off_t>(i)), 1);
    }
    close(file);
    EXPECT_TRUE(read_segment(folder / "a.cells"));
}

TEST(CellsDocument, EveryLengthMayBeCut) {
    const TemporaryFolder folder;
    save(folder / "a.cells", example());
    for (std::size_t size = example().size(); size-- > 0;) {
        std::filesystem::resize_file(folder / "a.cells", size);
        EXPECT_FALSE(read_segment(folder / "a.cells")) << size;
    }
}

TEST(CellsDocument, ANewerMajorVersionIsToldApart) {
    const TemporaryFolder folder;
    auto bytes = example();
    bytes[8] = 2;
    save(folder / "a.cells", bytes);
    const auto newer = read_segment(folder / "a.cells");
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().kind, ErrorKind::kNewerFormat);
    bytes[8] = 1;
    bytes[10] = 9;  // a newer minor one reads on
    const std::uint32_t crc = crc32c(bytes.data(), 108);
    std::memcpy(bytes.data() + 108, &crc, sizeof crc);
    save(folder / "a.cells", bytes);
    EXPECT_TRUE(read_segment(folder / "a.cells"));
}

}  // namespace
}  // namespace kymo::cells
