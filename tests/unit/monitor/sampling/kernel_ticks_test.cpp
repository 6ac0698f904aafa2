// Whether a thread is looked at in the kernel, by the samples that its clock has not taken; and where a tick found
// it.
#include "monitor/sampling/kernel_ticks.h"

#include "../usage.h"

#include <gtest/gtest.h>

namespace kymo::monitor {
namespace {

using testing::used;

constexpr std::uint64_t kMilli = 1'000'000;
using Choice = KernelTicks::Choice;

// So many samples by the time that the thread's clock says `clock`.
Choice choose(KernelTicks& ticks, int samples, std::uint64_t clock) {
    for (int i = 0; i < samples; ++i) {
        ticks.count_sample();
    }
    return ticks.choose(clock, kMilli);
}

TEST(KernelTicks, AThreadWhoseSamplesAllComeIsLeftAlone) {
    KernelTicks ticks;
    for (std::uint64_t ms = 1; ms <= 1000; ++ms) {
        ASSERT_EQ(choose(ticks, 1, ms * kMilli), Choice::kAsItIs);
    }
}

TEST(KernelTicks, ATwentiethWithoutSamplesIsEnoughOverAWindow) {
    KernelTicks ticks;
    EXPECT_EQ(choose(ticks, 19, 20 * kMilli), Choice::kAsItIs) << "one of twenty";
    EXPECT_EQ(choose(ticks, 18, 40 * kMilli), Choice::kBegin);
    KernelTicks at_once;
    EXPECT_EQ(choose(at_once, 1, 3 * kMilli), Choice::kBegin) << "two of three";
}

TEST(KernelTicks, ItEndsLongAfterTheThreadHasLeftTheKernel) {
    KernelTicks ticks;
    ASSERT_EQ(choose(ticks, 1, 10 * kMilli), Choice::kBegin);
    ticks.begin(used(0, 0));
    EXPECT_TRUE(ticks.is_on());
    EXPECT_EQ(choose(ticks, 499, 509 * kMilli), Choice::kAsItIs);
    EXPECT_EQ(choose(ticks, 1, 510 * kMilli), Choice::kEnd);
    ticks.end();
    EXPECT_FALSE(ticks.is_on());
    EXPECT_EQ(choose(ticks, 500, 1010 * kMilli), Choice::kAsItIs);
    ticks.refuse();
    EXPECT_EQ(choose(ticks, 0, 2000 * kMilli), Choice::kAsItIs);
}

#if defined(__x86_64__)
ucontext_t at(greg_t instruction, greg_t call, greg_t flags, greg_t kept_flags) {
    ucontext_t context{};
    context.uc_mcontext.gregs[REG_RIP] = instruction;
    context.uc_mcontext.gregs[REG_RCX] = call;
    context.uc_mcontext.gregs[REG_EFL] = flags;
    context.uc_mcontext.gregs[REG_R11] = kept_flags;
    return context;
}

TEST(KernelTicks, ACallIsKnownByItsRegistersAndAFaultByTheKernelsAccount) {
    KernelTicks ticks;
    ticks.begin(used(1000, 100));
    // The system's part falls each time.
    EXPECT_TRUE(ticks.found_kernel(at(0x1000, 0x1000, 0x246, 0x246), used(2000, 101))) << "back from a call";
    EXPECT_TRUE(ticks.found_kernel(at(0x1000, 0x1002, 0x246, 0x246), used(3000, 102))) << "to be made again";
    EXPECT_FALSE(ticks.found_kernel(at(0x1000, 0x1001, 0x246, 0x246), used(4000, 103)));
    EXPECT_FALSE(ticks.found_kernel(at(0x1000, 0x1000, 0x246, 0x202), used(5000, 104)));
    rusage usage = used(5001, 4000);
    EXPECT_FALSE(ticks.found_kernel(at(0x1000, 0, 0x246, 0), usage)) << "the interrupt of a sample";
    usage = used(5002, 6000);
    usage.ru_minflt = 1;
    EXPECT_TRUE(ticks.found_kernel(at(0x1000, 0, 0x246, 0), usage)) << "a fault";
    usage = used(9000, 6001);
    usage.ru_minflt = 2;
    EXPECT_FALSE(ticks.found_kernel(at(0x1000, 0, 0x246, 0), usage)) << "one before the tick";
}
#endif

}  // namespace
}  // namespace kymo::monitor
