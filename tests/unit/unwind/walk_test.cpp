// Walks of live stacks, held against glibc's backtrace().
#include "paths.h"

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <ucontext.h>

extern "C" {
int without_rules_framed(void (*call)(void*), void* context);
int without_rules_unframed(void (*call)(void*), void* context);
int without_rules_untellable(void (*call)(void*), void* context);
void keeps_stack_in_scratch();
void leaf_pushes();
void leaf_allocates_little();
void leaf_realigns();
void leaf_keeps_in_register();
void leaf_leaves();
void without_rules_leaf();
void calls_without_rules_leaf();
void without_rules_entry();
void pushes_untold();
void returns_by_register();
long with_frame_calls(long (*call)(void*), void* context);
int cfa_by_rbx(void (*call)(void*), void* context);
void cfa_by_r10();
extern const char __start_walk_recurse[];
extern const char __stop_walk_recurse[];

#ifdef __SANITIZE_THREAD__
// The handlers below use the C library, as glibc's backtrace() does, which is safe where their signals come: at
// raise() and at instructions of our own. That our walk calls nothing of it is shown by the list of what the monitor
// may link.
[[gnu::visibility("default")]] const char* __tsan_default_options() {
    return "report_signal_unsafe=0";
}
#endif
}

namespace kymo::unwind::test {
namespace {

volatile int keep = 0;

// In a section of its own, so that its end is known however large a sanitizer makes it.
[[gnu::noinline, gnu::section("walk_recurse")]] int recurse(int depth, const std::function<void()>& bottom) {
    if (depth == 0) {
        bottom();
        return keep;
    }
    volatile char space[48];
    space[depth % 48] = static_cast<char>(depth);
    return recurse(depth - 1, bottom) + space[depth % 48];
}

bool passes_recurse(const Path& path) {
    return path.passes(__start_walk_recurse, static_cast<std::uint64_t>(__stop_walk_recurse - __start_walk_recurse));
}

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

Path in_handler;
bool handler_compares = false;

void on_signal(int, siginfo_t*, void* context) {
    const Registers start = registers_from(*static_cast<ucontext_t*>(context));
    if (handler_compares) {
        walk_and_compare(&in_handler);
    } else {
        in_handler = walk_live(start);
    }
}

class WalkInHandler : public testing::Test {
  protected:
    void install(int number, int flags) {
        struct sigaction action{};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | flags;
        sigaction(number, &action, &before_);
        number_ = number;
    }
    ~WalkInHandler() override {
        sigaction(number_, &before_, nullptr);
        handler_compares = false;
        in_handler = {};
    }

