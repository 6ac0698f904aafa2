#include "collector.h"
#include "perf_bytes.h"

#include <sys/mman.h>

namespace kymo::import::perf {
namespace {

// Each kind of record, in both byte orders, with the trailer that says when and where it was made.
class RecordFields : public testing::TestWithParam<bool> {
  protected:
    static Event event() {
        Event to;
        to.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                         PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID;
        to.ids = {70, 71};
        return to;
    }
    [[nodiscard]] Writer writer() const { return Writer(GetParam()); }
    // As the kernel ends records: process 8, thread 9, time 500, processor 2.
    static Writer& with_trailer(Writer& body) { return body.u32(8).u32(9).u64(500).u64(71).u32(2).u32(0).u64(71); }
    const Collector& read(std::uint32_t type, std::uint16_t misc, Writer body) {
        File file{GetParam(), {event()}};
        file.add(record(GetParam(), type, misc, with_trailer(body)));
        const FileFacts facts = collect(file.bytes(), seen_);
        EXPECT_TRUE(facts.notices.empty()) << facts.notices[0];
        EXPECT_EQ(seen_.order.size(), 1U);
        return seen_;
    }
    static void expect_trailer(const Origin& origin) {
        EXPECT_EQ(origin.time, 500U);
        EXPECT_EQ(origin.cpu, 2U);
        EXPECT_EQ(origin.attribute, 0U);
    }

