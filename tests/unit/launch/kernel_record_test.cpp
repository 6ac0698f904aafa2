#include "launch/kernel_record.h"

#include "launch/kernel_rings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace kymo::launch {
namespace {

// One record in a ring of its own.
bool parse(std::uint32_t type, std::uint16_t misc, std::vector<std::uint64_t> body, KernelRecord& out) {
    std::vector<std::uint64_t> words(64, 0);
    const auto bytes = static_cast<std::uint64_t>(8 * (body.size() + 1));
    words[0] = type | std::uint64_t{misc} << 32U | bytes << 48U;
    std::copy(body.begin(), body.end(), words.begin() + 1);
    return parse_kernel_record(events::RingRecord(words.data(), 63, 0), out);
}

constexpr std::uint64_t kIds = 100 | 101ULL << 32U;

TEST(KernelRecord, Switches) {
    KernelRecord record;
    ASSERT_TRUE(parse(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, {kIds, 5, 2, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kSwitchOut);
    EXPECT_FALSE(record.preempted);
    EXPECT_EQ(record.pid, 100U);
    EXPECT_EQ(record.tid, 101U);
    EXPECT_EQ(record.time, 5U);
    EXPECT_EQ(record.processor, 2U);
    ASSERT_TRUE(parse(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | 1U << 14U, {kIds, 5, 2, 9}, record));
    EXPECT_TRUE(record.preempted);
    ASSERT_TRUE(parse(PERF_RECORD_SWITCH, 0, {kIds, 5, 2, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kSwitchIn);
    // Of the whole machine: who comes next, or was before, stands first.
    ASSERT_TRUE(parse(PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT | 1U << 14U,
                      {7 | 8ULL << 32U, kIds, 5, 2, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kSwitchOut);
    EXPECT_TRUE(record.preempted);
    EXPECT_EQ(record.tid, 101U);
}

TEST(KernelRecord, Tasks) {
    KernelRecord record;
    ASSERT_TRUE(parse(PERF_RECORD_FORK, 0, {7 | 6ULL << 32U, 8 | 5ULL << 32U, 55, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kFork);
    EXPECT_EQ(record.pid, 7U);
    EXPECT_EQ(record.parent_pid, 6U);
    EXPECT_EQ(record.tid, 8U);
    EXPECT_EQ(record.parent_tid, 5U);
    ASSERT_TRUE(parse(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, {kIds, 0x6F6C6C6568, 0, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kExec);
    EXPECT_STREQ(record.name, "hello");
    ASSERT_TRUE(parse(PERF_RECORD_COMM, 0, {kIds, 0x4141414141414141, 0x4242424242424242, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kRename);
    EXPECT_STREQ(record.name, "AAAAAAAABBBBBBBB");  // not ended by the kernel: cut, not run over
    ASSERT_TRUE(parse(PERF_RECORD_LOST, 0, {9, 1234, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.lost, 1234U);
}

TEST(KernelRecord, Mappings) {
    // pid and tid, address, length, offset, then the path, and the trailer.
    KernelRecord record;
    ASSERT_TRUE(parse(PERF_RECORD_MMAP, 0, {kIds, 0x1000, 0x2000, 0, 0x61622F6E69622F, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kMap);
    EXPECT_EQ(record.pid, 100U);
    EXPECT_EQ(record.path, "/bin/ba");
    EXPECT_EQ(record.bytes, 0x2000U);
    EXPECT_EQ(record.time, 55U);
    // Not for execution: memory, or a file's data.
    ASSERT_TRUE(parse(PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA,
                      {kIds, 0x1000, 0x3000, 0, 0x6E6F6E612F2F, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.change, KernelChange::kMapData);
    EXPECT_EQ(record.path, "//anon");
    EXPECT_EQ(record.bytes, 0x3000U);
    // Over several words, and one that nothing ends before the trailer.
    ASSERT_TRUE(parse(PERF_RECORD_MMAP, 0, {kIds, 1, 2, 0, 0x2F6E69622F727375, 0x6261, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.path, "usr/bin/ab");
    ASSERT_TRUE(parse(PERF_RECORD_MMAP, 0, {kIds, 1, 2, 0, 0x4141414141414141, kIds, 55, 0, 9}, record));
    EXPECT_EQ(record.path, "AAAAAAAA");
    EXPECT_FALSE(parse(PERF_RECORD_MMAP, 0, {kIds, 1, 2, 0, kIds, 55, 0, 9}, record));
}

TEST(KernelRecord, AFaultHasItsAddress) {
    KernelRecord record;
    ASSERT_TRUE(parse(PERF_RECORD_SAMPLE, 0, {9, kIds, 55, 0x7f0000001008, 3}, record));
    EXPECT_EQ(record.change, KernelChange::kFault);
    EXPECT_EQ(record.pid, 100U);
    EXPECT_EQ(record.tid, 101U);
    EXPECT_EQ(record.time, 55U);
    EXPECT_EQ(record.address, 0x7f0000001008U);
    EXPECT_EQ(record.processor, 3U);
    EXPECT_FALSE(parse(PERF_RECORD_SAMPLE, 0, {9, kIds, 55, 0x7f0000001008}, record));
}

TEST(KernelRecord, ShortAndForeignOnesAreRefused) {
    KernelRecord record;
    EXPECT_FALSE(parse(PERF_RECORD_SWITCH, 0, {1, 2, 3}, record));
    EXPECT_FALSE(parse(PERF_RECORD_FORK, 0, {1, 2, 3, 4, 5, 6}, record));
    EXPECT_FALSE(parse(PERF_RECORD_EXIT, 0, {}, record));
    EXPECT_FALSE(parse(PERF_RECORD_COMM, 0, {1, 2, 3, 4, 5}, record));
    EXPECT_FALSE(parse(PERF_RECORD_LOST, 0, {1, 2, 3, 4, 5}, record));
    EXPECT_FALSE(parse(PERF_RECORD_MMAP, 0, {1, 2, 3, 4, 5, 6, 7, 8}, record));
}

TEST(ProcessorList, IsParsedWithinBounds) {
    EXPECT_THAT(parse_processor_list("0-3,6"), testing::ElementsAre(0, 1, 2, 3, 6));
    EXPECT_THAT(parse_processor_list("5"), testing::ElementsAre(5));
    EXPECT_THAT(parse_processor_list("1,0,1"), testing::ElementsAre(0, 1));
    for (const char* bad : {"", "x", "0-", "3-1", "0-99999999", "-1", "0;1", "0-1-2"}) {
        EXPECT_TRUE(parse_processor_list(bad).empty()) << bad;
    }
}

}  // namespace
}  // namespace kymo::launch
