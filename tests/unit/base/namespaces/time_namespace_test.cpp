// What a time namespace adds to the clock, by the kernel's text, and in a namespace where one may be made.
#include "base/namespaces/time_namespace.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>

namespace kymo {
namespace {

TEST(TimeNamespace, TheShiftIsReadFromTheKernelsText) {
    EXPECT_EQ(monotonic_shift_of("monotonic           0         0\nboottime            7         0\n"), 0);
    EXPECT_EQ(monotonic_shift_of("monotonic       86400 500000000\nboottime            0         0\n"),
              86'400'500'000'000);
    EXPECT_EQ(monotonic_shift_of("monotonic         -10 999999999\n"), -9'000'000'001);
    EXPECT_EQ(monotonic_shift_of("1         3         4\n7         0         0\n"), 3'000'000'004);
}

TEST(TimeNamespace, OtherTextsGiveNothing) {
    for (const char* text : {"", "monotonic", "monotonic 5", "monotonic -", "boottime 1 2\n", "monotonic a 1",
                             "monotonic 99999999999999999999 0", "monotonic 4000000000 0", "1", "1 1"}) {
        EXPECT_EQ(monotonic_shift_of(text), std::nullopt) << text;
    }
}

// In a child each, of which the first only makes the namespace.
TEST(TimeNamespace, NowIsTheSameInside) {
#ifndef CLONE_NEWTIME
    constexpr int CLONE_NEWTIME = 0x80;
#endif
    enum { kSame, kOther, kNotAllowed };
    const pid_t maker = fork();
    if (maker == 0) {
        find_time_namespace();
        if (unshare(CLONE_NEWTIME) != 0) {
            _exit(kNotAllowed);
        }
        const int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
        constexpr std::string_view kOffset = "monotonic 86400 123456789";
        if (file < 0 || write(file, kOffset.data(), kOffset.size()) < 0) {
            _exit(kNotAllowed);
        }
        close(file);
        const TimePoint before = monotonic_now();
        const pid_t inside = fork();
        if (inside == 0) {
            const bool is_shifted = monotonic_now().ns - before.ns > 86'000'000'000'000;
            find_time_namespace();
            const std::uint64_t passed = monotonic_now().ns - before.ns;
            _exit(is_shifted && passed < 1'000'000'000'000 && monotonic_shift == 86'400'123'456'789 ? kSame : kOther);
        }
        int status = 0;
        waitpid(inside, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : kOther);
    }
    int status = 0;
    ASSERT_EQ(waitpid(maker, &status, 0), maker);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNotAllowed) {
        GTEST_SKIP() << "no time namespace may be made here";
    }
    EXPECT_EQ(WEXITSTATUS(status), kSame);
}

}  // namespace
}  // namespace kymo
