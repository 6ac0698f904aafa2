#include "events/names.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace kymo::events {
namespace {

struct Known {
    const char* text;
    const char* name;
    std::uint32_t type;
    std::uint64_t config;
};

class KnownName : public testing::TestWithParam<Known> {};

TEST_P(KnownName, IsResolved) {
    const auto event = parse_event(GetParam().text);
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_STREQ(event->name, GetParam().name);
    EXPECT_EQ(event->type, GetParam().type);
    EXPECT_EQ(event->config, GetParam().config);
}

INSTANTIATE_TEST_SUITE_P(Table, KnownName,
                         testing::Values(Known{"task-clock", "task-clock", PERF_TYPE_SOFTWARE, 1},
                                         Known{"cpu-clock", "cpu-clock", PERF_TYPE_SOFTWARE, 0},
                                         Known{"faults:period=3", "page-faults", PERF_TYPE_SOFTWARE, 2},
                                         Known{"cs", "context-switches", PERF_TYPE_SOFTWARE, 3},
                                         Known{"migrations", "cpu-migrations", PERF_TYPE_SOFTWARE, 4},
                                         Known{"minor-faults", "minor-faults", PERF_TYPE_SOFTWARE, 5},
                                         Known{"major-faults", "major-faults", PERF_TYPE_SOFTWARE, 6},
                                         Known{"alignment-faults", "alignment-faults", PERF_TYPE_SOFTWARE, 7},
                                         Known{"emulation-faults", "emulation-faults", PERF_TYPE_SOFTWARE, 8},
                                         Known{"bpf-output", "bpf-output", PERF_TYPE_SOFTWARE, 10},
                                         Known{"cgroup-switches", "cgroup-switches", PERF_TYPE_SOFTWARE, 11},
                                         Known{"cpu-cycles", "cycles", PERF_TYPE_HARDWARE, 0},
                                         Known{"instructions:freq=100", "instructions", PERF_TYPE_HARDWARE, 1},
                                         Known{"cache-misses", "cache-misses", PERF_TYPE_HARDWARE, 3},
                                         Known{"ref-cycles", "ref-cycles", PERF_TYPE_HARDWARE, 9},
                                         Known{"L1-dcache-load-misses", "L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
                                               0x10000},
                                         Known{"LLC-stores", "LLC-stores", PERF_TYPE_HW_CACHE, 0x102},
                                         Known{"dTLB-prefetches", "dTLB-prefetches", PERF_TYPE_HW_CACHE, 0x203},
                                         Known{"r1a2:period=9", "r1a2", PERF_TYPE_RAW, 0x1A2},
                                         Known{"rFFFFFFFFFFFFFFFF", "rFFFFFFFFFFFFFFFF", PERF_TYPE_RAW, UINT64_MAX}));

TEST(Names, AMistypedNameGetsTheNearest) {
    const auto event = parse_event("cylces:period=5");
    ASSERT_FALSE(event);
    EXPECT_EQ(event.error().kind, ErrorKind::kUnknownEvent);
    EXPECT_EQ(event.error().what, "no such event: cylces");
    EXPECT_THAT(event.error().next, testing::HasSubstr("did you mean cycles"));
    EXPECT_EQ(parse_event("qqqqqqqqqqqq").error().next, "list the events with: kymo doctor --events");
}

TEST(Names, AnotherProcessorsEventIsToldApartFromNoEvent) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "libpfm knows one family of processors here";
#endif
    // Of 1999: in libpfm's tables and in no machine that runs this.
    const auto event = parse_event("amd64_k7::CPU_CLK_UNHALTED");
    ASSERT_FALSE(event);
    EXPECT_EQ(event.error().kind, ErrorKind::kUnsupported);
    EXPECT_THAT(event.error().what, testing::HasSubstr("not this processor's"));
}

TEST(Names, Tracepoints) {
    char name[] = "/tmp/kymo-tracing-XXXXXX";
    const std::filesystem::path folder = mkdtemp(name);
    std::filesystem::create_directories(folder / "events/sched/sched_switch");
    std::ofstream(folder / "events/sched/sched_switch/id") << "314\n";
    const NamePlaces places{kDevices, {folder}};
    const auto event = parse_event("sched:sched_switch", places);
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_EQ(event->type, static_cast<std::uint32_t>(PERF_TYPE_TRACEPOINT));
    EXPECT_EQ(event->config, 314U);
    EXPECT_EQ(parse_event("sched:nothing", places).error().kind, ErrorKind::kUnknownEvent);
    EXPECT_EQ(parse_event("sched:sched_switch", {kDevices, {folder / "absent"}}).error().kind,
              ErrorKind::kUnsupported);
    std::filesystem::remove_all(folder);
    EXPECT_FALSE(is_tracepoint_form("sched:../../x"));
    EXPECT_FALSE(is_tracepoint_form("a:b:c"));
    EXPECT_FALSE(is_tracepoint_form(":b"));
}

TEST(Names, RawCodesHaveBounds) {
    for (const char* name : {"r", "rxyz", "r12345678901234567", "r-1"}) {
        EXPECT_FALSE(parse_event(name)) << name;
    }
}

}  // namespace
}  // namespace kymo::events
