// The system's clock tells the same time as the C library's, and is found in the kernel's page where there is one.
#include "base/system_clock.h"

#include <gtest/gtest.h>
#include <sys/auxv.h>

namespace kymo {
namespace {

class SystemClock : public ::testing::Test {
  protected:
    ~SystemClock() override { clock_function = before_; }
    ClockFunction before_ = clock_function;
};

TEST_F(SystemClock, TellsTheSameTime) {
    for (const clockid_t clock :
         {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID}) {
        clock_function = &clock_gettime;
        const TimePoint first = read_clock(clock);
        use_system_clock();
        const TimePoint between = read_clock(clock);
        clock_function = &clock_gettime;
        const TimePoint last = read_clock(clock);
        EXPECT_LE(first, between);
        EXPECT_LE(between, last);
    }
}

TEST_F(SystemClock, IsTheKernelsOwnFunction) {
    if (getauxval(AT_SYSINFO_EHDR) == 0) {
        GTEST_SKIP() << "the kernel maps no page of functions here";
    }
    use_system_clock();
    const auto address = reinterpret_cast<std::uint64_t>(clock_function);
    EXPECT_LT(address - getauxval(AT_SYSINFO_EHDR), 65536U);
}

}  // namespace
}  // namespace kymo
