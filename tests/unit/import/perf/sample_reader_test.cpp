#include "collector.h"
#include "perf_bytes.h"

namespace kymo::import::perf {
namespace {

// In both byte orders.
class SampleFields : public testing::TestWithParam<bool> {
  protected:
    SeenSample only_sample(const Event& event, const Writer& body, std::uint16_t misc = PERF_RECORD_MISC_USER) {
        File file{GetParam(), {event}};
        file.add(record(GetParam(), PERF_RECORD_SAMPLE, misc, body));
        Collector seen;
        const FileFacts facts = collect(file.bytes(), seen);
        EXPECT_TRUE(facts.notices.empty()) << facts.notices[0];
        EXPECT_EQ(facts.swapped, GetParam());
        EXPECT_EQ(seen.samples.size(), 1U);
        return seen.samples.size() == 1 ? seen.samples[0] : SeenSample();
    }
    [[nodiscard]] Writer writer() const { return Writer(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(ByteOrders, SampleFields, testing::Bool(),
                         [](const auto& of) { return of.param ? "Swapped" : "Native"; });

TEST_P(SampleFields, ReadsAllSimpleFields) {
    Event event;
    event.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                        PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                        PERF_SAMPLE_PERIOD;
    event.ids = {77};
    const SeenSample seen = only_sample(
        event,
        writer().u64(77).u64(0x401000).u32(12).u32(13).u64(5'000).u64(0xadd4).u64(77).u64(9).u32(3).u32(0).u64(250),
        PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_EXACT_IP);
    const Sample& sample = seen.sample;
    EXPECT_EQ(sample.id, 77U);
    EXPECT_EQ(sample.ip, 0x401000U);
    EXPECT_EQ(sample.pid, 12U);
    EXPECT_EQ(sample.tid, 13U);
    EXPECT_EQ(sample.time, 5'000U);
    EXPECT_EQ(sample.address, 0xadd4U);
    EXPECT_EQ(sample.stream_id, 9U);
    EXPECT_EQ(sample.cpu, 3U);
    EXPECT_EQ(sample.period, 250U);
    EXPECT_EQ(sample.mode, Mode::kKernel);
    EXPECT_TRUE(sample.exact_ip);
}

TEST_P(SampleFields, HasDefaultsForWhatTheEventDoesNotRecord) {
    Event event;
    event.sample_type = PERF_SAMPLE_IP;
    const Sample sample = only_sample(event, writer().u64(0x1234)).sample;
    EXPECT_EQ(sample.ip, 0x1234U);
    EXPECT_EQ(sample.pid, kNotGiven);
    EXPECT_EQ(sample.tid, kNotGiven);
    EXPECT_EQ(sample.cpu, kNotGiven);
    EXPECT_EQ(sample.time, 0U);
    EXPECT_EQ(sample.period, 1'000U) << "that of the event";
    EXPECT_FALSE(sample.exact_ip);
}

TEST_P(SampleFields, ReadsOneCounter) {
    Event event;
    event.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_IP;
    event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | 16;
    event.ids = {5};
    const SeenSample seen = only_sample(event, writer().u64(1).u64(900).u64(50).u64(40).u64(5).u64(2));
    ASSERT_EQ(seen.reads.size(), 1U);
    EXPECT_EQ(seen.reads[0].value, 900U);
    EXPECT_EQ(seen.reads[0].id, 5U);
    EXPECT_EQ(seen.reads[0].lost, 2U);
    EXPECT_EQ(seen.reads[0].attribute, 0U);
    EXPECT_EQ(seen.sample.time_enabled, 50U);
    EXPECT_EQ(seen.sample.time_running, 40U);
}

TEST_P(SampleFields, ReadsAGroupOfCounters) {
    Event event;
    event.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_IP;
    event.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_ID | 16;
    event.ids = {5};
    const SeenSample seen =
        only_sample(event, writer().u64(1).u64(2).u64(50).u64(900).u64(5).u64(2).u64(901).u64(6).u64(3));
    ASSERT_EQ(seen.reads.size(), 2U);
    EXPECT_EQ(seen.reads[0].value, 900U);
    EXPECT_EQ(seen.reads[0].attribute, 0U);
    EXPECT_EQ(seen.reads[1].value, 901U);
    EXPECT_EQ(seen.reads[1].id, 6U);
    EXPECT_EQ(seen.reads[1].lost, 3U);
    EXPECT_EQ(seen.reads[1].attribute, kNotGiven);
    EXPECT_EQ(seen.sample.time_enabled, 50U);
    EXPECT_EQ(seen.sample.time_running, 0U);
}

TEST_P(SampleFields, ReadsCallchainWithItsMarkers) {
    Event event;
    event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
    const std::uint64_t user = PERF_CONTEXT_USER;
    const SeenSample seen = only_sample(event, writer().u64(1).u64(3).u64(user).u64(0x10).u64(0x20));
    EXPECT_EQ(seen.callchain, (std::vector<std::uint64_t>{user, 0x10, 0x20}));
}

TEST_P(SampleFields, PassesOverRawData) {
    Event event;
    event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW | PERF_SAMPLE_DATA_SRC;
    const SeenSample seen = only_sample(event, writer().u64(1).u32(12).u64(0x5555).u32(0x6666).u64(0xda7a));
    EXPECT_EQ(seen.sample.data_source, 0xda7aU);
}

TEST_P(SampleFields, ReadsBranches) {
    Event event;
    event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT;
    // Mispredicted, 0x123 cycles, type 3; laid out from the other end on big-endian machines.
    const std::uint64_t flags = GetParam()
                                    ? std::uint64_t{1} << 63 | std::uint64_t{0x123} << 44 | std::uint64_t{3} << 40
                                    : std::uint64_t{1} | std::uint64_t{0x123} << 4 | std::uint64_t{3} << 20;
    const SeenSample plain =
        only_sample(event, writer().u64(1).u64(2).u64(10).u64(20).u64(flags).u64(30).u64(40).u64(0).u64(99));
    ASSERT_EQ(plain.branches.size(), 2U);
    EXPECT_EQ(plain.branches[0].from, 10U);
    EXPECT_EQ(plain.branches[0].to, 20U);
    EXPECT_TRUE(mispredicted(plain.branches[0]));
    EXPECT_FALSE(predicted(plain.branches[0]));
    EXPECT_FALSE(in_transaction(plain.branches[0]));
    EXPECT_FALSE(aborted(plain.branches[0]));
    EXPECT_EQ(cycles(plain.branches[0]), 0x123U);
    EXPECT_EQ(branch_type(plain.branches[0]), 3U);
    EXPECT_EQ(plain.branches[1].to, 40U);
    EXPECT_EQ(plain.sample.weight, 99U);
    EXPECT_TRUE(plain.branch_counters.empty());

    event.branch_sample_type = 1U << 17 | 1U << 19;  // with the hardware's index, and counters
    const SeenSample more = only_sample(event, writer().u64(1).u64(1).u64(7).u64(10).u64(20).u64(0).u64(55).u64(99));
    ASSERT_EQ(more.branches.size(), 1U);
    EXPECT_EQ(more.branches[0].from, 10U);
    EXPECT_EQ(more.branch_counters, std::vector<std::uint64_t>{55});
    EXPECT_EQ(more.sample.weight, 99U);
}

TEST_P(SampleFields, ReadsRegistersAndTheStack) {
    Event event;
    event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR;
    event.regs_user = 0b1011;
    event.regs_intr = 0b100;
    event.stack_user = 16;
    const std::vector<std::uint8_t> stack = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    const SeenSample seen =
        only_sample(event, writer().u64(1).u64(2).u64(10).u64(11).u64(12).u64(16).all(stack).u64(5).u64(2).u64(42));
    EXPECT_EQ(seen.sample.user_registers.abi, 2U);
    EXPECT_EQ(seen.sample.user_registers.mask, 0b1011U);
    EXPECT_EQ(seen.user_registers, (std::vector<std::uint64_t>{10, 11, 12}));
    EXPECT_EQ(seen.user_stack, (std::vector<std::uint8_t>{1, 2, 3, 4, 5})) << "as much as there was";
    EXPECT_EQ(seen.interrupted_registers, std::vector<std::uint64_t>{42});

    const SeenSample none = only_sample(event, writer().u64(1).u64(0).u64(0).u64(0));
    EXPECT_EQ(none.sample.user_registers.mask, 0U) << "a kernel thread has none";
    EXPECT_TRUE(none.user_registers.empty());
    EXPECT_TRUE(none.user_stack.empty());

    const SeenSample much =
        only_sample(event, writer().u64(1).u64(0).u64(16).all(stack).u64(~std::uint64_t{0}).u64(0));
    EXPECT_EQ(much.user_stack, stack) << "not more than is there";
}

TEST_P(SampleFields, ReadsMemoryAccesses) {
    Event event;
    event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
                        PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
                        PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX | 1U << 24;
    const std::uint64_t weights = std::uint64_t{7} << 48 | std::uint64_t{6} << 32 | 5;
    const SeenSample seen = only_sample(
        event, writer().u64(1).u64(2).u64(weights).u64(3).u64(4).u64(8).u64(9).u64(4'096).u64(8'192).u64(8).u64(0));
    EXPECT_EQ(seen.sample.address, 2U);
    EXPECT_EQ(seen.sample.weight, 5U);
    EXPECT_EQ(seen.sample.weight_2, 6U);
    EXPECT_EQ(seen.sample.weight_3, 7U);
    EXPECT_EQ(seen.sample.data_source, 3U);
    EXPECT_EQ(seen.sample.transaction, 4U);
    EXPECT_EQ(seen.sample.physical_address, 8U);
    EXPECT_EQ(seen.sample.cgroup, 9U);
    EXPECT_EQ(seen.sample.data_page_size, 4'096U);
    EXPECT_EQ(seen.sample.code_page_size, 8'192U);
}

TEST_P(SampleFields, LeavesOutSamplesThatClaimMoreThanTheyHave) {
    struct Case {
        std::uint64_t sample_type;
        std::uint64_t read_format;
        Writer body;
    };
    const std::uint64_t huge = ~std::uint64_t{0} / 8;
    const std::vector<Case> cases = {
        {PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN, 0, writer().u64(1).u64(2).u64(3)},
        {PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN, 0, writer().u64(1).u64(huge + 1)},
        {PERF_SAMPLE_IP | PERF_SAMPLE_READ, PERF_FORMAT_GROUP, writer().u64(1).u64(huge)},
        {PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK, 0, writer().u64(1).u64(huge / 3 + 1)},
        {PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER, 0, writer().u64(1).u64(2).u64(3)},
        {PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER, 0, writer().u64(1).u64(~std::uint64_t{0})},
        {PERF_SAMPLE_IP | PERF_SAMPLE_RAW, 0, writer().u64(1).u32(0xffff'fff0).u32(0)},
        {PERF_SAMPLE_IP | PERF_SAMPLE_TIME, 0, writer().u64(1)},
    };
    for (const Case& at : cases) {
        Event event;
        event.sample_type = at.sample_type;
        event.read_format = at.read_format;
        event.regs_user = 0xff;
        File file{GetParam(), {event}};
        file.add(record(GetParam(), PERF_RECORD_SAMPLE, 0, at.body));
        Collector seen;
        const FileFacts facts = collect(file.bytes(), seen);
        EXPECT_TRUE(seen.samples.empty());
        EXPECT_EQ(facts.notices, std::vector<std::string>{"left out: 1 records whose fields are not all there"});
    }
}

}  // namespace
}  // namespace kymo::import::perf
