#include "import/waits/blocking_call.h"

#include "import/waits/wait_calls.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <string_view>
#include <sys/syscall.h>
#include <vector>

namespace kymo::import {
namespace {

using recording::WaitKind;

TEST(BlockingCall, HasAKindAndAnObject) {
    const auto futex =
        blocking_call(SYS_futex, {0x1000, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 0, 0});
    ASSERT_TRUE(futex);
    EXPECT_EQ(futex->kind, WaitKind::kFutex);
    EXPECT_EQ(futex->object, 0x1000U);
    const auto read = blocking_call(SYS_read, {7, 0x2000, 10, 0});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, WaitKind::kRead);
    EXPECT_EQ(read->object, 7U);
    EXPECT_EQ(blocking_call(SYS_clock_nanosleep, {0, 0, 0, 0})->kind, WaitKind::kSleep);
    EXPECT_EQ(blocking_call(SYS_wait4, {0, 0, 0, 0})->kind, WaitKind::kChild);
}

TEST(BlockingCall, OthersAreNone) {
    EXPECT_FALSE(blocking_call(SYS_futex, {0x1000, FUTEX_WAKE, 1, 0}));
    EXPECT_FALSE(blocking_call(SYS_getpid, {}));
    EXPECT_FALSE(blocking_call(SYS_sched_yield, {}));
    EXPECT_FALSE(blocking_call(100'000, {}));
}

TEST(NumberOfCall, IsThatOfTheLibrarysOwnCalls) {
    struct Expected {
        const char* function;
        std::uint64_t number;
    };
    for (const auto& [function, number] : std::vector<Expected>{{"read", SYS_read},
                                                                {"write", SYS_write},
                                                                {"fsync", SYS_fsync},
                                                                {"accept", SYS_accept},
                                                                {"connect", SYS_connect},
                                                                {"ppoll", SYS_ppoll},
                                                                {"epoll_pwait", SYS_epoll_pwait},
                                                                {"wait4", SYS_wait4},
                                                                {"recvmsg", SYS_recvmsg}}) {
        const auto* code = static_cast<const std::uint8_t*>(dlsym(RTLD_DEFAULT, function));
        ASSERT_NE(code, nullptr) << function;
        // The first place in it that is a system call to us.
        std::optional<std::uint64_t> found;
        for (std::size_t end = 4; end < 400 && !found; ++end) {
            const std::size_t looked = std::min(end, kCallCode);
            found = number_of_call({code + end - looked, looked});
        }
        EXPECT_EQ(found, number) << function;
    }
}

#if defined(__x86_64__)
TEST(NumberOfCall, IsUnknownWhereItIsNoConstant) {
    using Code = std::vector<std::uint8_t>;
    EXPECT_EQ(number_of_call(Code{0xb8, 0xca, 0, 0, 0, 0x0f, 0x05}), SYS_futex);
    EXPECT_EQ(number_of_call(Code{0x31, 0xc0, 0x0f, 0x05}), 0U);
    // mov $8, %r10d and xor %r8d, %r8d write other registers.
    EXPECT_EQ(number_of_call(Code{0xb8, 0x07, 0, 0, 0, 0x41, 0xba, 8, 0, 0, 0, 0x45, 0x31, 0xc0, 0x0f, 0x05}), 7U);
    // mov %rdi, %rax, as in syscall(3); a function's first instruction; a number that none has.
    EXPECT_FALSE(number_of_call(Code{0xb8, 0xca, 0, 0, 0, 0x48, 0x89, 0xf8, 0x0f, 0x05}));
    EXPECT_FALSE(number_of_call(Code{0xb8, 0xca, 0, 0, 0, 0xc3, 0x0f, 0x05}));
    EXPECT_FALSE(number_of_call(Code{0xb8, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x05}));
    EXPECT_FALSE(number_of_call(Code{0xb8, 0xca, 0, 0, 0, 0x90}));  // no system call
    EXPECT_FALSE(number_of_call(Code{0x0f, 0x05}));
    EXPECT_FALSE(number_of_call({}));
}
#endif

TEST(WaitCalls, KnowTheFunctionsOfTheCLibrary) {
    void* const library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    Dl_info facts{};
    ASSERT_NE(dladdr(dlsym(library, "pthread_join"), &facts), 0);
    const auto offset = [&](const char* function) {
        const auto at = reinterpret_cast<std::uint64_t>(dlsym(library, function));
        EXPECT_NE(at, 0U) << function;
        return at - reinterpret_cast<std::uint64_t>(facts.dli_fbase);
    };
    WaitCalls calls;
    EXPECT_EQ(calls.at(facts.dli_fname, offset("pthread_join") + 4), WaitKind::kJoin);
    EXPECT_EQ(calls.at(facts.dli_fname, offset("pthread_barrier_wait") + 4), WaitKind::kBarrier);
    EXPECT_EQ(calls.at(facts.dli_fname, offset("sem_wait") + 4), WaitKind::kSemaphore);
    EXPECT_FALSE(calls.at(facts.dli_fname, offset("qsort") + 4));
    EXPECT_FALSE(calls.at("/nowhere", 4));
    EXPECT_FALSE(calls.at("/dev/null", 4));
    dlclose(library);
}

}  // namespace
}  // namespace kymo::import
