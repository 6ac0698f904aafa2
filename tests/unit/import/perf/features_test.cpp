#include "collector.h"
#include "import/perf/event_names.h"
#include "perf_bytes.h"

namespace kymo::import::perf {
namespace {

class FileFeatures : public testing::TestWithParam<bool> {
  protected:
    [[nodiscard]] Writer writer() const { return Writer(GetParam()); }
    // A file without records is one that perf did not finish.
    [[nodiscard]] File with_a_sample() const {
        File file{GetParam()};
        return file.add(flat_sample(GetParam(), 1, 2, 3));
    }
};

INSTANTIATE_TEST_SUITE_P(ByteOrders, FileFeatures, testing::Bool(),
                         [](const auto& of) { return of.param ? "Swapped" : "Native"; });

TEST_P(FileFeatures, SayWhatTheMachineAndTheRunAre) {
    const bool swapped = GetParam();
    File file = with_a_sample();
    file.features = {
        {3, writer().counted_text("host").bytes()},
        {4, writer().counted_text("6.1.0").bytes()},
        {5, writer().counted_text("6.1.187").bytes()},
        {6, writer().counted_text("x86_64").bytes()},
        {7, writer().u32(16).u32(8).bytes()},
        {8, writer().counted_text("A processor").bytes()},
        {9, writer().counted_text("GenuineIntel,6,1").bytes()},
        {10, writer().u64(1'024).bytes()},
        {11, writer().u32(3).counted_text("perf").counted_text("record").counted_text("a b").bytes()},
        {23, writer().u64(1).bytes()},
        {29, writer().u32(1).u32(1).u64(1'700'000'000'000'000'000).u64(5'000).bytes()},
        {200, writer().u64(0).bytes()},
    };
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_EQ(facts.hostname, "host");
    EXPECT_EQ(facts.os_release, "6.1.0");
    EXPECT_EQ(facts.perf_version, "6.1.187");
    EXPECT_EQ(facts.arch, "x86_64");
    EXPECT_EQ(facts.processors_available, 16U);
    EXPECT_EQ(facts.processors_online, 8U);
    EXPECT_EQ(facts.cpu_description, "A processor");
    EXPECT_EQ(facts.cpu_id, "GenuineIntel,6,1");
    EXPECT_EQ(facts.memory_kib, 1'024U);
    EXPECT_EQ(facts.command_line, (std::vector<std::string>{"perf", "record", "a b"}));
    EXPECT_EQ(facts.clock_resolution_ns, 1U);
    ASSERT_TRUE(facts.wall_clock.has_value());
    EXPECT_EQ(facts.wall_clock->clockid, 1);
    EXPECT_EQ(facts.wall_clock->wall_ns, 1'700'000'000'000'000'000U);
    EXPECT_EQ(facts.wall_clock->clock_ns, 5'000U);
    EXPECT_EQ(facts.features.size(), 12U);
    EXPECT_EQ(facts.features[0], "HOSTNAME");
    EXPECT_EQ(facts.features[11], "feature 200");
    EXPECT_EQ(facts.big_endian, swapped);
}

TEST_P(FileFeatures, GiveBuildIds) {
    const bool swapped = GetParam();
    const std::vector<std::uint8_t> id = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0, 0, 0, 0};
    const std::vector<std::uint8_t> none(20);
    File file = with_a_sample();
    Writer list(swapped);
    const auto entry = [&](std::uint16_t misc, const std::vector<std::uint8_t>& bytes, std::uint8_t size,
                           std::string_view path) {
        Writer body(swapped);
        body.u32(0).all(bytes).u8(size).u8(0).u16(0).text(path);
        list.all(record(swapped, 0, misc, body));
    };
    entry(PERF_RECORD_MISC_KERNEL, id, 0, "[kernel.kallsyms]");
    entry(PERF_RECORD_MISC_USER | 1 << 15, id, 20, "/bin/a");
    entry(PERF_RECORD_MISC_USER, none, 0, "/bin/none");
    list.u32(0).u16(0).u16(100);  // cut
    file.features[2] = list.bytes();
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    ASSERT_EQ(facts.build_ids.size(), 2U);
    EXPECT_EQ(facts.build_ids[0].path, "[kernel.kallsyms]");
    EXPECT_TRUE(facts.build_ids[0].kernel);
    EXPECT_EQ(facts.build_ids[0].bytes, std::vector<std::uint8_t>(id.begin(), id.begin() + 16));
    EXPECT_EQ(facts.build_ids[1].bytes, id);
    EXPECT_FALSE(facts.build_ids[1].kernel);
}

TEST_P(FileFeatures, NameEvents) {
    const bool swapped = GetParam();
    Event first;
    first.ids = {1, 2};
    first.sample_type |= PERF_SAMPLE_IDENTIFIER;
    Event second = first;
    second.ids = {};
    second.config = PERF_COUNT_SW_PAGE_FAULTS;
    File file = with_a_sample();
    file.events = {first, second};
    Writer descriptions(swapped);
    descriptions.u32(2).u32(first.size);
    descriptions.all(attribute_bytes(first, swapped)).u32(2).counted_text("task-clock:u").u64(1).u64(2);
    descriptions.all(attribute_bytes(second, swapped)).u32(0).counted_text("faults");
    file.features[12] = descriptions.bytes();
    for (const auto& bytes : {file.bytes(), file.piped_bytes()}) {
        Collector seen;
        collect(bytes, seen);
        ASSERT_EQ(seen.attributes.size(), 2U);
        EXPECT_EQ(seen.attributes[0].name, "task-clock:u");
        EXPECT_EQ(seen.attributes[1].name, "faults");
    }
}

TEST_P(FileFeatures, MayClaimAnything) {
    File file = with_a_sample();
    file.features = {
        {2, writer().u32(0).u16(0).u16(4).bytes()},
        {3, writer().u32(0xffff'ffff).bytes()},
        {7, {1}},
        {11, writer().u32(0xffff'ffff).u32(2).bytes()},
        {12, writer().u32(0xffff'ffff).u32(0xffff'ffff).bytes()},
        {29, writer().u32(1).bytes()},
    };
    Collector seen;
    const FileFacts facts = collect(file.bytes(), seen);
    EXPECT_EQ(seen.samples.size(), 1U);
    EXPECT_TRUE(facts.hostname.empty());
    EXPECT_FALSE(facts.wall_clock.has_value());
}

TEST(EventNames, AreThoseOfPerf) {
    EXPECT_EQ(event_name(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), "cycles");
    EXPECT_EQ(event_name(PERF_TYPE_HARDWARE, std::uint64_t{4} << 32 | PERF_COUNT_HW_INSTRUCTIONS), "instructions");
    EXPECT_EQ(event_name(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES), "ref-cycles");
    EXPECT_EQ(event_name(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK), "cpu-clock");
    EXPECT_EQ(event_name(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY), "dummy");
    EXPECT_EQ(event_name(PERF_TYPE_HW_CACHE, 0x10000), "L1-dcache-load-misses");
    EXPECT_EQ(event_name(PERF_TYPE_HW_CACHE, 0x00103), "dTLB-stores");
    EXPECT_EQ(event_name(PERF_TYPE_HW_CACHE, 0x00206), "node-prefetches");
    EXPECT_EQ(event_name(PERF_TYPE_HW_CACHE, 0xff), "3:0xff");
    EXPECT_EQ(event_name(PERF_TYPE_RAW, 0x1c2), "r1c2");
    EXPECT_EQ(event_name(PERF_TYPE_HARDWARE, 99), "0:0x63");
    EXPECT_EQ(event_name(12, 5), "12:0x5");
}

}  // namespace
}  // namespace kymo::import::perf
