// Hooked functions do what they did, and are counted at entry and exit however they are left.
#include "harness.h"
#include "hooked.h"

#include <csignal>
#include <execinfo.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace kymo::hooks::testing {
namespace {

TEST(Plan, FindsEveryFunction) {
    for (std::size_t i = 0; i < kFunctions; ++i) {
        const Outcome& outcome = planned().outcomes[i];
        EXPECT_EQ(outcome.entries + outcome.imports, 1U)
            << i << (outcome.refused.empty() ? "" : outcome.refused[0].reason);
    }
    EXPECT_EQ(planned().outcomes[kImported].imports, 1U);
    EXPECT_GE(hooked().slots(), 1U);
}

TEST(Returns, ArgumentsAndResultsOfEveryKind) {
    const HookedThread thread;
    EXPECT_EQ(hooked_plain(2, 40), 46);
    EXPECT_EQ(hooked_plain(-2, -40), -46);
    EXPECT_EQ(hooked_many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 1.5, 2, 4), 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 3 - 4);
    EXPECT_EQ(hooked_returns_pair(6).b, 42);
    EXPECT_EQ(hooked_returns_big(6).words[5], 11);
    EXPECT_EQ(hooked_long_double(4), 6);
    EXPECT_EQ(hooked_variadic("%d %.1f %s", 5, 2.5, "x"), 7);
    EXPECT_EQ(hooked_with_global(2), 7);
    const int seven = 7;
    EXPECT_EQ(hooked_condition_first(&seven), 12);
    EXPECT_EQ(hooked_condition_first(nullptr), -1);
    EXPECT_EQ(hooked_tiny(), 7);
    EXPECT_EQ(hooked_patchable(1), 10);
    for (const Function f :
         {kManyArguments, kReturnsPair, kReturnsBig, kLongDouble, kVariadic, kWithGlobal, kTiny, kPatchable}) {
        EXPECT_EQ(thread.entries(f), 1U) << f;
        EXPECT_EQ(thread.exits(f), 1U) << f;
    }
    EXPECT_EQ(thread.entries(kConditionFirst), 2U);
    EXPECT_EQ(thread.exits(kConditionFirst), 2U);
    EXPECT_EQ(thread.exits(kPlain), 2U);
    EXPECT_EQ(thread.argument(), 0U);  // 40 − 40
    EXPECT_EQ(thread.result(), 0U);
}

TEST(Returns, ByTableEntry) {
    const HookedThread thread;
    EXPECT_EQ(getppid(), getppid());
    EXPECT_EQ(thread.entries(kImported), 2U);
    EXPECT_EQ(thread.exits(kImported), 2U);
}

TEST(Returns, ThroughPointersAndVirtualFunctions) {
    const HookedThread thread;
    int (*volatile pointer)(int, int) = hooked_plain;
    EXPECT_EQ(pointer(1, 1), 4);
    HookedDerived derived;
    HookedBase base;
    HookedBase* volatile objects[] = {&base, &derived};
    EXPECT_EQ(objects[0]->hooked_virtual(1), 2);
    EXPECT_EQ(objects[1]->hooked_virtual(1), 3);
    EXPECT_EQ(thread.entries(kPlain), 1U);
    EXPECT_EQ(thread.exits(kBaseVirtual), 1U);
    EXPECT_EQ(thread.exits(kDerivedVirtual), 1U);
}