  private:
    Collector seen_;
};

INSTANTIATE_TEST_SUITE_P(ByteOrders, RecordFields, testing::Bool(),
                         [](const auto& of) { return of.param ? "Swapped" : "Native"; });

TEST_P(RecordFields, OfMmap) {
    const auto& seen = read(PERF_RECORD_MMAP, PERF_RECORD_MISC_USER,
                            writer().u32(1).u32(2).u64(0x400000).u64(0x1000).u64(0x2000).text("/bin/true"));
    ASSERT_EQ(seen.mappings.size(), 1U);
    const Mapping& mapping = seen.mappings[0].mapping;
    expect_trailer(mapping);
    EXPECT_EQ(mapping.pid, 1U);
    EXPECT_EQ(mapping.tid, 2U);
    EXPECT_EQ(mapping.begin, 0x400000U);
    EXPECT_EQ(mapping.length, 0x1000U);
    EXPECT_EQ(mapping.file_offset, 0x2000U);
    EXPECT_TRUE(mapping.executable);
    EXPECT_FALSE(mapping.kernel);
    EXPECT_EQ(seen.mappings[0].path, "/bin/true");
}

TEST_P(RecordFields, OfMmapOfData) {
    const auto& seen = read(PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA | PERF_RECORD_MISC_KERNEL,
                            writer().u32(1).u32(2).u64(3).u64(4).u64(5).text("1234567"));
    ASSERT_EQ(seen.mappings.size(), 1U);
    EXPECT_FALSE(seen.mappings[0].mapping.executable);
    EXPECT_TRUE(seen.mappings[0].mapping.kernel);
    EXPECT_EQ(seen.mappings[0].path, "1234567");
}

TEST_P(RecordFields, OfMmap2) {
    const auto& seen = read(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
                            writer()
                                .u32(1)
                                .u32(2)
                                .u64(3)
                                .u64(4)
                                .u64(5)
                                .u32(253)
                                .u32(6)
                                .u64(77)
                                .u64(78)
                                .u32(PROT_READ | PROT_EXEC)
                                .u32(MAP_PRIVATE)
                                .text("//anon"));
    ASSERT_EQ(seen.mappings.size(), 1U);
    const Mapping& mapping = seen.mappings[0].mapping;
    expect_trailer(mapping);
    EXPECT_EQ(mapping.device_major, 253U);
    EXPECT_EQ(mapping.device_minor, 6U);
    EXPECT_EQ(mapping.inode, 77U);
    EXPECT_EQ(mapping.inode_generation, 78U);
    EXPECT_EQ(mapping.protection, static_cast<std::uint32_t>(PROT_READ | PROT_EXEC));
    EXPECT_EQ(mapping.flags, static_cast<std::uint32_t>(MAP_PRIVATE));
    EXPECT_TRUE(mapping.executable);
    EXPECT_TRUE(seen.mappings[0].build_id.empty());
    EXPECT_EQ(seen.mappings[0].path, "//anon");
}

TEST_P(RecordFields, OfMmap2WithBuildId) {
    std::vector<std::uint8_t> id(20);
    id[0] = 0xfe;
    id[15] = 0xed;
    const auto& seen = read(
        PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
        writer().u32(1).u32(2).u64(3).u64(4).u64(5).u8(16).u8(0).u16(0).all(id).u32(PROT_READ).u32(2).text("/lib/c"));
    ASSERT_EQ(seen.mappings.size(), 1U);
    EXPECT_EQ(seen.mappings[0].build_id, std::vector<std::uint8_t>(id.begin(), id.begin() + 16));
    EXPECT_EQ(seen.mappings[0].mapping.inode, 0U);
    EXPECT_FALSE(seen.mappings[0].mapping.executable);
    EXPECT_EQ(seen.mappings[0].path, "/lib/c");
}

TEST_P(RecordFields, OfComm) {
    const auto& seen = read(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, writer().u32(1).u32(2).text("sleep"));
    ASSERT_EQ(seen.comms.size(), 1U);
    expect_trailer(seen.comms[0].record);
    EXPECT_EQ(seen.comms[0].record.pid, 1U);
    EXPECT_EQ(seen.comms[0].record.tid, 2U);
    EXPECT_EQ(seen.comms[0].name, "sleep");
    EXPECT_TRUE(seen.comms[0].record.is_exec);
}

TEST_P(RecordFields, OfForkAndExit) {
    const auto& forks = read(PERF_RECORD_FORK, 0, writer().u32(1).u32(2).u32(3).u32(4).u64(499)).forks;
    ASSERT_EQ(forks.size(), 1U);
    expect_trailer(forks[0]);
    EXPECT_EQ(forks[0].pid, 1U);
    EXPECT_EQ(forks[0].parent_pid, 2U);
    EXPECT_EQ(forks[0].tid, 3U);
    EXPECT_EQ(forks[0].parent_tid, 4U);
}

TEST_P(RecordFields, OfExit) {
    const auto& exits = read(PERF_RECORD_EXIT, 0, writer().u32(1).u32(2).u32(3).u32(4).u64(499)).exits;
    ASSERT_EQ(exits.size(), 1U);
    expect_trailer(exits[0]);
    EXPECT_EQ(exits[0].tid, 3U);
    EXPECT_EQ(exits[0].parent_tid, 4U);
}

TEST_P(RecordFields, OfLost) {
    const auto& losts = read(PERF_RECORD_LOST, 0, writer().u64(70).u64(1'234)).losts;
    ASSERT_EQ(losts.size(), 1U);
    expect_trailer(losts[0]);
    EXPECT_EQ(losts[0].id, 70U);
    EXPECT_EQ(losts[0].count, 1'234U);
    EXPECT_FALSE(losts[0].samples);
}

TEST_P(RecordFields, OfLostSamples) {
    const auto& losts = read(PERF_RECORD_LOST_SAMPLES, 0, writer().u64(99)).losts;
    ASSERT_EQ(losts.size(), 1U);
    EXPECT_EQ(losts[0].id, 71U);
    EXPECT_EQ(losts[0].count, 99U);
    EXPECT_TRUE(losts[0].samples);
}

TEST_P(RecordFields, OfThrottle) {
    const auto& throttles = read(PERF_RECORD_THROTTLE, 0, writer().u64(498).u64(70).u64(70)).throttles;
    ASSERT_EQ(throttles.size(), 1U);
    expect_trailer(throttles[0]);
    EXPECT_TRUE(throttles[0].begins);
    EXPECT_EQ(throttles[0].id, 70U);
}

TEST_P(RecordFields, OfUnthrottle) {
    const auto& throttles = read(PERF_RECORD_UNTHROTTLE, 0, writer().u64(498).u64(70).u64(70)).throttles;
    ASSERT_EQ(throttles.size(), 1U);
    EXPECT_FALSE(throttles[0].begins);
}

TEST_P(RecordFields, OfSwitch) {
    const auto& switches =
        read(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, writer())
            .switches;
    ASSERT_EQ(switches.size(), 1U);
    expect_trailer(switches[0]);
    EXPECT_EQ(switches[0].pid, 8U);
    EXPECT_EQ(switches[0].tid, 9U);
    EXPECT_TRUE(switches[0].out);
    EXPECT_TRUE(switches[0].preempted);
    EXPECT_EQ(switches[0].other_tid, kNotGiven);
}

TEST_P(RecordFields, OfSwitchOfAProcessor) {
    const auto& switches = read(PERF_RECORD_SWITCH_CPU_WIDE, 0, writer().u32(30).u32(31)).switches;
    ASSERT_EQ(switches.size(), 1U);
    EXPECT_FALSE(switches[0].out);
    EXPECT_EQ(switches[0].other_pid, 30U);
    EXPECT_EQ(switches[0].other_tid, 31U);
}

TEST_P(RecordFields, OfKernelSymbol) {
    const auto& symbols =
        read(PERF_RECORD_KSYMBOL, 0, writer().u64(0xffff0000).u32(64).u16(1).u16(1).text("bpf_prog_1")).symbols;
    ASSERT_EQ(symbols.size(), 1U);
    expect_trailer(symbols[0].record);
    EXPECT_EQ(symbols[0].record.begin, 0xffff0000U);
    EXPECT_EQ(symbols[0].record.length, 64U);
    EXPECT_EQ(symbols[0].record.type, 1U);
    EXPECT_TRUE(symbols[0].record.removed);
    EXPECT_EQ(symbols[0].name, "bpf_prog_1");
}

TEST_P(RecordFields, OfCgroup) {
    const auto& cgroups = read(PERF_RECORD_CGROUP, 0, writer().u64(12).text("/user.slice")).cgroups;
    ASSERT_EQ(cgroups.size(), 1U);
    EXPECT_EQ(cgroups[0].record.id, 12U);
    EXPECT_EQ(cgroups[0].name, "/user.slice");
}

TEST_P(RecordFields, OfNamespaces) {
    const auto& spaces = read(PERF_RECORD_NAMESPACES, 0, writer().u32(1).u32(2).u64(2).u64(3).u64(4).u64(5).u64(6));
    ASSERT_EQ(spaces.spaces.size(), 1U);
    EXPECT_EQ(spaces.spaces[0].record.tid, 2U);
    ASSERT_EQ(spaces.spaces[0].links.size(), 2U);
    EXPECT_EQ(spaces.spaces[0].links[1].device, 5U);
    EXPECT_EQ(spaces.spaces[0].links[1].inode, 6U);
}

TEST_P(RecordFields, LeavesOutRecordsThatClaimMoreThanTheyHave) {
    File file{GetParam(), {event()}};
    Writer links = writer().u32(1).u32(2).u64(~std::uint64_t{0} / 16 + 1);
    file.add(record(GetParam(), PERF_RECORD_NAMESPACES, 0, with_trailer(links)));
    for (const std::uint32_t type :
         {PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK, PERF_RECORD_EXIT, PERF_RECORD_LOST,
          PERF_RECORD_LOST_SAMPLES, PERF_RECORD_THROTTLE, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_KSYMBOL,
          PERF_RECORD_CGROUP, PERF_RECORD_NAMESPACES}) {
        Writer empty = writer();
        file.add(record(GetParam(), type, 0, with_trailer(empty)));
        file.add(record(GetParam(), type, 0, writer()));
    }
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_TRUE(seen.order.empty());
    EXPECT_EQ(facts.notices, std::vector<std::string>{"left out: 25 records whose fields are not all there"});
}

}  // namespace
}  // namespace kymo::import::perf
