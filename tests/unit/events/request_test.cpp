#include "events/request.h"

#include <gtest/gtest.h>

namespace kymo::events {
namespace {

struct Good {
    const char* text;
    const char* name;
    Mode mode;
    std::uint64_t value;
    int precise;
};

class GoodRequest : public testing::TestWithParam<Good> {};

TEST_P(GoodRequest, IsTakenApart) {
    const auto request = parse_request(GetParam().text);
    ASSERT_TRUE(request) << request.error().what;
    EXPECT_EQ(request->name, GetParam().name);
    EXPECT_EQ(request->mode, GetParam().mode);
    EXPECT_EQ(request->value, GetParam().value);
    EXPECT_EQ(request->precise, GetParam().precise);
}

INSTANTIATE_TEST_SUITE_P(
    Table, GoodRequest,
    testing::Values(Good{"cycles", "cycles", Mode::kCount, 0, 0},
                    Good{"page-faults:period=1", "page-faults", Mode::kPeriod, 1, 0},
                    Good{"task-clock:freq=997", "task-clock", Mode::kFrequency, 997, 0},
                    Good{"cycles:period=2M:precise=2", "cycles", Mode::kPeriod, 2'000'000, 2},
                    Good{"cycles:precise=3:freq=4k", "cycles", Mode::kFrequency, 4000, 3},
                    Good{"sched:sched_switch", "sched:sched_switch", Mode::kCount, 0, 0},
                    Good{"skx::L2_RQSTS:MISS:period=100", "skx::L2_RQSTS:MISS", Mode::kPeriod, 100, 0},
                    Good{"cpu/event=0x3c,umask=0/:freq=100", "cpu/event=0x3c,umask=0/", Mode::kFrequency, 100, 0},
                    Good{"cpu/cache-misses,period=5/", "cpu/cache-misses,period=5/", Mode::kCount, 0, 0},
                    Good{"r01c2:period=18446744073709551615", "r01c2", Mode::kPeriod, UINT64_MAX, 0}));

class BadRequest : public testing::TestWithParam<const char*> {};

TEST_P(BadRequest, IsRefusedAsUsage) {
    const auto request = parse_request(GetParam());
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().kind, ErrorKind::kUsage);
    EXPECT_FALSE(request.error().next.empty());
    EXPECT_EQ(request.error().what.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Table, BadRequest,
                         testing::Values("", ":period=1", "cycles:period=", "cycles:period=x", "cycles:period=-1",
                                         "cycles:period=0", "cycles:freq=0", "cycles:period=1:freq=2",
                                         "cycles:freq=1:freq=1", "cycles:precise=4", "cycles:precise=1:precise=1",
                                         "cycles:period=18446744073709551616", "cycles:period=99999999999999999999G",
                                         "two words", "tab\tname", "cycles:period=1e6", "cycles:freq=1 "));

TEST(Request, RefusesAnOverlongName) {
    EXPECT_TRUE(parse_request(std::string(kEventNameBytes - 1, 'x')));
    EXPECT_FALSE(parse_request(std::string(kEventNameBytes, 'x')));
}

TEST(RequestList, IsSeparatedByCommasOutsideOfTerms) {
    using List = std::vector<std::string>;
    EXPECT_EQ(split_requests("page-faults"), List{"page-faults"});
    EXPECT_EQ(split_requests("page-faults:period=1,cpu-clock"), (List{"page-faults:period=1", "cpu-clock"}));
    EXPECT_EQ(split_requests("cpu/event=0x3c,umask=0/:freq=100,cycles"),
              (List{"cpu/event=0x3c,umask=0/:freq=100", "cycles"}));
    EXPECT_EQ(split_requests("cpu/event=0x3c,umask=0"), List{"cpu/event=0x3c,umask=0"});
    EXPECT_EQ(split_requests("a,,b"), (List{"a", "", "b"}));
    EXPECT_EQ(split_requests(""), List{""});
}

}  // namespace
}  // namespace kymo::events