TEST(Returns, TenThousandDeep) {
    const HookedThread thread;
    EXPECT_EQ(hooked_recursive(10'000), 1UL + 10'000UL * 10'001 / 2);
    EXPECT_EQ(hooked_recursive(10'000), 1UL + 10'000UL * 10'001 / 2);
    EXPECT_EQ(thread.entries(kRecursive), 20'002U);
    EXPECT_EQ(thread.exits(kRecursive), 20'002U);
}

TEST(Returns, TailCallsAreLeftWithWhatTheyJumpTo) {
    const HookedThread thread;
    EXPECT_EQ(hooked_tail_outer(5), 110);
    EXPECT_EQ(thread.entries(kTailOuter), 1U);
    EXPECT_EQ(thread.exits(kTailOuter), 1U);
    EXPECT_EQ(thread.entries(kTailInner), 1U);
    EXPECT_EQ(thread.exits(kTailInner), 1U);
}

TEST(Returns, EndlessTailCallsTakeNoEndlessRoom) {
    const HookedThread thread;
    EXPECT_EQ(hooked_tail_loop(1'000'000, 0), 1'000'000);
    EXPECT_EQ(thread.entries(kTailLoop), 500'001U);
    EXPECT_EQ(thread.exits(kTailLoop), 500'001U);
    EXPECT_EQ(thread.entries(kTailLoopOther), 500'000U);
    EXPECT_EQ(thread.exits(kTailLoopOther), 500'000U);
}

// The classic question: how long does foo spend sending? What others send is not to be counted.
TEST(Metrics, SendInFoo) {
    const HookedThread thread;
    long measured = 0;
    for (int round = 0; round < 20; ++round) {
        measured += hooked_foo(10, 200'000);
        hooked_bar(5, 200'000);
    }
    EXPECT_EQ(thread.entries(kSend), 300U);
    // Between what each send waits for inside and what foo measures around it, whoever has the processor meanwhile.
    // The counter's rate is known to better than one in a thousand.
    constexpr double kInside = 20 * 10 * 200'000.0;
    EXPECT_GE(static_cast<double>(thread.send_in_foo_ns()), 0.999 * kInside);
    EXPECT_LE(static_cast<double>(thread.send_in_foo_ns()), 1.001 * static_cast<double>(measured));
}

TEST(Unwinding, ExceptionsLeaveWhatTheyPass) {
    HookedThread thread;
    std::string order;
    struct Note {
        std::string* order;
        HookedThread* thread;
        ~Note() { *order += std::to_string(thread->exits(kCallsInner)); }
    };
    try {
        const Note outer{&order, &thread};
        hooked_calls([&] {
            hooked_calls_inner([&] {
                const Note inner{&order, &thread};
                hooked_calls_inner([] { throw std::runtime_error("thrown"); });
            });
        });
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "thrown");
    }
    EXPECT_EQ(order, "12");  // one exit before the inner clean-up, both before the outer one
    EXPECT_EQ(thread.entries(kCalls), 1U);
    EXPECT_EQ(thread.exits(kCalls), 1U);
    EXPECT_EQ(thread.exits(kCallsInner), 2U);
    EXPECT_EQ(hooked_plain(1, 1), 4);
}

TEST(Unwinding, CaughtOnTheWayAndThrownAgain) {
    const HookedThread thread;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_THROW(hooked_calls([] {
                         try {
                             hooked_calls_inner([] { throw 1; });
                         } catch (int) {
                             hooked_plain(1, 1);
                             throw;
                         }
                     }),
                     int);
    }
    EXPECT_EQ(thread.exits(kCalls), 1000U);
    EXPECT_EQ(thread.exits(kCallsInner), 1000U);
    EXPECT_EQ(thread.exits(kPlain), 1000U);
}

TEST(Unwinding, ThroughTailCalls) {
    const HookedThread thread;
    EXPECT_THROW(hooked_calls([] {
                     hooked_tail_outer(1);
                     throw 1;
                 }),
                 int);
    EXPECT_EQ(thread.exits(kTailOuter), 1U);
    EXPECT_EQ(thread.exits(kCalls), 1U);
}

TEST(Unwinding, LongjmpLeavesWhenNextSeen) {
    const HookedThread thread;
    for (int i = 0; i < 100; ++i) {
        std::jmp_buf here;
        if (setjmp(here) == 0) {
            hooked_calls([&] { hooked_jumps(here); });
        }
        EXPECT_EQ(hooked_plain(1, 2), 5);
    }
    EXPECT_EQ(thread.entries(kJumps), 100U);
    EXPECT_EQ(thread.exits(kJumps), 100U);
    EXPECT_EQ(thread.exits(kCalls), 100U);
    EXPECT_EQ(thread.exits(kPlain), 100U);
}

TEST(Unwinding, LongjmpLeavesWhenOneWithoutExitIsEntered) {
    const HookedThread thread;
    for (unsigned i = 0; i < 100; ++i) {
        std::jmp_buf here;
        if (setjmp(here) == 0) {
            hooked_calls([&] { hooked_jumps(here); });
        }
        EXPECT_EQ(hooked_entry_only(1), 12);
        EXPECT_EQ(thread.exits(kJumps), i + 1);
        EXPECT_EQ(thread.exits(kCalls), i + 1);
    }
    EXPECT_EQ(thread.entries(kEntryOnly), 100U);
}

TEST(Unwinding, LongjmpLeavesAtALine) {
    const HookedThread thread;
    std::jmp_buf here;
    if (setjmp(here) == 0) {
        hooked_calls([&] { hooked_jumps(here); });
    }
    EXPECT_EQ(hooked_recursive(0), 1U);
    EXPECT_EQ(thread.lines(), 1U);
    EXPECT_EQ(thread.exits(kJumps), 1U);
    EXPECT_EQ(thread.exits(kCalls), 1U);
}

__attribute__((noinline)) void leave_skipped_by_caller() {
    leave_skipped(reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
}

TEST(Unwinding, WhatLongjmpSkippedIsLeftWhenTheProcessEnds) {
    const HookedThread thread;
    hooked_calls([&] {
        std::jmp_buf here;
        if (setjmp(here) == 0) {
            hooked_calls_inner([&] { hooked_jumps(here); });
        }
        leave_skipped_by_caller();
        EXPECT_EQ(thread.exits(kJumps), 1U);
        EXPECT_EQ(thread.exits(kCallsInner), 1U);
        EXPECT_EQ(thread.exits(kCalls), 0U) << "it is still running";
    });
    EXPECT_EQ(thread.exits(kCalls), 1U);
}

TEST(Unwinding, BacktraceSeesTheCallers) {
    const HookedThread thread;
    void* plain[64];
    void* through[64];
    int plain_size = 0;
    int through_size = 0;
    const std::function<void()> take = [&] { through_size = backtrace(through, 64); };
    plain_size = backtrace(plain, 64);
    hooked_calls([&] { hooked_calls_inner(take); });
    ASSERT_GT(through_size, plain_size);
    // From main on they are the same.
    for (int i = 1; i < plain_size - 1; ++i) {
        EXPECT_EQ(plain[plain_size - i], through[through_size - i]) << i;
    }
}

void* wait_for_cancel(void* given) {
    const HookedThread thread;
    auto* exits = static_cast<std::uint64_t*>(given);
    struct Note {
        std::uint64_t* exits;
        const HookedThread* thread;
        ~Note() { *exits = thread->exits(kCalls) * 10 + thread->exits(kCallsInner); }
    } const note{exits, &thread};
    hooked_calls([] { hooked_calls_inner([] { pause(); }); });
    return nullptr;
}

TEST(Unwinding, CancellationLeavesWhatItPasses) {
    hooked();
    for (int i = 0; i < 20; ++i) {
        std::uint64_t exits = 0;
        pthread_t thread{};
        ASSERT_EQ(pthread_create(&thread, nullptr, wait_for_cancel, &exits), 0);
        pthread_cancel(thread);
        void* result = nullptr;
        pthread_join(thread, &result);
        EXPECT_EQ(result, PTHREAD_CANCELED);
        if (exits != 0) {  // it had come as far
            EXPECT_EQ(exits, 11U);
        }
    }
}

TEST(Threads, EightHookTheSame) {
    hooked();
    std::vector<std::thread> threads;
    std::array<std::uint64_t, 8> exits{};
    for (std::size_t t = 0; t < exits.size(); ++t) {
        threads.emplace_back([t, &exits] {
            const HookedThread thread;
            for (int i = 0; i < 3'000; ++i) {
                hooked_calls([i] { hooked_plain(i, 1); });
                hooked_recursive(i % 300U);
            }
            exits[t] = thread.exits(kPlain) * 100'000 + thread.entries(kCalls);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::uint64_t exit : exits) {
        EXPECT_EQ(exit, 3'000ULL * 100'000 + 3'000);
    }
}

TEST(Threads, OneWithoutHooksRunsAsItIs) {
    hooked();
    std::thread([] {
        EXPECT_EQ(hooked_plain(1, 1), 4);
        EXPECT_EQ(hooked_recursive(10), 56UL);
    }).join();
}

TEST(Threads, ForkedChildGoesOn) {
    HookedThread thread;
    hooked_calls([&] {
        const pid_t child = fork();
        if (child == 0) {
            after_fork(&thread.hooks(), static_cast<int>(getpid()));
            Thread moved;
            continue_thread(moved, thread.hooks(), thread.hooks().task);
            const bool good = hooked_plain(1, 1) == 4 && thread.exits(kPlain) == 1 && hooked_recursive(500) != 0;
            _exit(good ? 0 : 1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    });
    EXPECT_EQ(thread.exits(kCalls), 1U);
    EXPECT_EQ(thread.exits(kPlain), 0U);
}

std::uint64_t handled = 0;

void handler(int /*signal*/) {
    hooked_plain(1, 1);
    hooked_calls([] { hooked_recursive(20); });
    ++handled;
}

TEST(Signals, HandlersCallHookedFunctionsAtAnyMoment) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer keeps signals back until the program calls the C library";
#endif
    const HookedThread thread;
    std::vector<std::uint8_t> stack(64 * 1024);
    for (const bool alternate : {false, true}) {
        stack_t given{stack.data(), alternate ? 0 : SS_DISABLE, stack.size()};
        sigaltstack(&given, nullptr);
        struct sigaction action{};
        action.sa_handler = handler;
        action.sa_flags = alternate ? SA_ONSTACK : 0;
        sigaction(SIGVTALRM, &action, nullptr);
        itimerval timer{{0, 50}, {0, 50}};
        const std::uint64_t before = handled;
        const std::uint64_t exits = thread.exits(kPlain);
        setitimer(ITIMER_VIRTUAL, &timer, nullptr);
        std::uint64_t calls = 0;
        for (; handled < before + 60 && calls < 2'000'000'000; ++calls) {
            hooked_plain(1, 2);
        }
        timer = {};
        setitimer(ITIMER_VIRTUAL, &timer, nullptr);
        EXPECT_EQ(thread.exits(kPlain) - exits, calls + handled - before);
        EXPECT_EQ(thread.entries(kPlain), thread.exits(kPlain));
        EXPECT_EQ(thread.entries(kRecursive), thread.exits(kRecursive));
    }
    EXPECT_EQ(thread.entries(kRecursive), handled * 21);
}

ucontext_t to_main;
ucontext_t to_coroutine[2];

void coroutine(int number) {
    hooked_calls([number] {
        for (int i = 0; i < 1000; ++i) {
            hooked_plain(number, i);
            hooked_calls_inner([number] { swapcontext(&to_coroutine[number], &to_main); });
        }
    });
    swapcontext(&to_coroutine[number], &to_main);
}

TEST(Coroutines, SwitchInTheMiddleOfHookedFunctions) {
    const HookedThread thread;
    std::vector<std::uint8_t> stacks[2] = {std::vector<std::uint8_t>(256 * 1024),
                                           std::vector<std::uint8_t>(256 * 1024)};
    for (int i = 0; i < 2; ++i) {
        getcontext(&to_coroutine[i]);
        to_coroutine[i].uc_stack.ss_sp = stacks[i].data();
        to_coroutine[i].uc_stack.ss_size = stacks[i].size();
        to_coroutine[i].uc_link = &to_main;
        makecontext(&to_coroutine[i], reinterpret_cast<void (*)()>(coroutine), 1, i);
    }
    for (int i = 0; i < 1001; ++i) {
        for (ucontext_t& other : to_coroutine) {
            hooked_tail_outer(1);
            swapcontext(&to_main, &other);
        }
    }
    EXPECT_EQ(thread.exits(kPlain), 2000U);
    EXPECT_EQ(thread.exits(kCallsInner), 2000U);
    EXPECT_EQ(thread.exits(kCalls), 2U);
    EXPECT_EQ(thread.exits(kTailOuter), 2002U);
}

}  // namespace
}  // namespace kymo::hooks::testing
