// Walks of live stacks, held against glibc's backtrace().
#include "walk_in_handler.h"

#include <csetjmp>
#include <cstdlib>
#include <set>
#include <thread>

#ifdef __SANITIZE_THREAD__
extern "C" {
// The handlers use the C library, as glibc's backtrace() does, which is safe where their signals come: at
// raise() and at instructions of our own. That our walk calls nothing of it is shown by the list of what the monitor
// may link.
[[gnu::visibility("default")]] const char* __tsan_default_options() {
    return "report_signal_unsafe=0";
}
}
#endif

namespace kymo::unwind::test {
namespace {

TEST(Walk, SameAsBacktrace) {
    walk_and_compare();
    recurse(10, [] { walk_and_compare(); });
}

TEST(Walk, ThousandFramesOfRecursion) {
    recurse(1000, [] {
        Path path;
        walk_and_compare(&path);
        EXPECT_GT(path.frames.size(), 1000U);
    });
}

TEST(Walk, EndsAtTheThreadsStart) {
    std::thread([] { recurse(5, [] { walk_and_compare(); }); }).join();
}

TEST(Walk, OffsetsAndImagesFit) {
    Path path;
    walk_and_compare(&path);
    std::set<std::uint32_t> seen;
    for (const Frame& frame : path.frames) {
        const auto& entry = images().entry(frame.image);
        EXPECT_EQ(frame.address - entry.bias, frame.offset);
        EXPECT_TRUE(entry.image->range.holds(frame.address));
        seen.insert(raw(frame.image));
    }
    EXPECT_GE(seen.size(), 2U) << "the program and libc at least";
}

TEST(Walk, TooDeepKeepsTheInnermost) {
    recurse(50, [] {
        const Registers here = capture_here();
        const MemoryView stack = MemoryView::live(here.sp(), stack_end());
        const Path whole = walk_from(here, stack);
        const Path part = walk_from(here, stack, nullptr, 20);
        EXPECT_EQ(part.result.end, PathEnd::kTooDeep);
        ASSERT_EQ(part.frames.size(), 20U);
        for (std::size_t i = 0; i < 20; ++i) {
            EXPECT_EQ(part.frames[i].address, whole.frames[i].address);
        }
        EXPECT_EQ(walk_from(here, stack, nullptr, 0).result.count, 0U);
    });
}

TEST(Walk, OverACopiedStackTheSame) {
    recurse(30, [] {
        const Registers here = capture_here();
        std::vector<std::uint8_t> copy(stack_end() - here.sp());
        ASSERT_EQ(copy_memory(here.sp(), copy).end(), stack_end());
        const Path live = walk_live(here);
        const Path copied = walk_from(here, MemoryView::copied(here.sp(), copy));
        ASSERT_EQ(copied.frames.size(), live.frames.size());
        EXPECT_EQ(copied.result.end, PathEnd::kComplete);
        for (std::size_t i = 0; i < live.frames.size(); ++i) {
            EXPECT_EQ(copied.frames[i].address, live.frames[i].address);
        }
        // A copy that ends in the middle ends the path there.
        const Path cut = walk_from(here, MemoryView::copied(here.sp(), std::span(copy).first(1024)));
        EXPECT_EQ(cut.result.end, PathEnd::kOutsideStack);
        EXPECT_LT(cut.frames.size(), live.frames.size());
    });
}

// ---- signals

TEST_F(WalkInHandler, ThroughTheSignalFrame) {
    install(SIGUSR1, 0);
    handler_compares = true;
    recurse(7, [] { raise(SIGUSR1); });
    EXPECT_GT(in_handler.frames.size(), 10U);
}

TEST_F(WalkInHandler, NestedHandlers) {
    install(SIGUSR1, SA_NODEFER);
    handler_compares = true;
    static int depth = 0;
    depth = 0;
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    action.sa_sigaction = [](int number, siginfo_t* info, void* context) {
        if (++depth < 4) {
            raise(SIGUSR2);
        } else {
            on_signal(number, info, context);
        }
    };
    sigaction(SIGUSR2, &action, nullptr);
    raise(SIGUSR2);
    EXPECT_GE(in_handler.frames.size(), 12U);
    signal(SIGUSR2, SIG_DFL);
}

struct Bounds {
    std::uint64_t begin;
    std::uint64_t end;
};

bool find_in(void* context, std::uint64_t sp, MemoryView* stack) {
    const auto* bounds = static_cast<const Bounds*>(context);
    if (sp < bounds->begin || sp > bounds->end) {
        return false;
    }
    *stack = MemoryView::live(sp, bounds->end);
    return true;
}

TEST_F(WalkInHandler, FromAnAlternateStackToTheThreads) {
    std::vector<std::uint8_t> alternate(256 * 1024);
    stack_t stack{};
    stack.ss_sp = alternate.data();
    stack.ss_size = alternate.size();
    ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
    static Bounds own;
    static Bounds other;
    own = {stack_end() - (8U << 20U), stack_end()};
    other = {reinterpret_cast<std::uint64_t>(alternate.data()),
             reinterpret_cast<std::uint64_t>(alternate.data()) + alternate.size()};
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    action.sa_sigaction = [](int, siginfo_t*, void*) {
        static void* addresses[256];
        const int count = glibc_backtrace(addresses, 256);
        const Registers here = capture_here();
        const StackFinder finder{&own, find_in};
        const MemoryView stack = MemoryView::live(other.begin, other.end);
        in_handler = walk_from(here, stack, &finder);
        expect_same(in_handler, std::span(addresses, static_cast<std::size_t>(count)));
        // Without a finder the path ends with what the handler interrupted.
        const Path partial = walk_from(here, stack);
        EXPECT_EQ(partial.result.end, PathEnd::kOutsideStack);
        EXPECT_LT(partial.frames.size(), in_handler.frames.size());
    };
    sigaction(SIGUSR2, &action, nullptr);
    recurse(6, [] { raise(SIGUSR2); });
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_GT(in_handler.frames.size(), 8U);
    signal(SIGUSR2, SIG_DFL);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, nullptr);
}

// ---- coroutines

Path in_coroutine;
std::vector<char> coroutine_stack(256 * 1024);

void coroutine() {
    const Registers here = capture_here();
    const auto end = reinterpret_cast<std::uint64_t>(coroutine_stack.data() + coroutine_stack.size());
    in_coroutine = walk_from(here, MemoryView::live(here.sp(), end));
}

TEST(Walk, ACoroutineEndsWhereItWasMade) {
    static ucontext_t here;
    static ucontext_t there;
    ASSERT_EQ(getcontext(&there), 0);
    there.uc_stack.ss_sp = coroutine_stack.data();
    there.uc_stack.ss_size = coroutine_stack.size();
    there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    ASSERT_EQ(swapcontext(&here, &there), 0);
    EXPECT_EQ(in_coroutine.result.end, PathEnd::kComplete);
    EXPECT_FALSE(in_coroutine.result.recovered);
    EXPECT_EQ(in_coroutine.frames.size(), 2U) << "the coroutine and its made-up caller";
}

// ---- calls that do not return

std::jmp_buf behind;

[[noreturn, gnu::noinline]] void never_returns() {
    walk_and_compare();
    std::longjmp(behind, 1);
}

[[gnu::noinline]] void ends_with_a_call() {
    never_returns();  // the last instruction: its return address belongs to the next function
}

TEST(Walk, CallsAtAFunctionsEnd) {
    if (setjmp(behind) == 0) {
        ends_with_a_call();
    }
}

}  // namespace
}  // namespace kymo::unwind::test