  private:
    struct sigaction before_{};
    int number_ = SIGUSR1;
};

TEST_F(WalkInHandler, ThroughTheSignalFrame) {
    install(SIGUSR1, 0);
    handler_compares = true;
    recurse(7, [] { raise(SIGUSR1); });
    EXPECT_GT(in_handler.frames.size(), 10U);
}

TEST_F(WalkInHandler, TheInterruptedRegistersAreAllKnownAgain) {
    // The handler interrupts a function whose CFA is by a register that callees may change at will.
    install(SIGTRAP, 0);
    handler_compares = true;
    cfa_by_r10();
    EXPECT_GT(in_handler.frames.size(), 5U);
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

// ---- functions without rules

void walk_into(void* context) {
    *static_cast<Path*>(context) = walk_live(capture_here());
}

TEST_F(WalkInHandler, FunctionWithoutRulesButAFramePointer) {
    Path path;
    without_rules_framed(walk_into, &path);
    EXPECT_EQ(path.result.end, PathEnd::kComplete);
    EXPECT_TRUE(path.result.recovered);
    EXPECT_TRUE(path.passes(reinterpret_cast<const void*>(without_rules_framed)));
}

TEST_F(WalkInHandler, FunctionWithoutRulesOrFramePointerButAnEpilogue) {
    Path path;
    without_rules_unframed(walk_into, &path);
    EXPECT_EQ(path.result.end, PathEnd::kComplete);
    EXPECT_TRUE(path.result.recovered);
    EXPECT_TRUE(path.passes(reinterpret_cast<const void*>(without_rules_unframed)));
}

TEST_F(WalkInHandler, FunctionOfWhichNothingIsToldEndsThePath) {
    Path path;
    without_rules_untellable(walk_into, &path);
    EXPECT_EQ(path.result.end, PathEnd::kNoRule);
    EXPECT_FALSE(path.result.recovered);
    ASSERT_EQ(path.frames.size(), 2U);  // walk_into and the function itself
    EXPECT_TRUE(path.passes(reinterpret_cast<const void*>(without_rules_untellable)));
}

// Called by a function whose own frame is known by rbx alone. Above the leaf the path is that of its caller.
void expect_epilogue_read(void (*leaf)()) {
    recurse(3, [leaf] {
        struct Context {
            void (*leaf)();
            Path before;
        } context{leaf, {}};
        cfa_by_rbx(
            [](void* given) {
                auto& context = *static_cast<Context*>(given);
                context.before = walk_live(capture_here());
                context.leaf();
            },
            &context);
        const Path& before = context.before;
        ASSERT_EQ(before.result.end, PathEnd::kComplete);
        EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
        EXPECT_TRUE(in_handler.result.recovered);
        ASSERT_EQ(in_handler.frames.size(), before.frames.size() + 1);
        EXPECT_LT(in_handler.frames[0].address - reinterpret_cast<std::uint64_t>(leaf), 400U);
        for (std::size_t i = 1; i < before.frames.size(); ++i) {
            EXPECT_EQ(in_handler.frames[i + 1].address, before.frames[i].address) << "frame " << i;
        }
    });
}

TEST_F(WalkInHandler, LeavesWithoutRulesAreLeftAsTheyLeave) {
    install(SIGTRAP, 0);
    expect_epilogue_read(leaf_pushes);
    expect_epilogue_read(leaf_realigns);
    expect_epilogue_read(leaf_keeps_in_register);
    expect_epilogue_read(leaf_leaves);
    if (__builtin_cpu_supports("avx")) {
        expect_epilogue_read(leaf_allocates_little);
    }
}

TEST_F(WalkInHandler, CallerWhoseStackPointerIsInAScratchRegister) {
    install(SIGTRAP, 0);
    recurse(3, [] { keeps_stack_in_scratch(); });
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    EXPECT_TRUE(in_handler.passes(reinterpret_cast<const void*>(keeps_stack_in_scratch), 20));
    EXPECT_TRUE(passes_recurse(in_handler));
}

TEST_F(WalkInHandler, InterruptedLeafWithoutRules) {
    install(SIGTRAP, 0);
    calls_without_rules_leaf();
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    EXPECT_TRUE(in_handler.passes(reinterpret_cast<const void*>(without_rules_leaf), 4));
    EXPECT_TRUE(in_handler.passes(reinterpret_cast<const void*>(calls_without_rules_leaf), 13));
}

[[gnu::noinline]] long calls_entry(void* /*context*/) {
    without_rules_entry();
    return keep;
}

TEST_F(WalkInHandler, InterruptedEntryWithoutRulesLosesNoFrame) {
    install(SIGTRAP, 0);
    with_frame_calls(calls_entry, nullptr);
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    ASSERT_GE(in_handler.frames.size(), 3U);
    // entry, its caller, with_frame_calls: following the frame pointer from entry would skip its caller.
    EXPECT_LT(in_handler.frames[2].address - reinterpret_cast<std::uint64_t>(with_frame_calls), 32U);
}

TEST_F(WalkInHandler, PushesThatTheTableDoesNotTell) {
    install(SIGTRAP, 0);
    recurse(3, [] { pushes_untold(); });
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_TRUE(in_handler.result.recovered);
    ASSERT_GE(in_handler.frames.size(), 2U);
    EXPECT_NE(raw(in_handler.frames[1].image), 0U) << "what was pushed is no frame";
    EXPECT_TRUE(passes_recurse(in_handler));
}

TEST_F(WalkInHandler, AnEmptyFrameThatHasItsCallerInARegister) {
    install(SIGTRAP, 0);
    recurse(3, [] { returns_by_register(); });
    EXPECT_EQ(in_handler.result.end, PathEnd::kComplete);
    EXPECT_FALSE(in_handler.result.recovered);
    EXPECT_TRUE(passes_recurse(in_handler));
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

TEST(Walk, BaseInAPreservedRegisterOtherThanTheFramePointer) {
    cfa_by_rbx([](void*) { recurse(4, [] { walk_and_compare(); }); }, nullptr);
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
