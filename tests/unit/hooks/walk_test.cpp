// Kymo's own unwinder sees through hooked functions, wherever in their hooks a signal comes.
#include "unwind/walk.h"

#include "harness.h"
#include "hooked.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <ucontext.h>

namespace kymo::hooks::testing {
namespace {

unwind::ImageSet& images() {
    static unwind::ImageSet set;
    static const unwind::Detours detours = {nullptr, [](void*, std::uint64_t address, unwind::Detour* detour) {
                                                const Areas::Meaning meaning = hooked().look_at(address);
                                                detour->address = meaning.address;
                                                detour->stack = meaning.stack;
                                                switch (meaning.kind) {
                                                    case Areas::Meaning::kCaller:
                                                        detour->kind = unwind::Detour::kCaller;
                                                        return true;
                                                    case Areas::Meaning::kOnStack:
                                                        detour->kind = unwind::Detour::kOnStack;
                                                        return true;
                                                    case Areas::Meaning::kMoved:
                                                        detour->kind = unwind::Detour::kMoved;
                                                        return true;
                                                    case Areas::Meaning::kNone:
                                                        break;
                                                }
                                                return false;
                                            }};
    static const bool made = set.create({nullptr, unwind::describe_own_image, nullptr, nullptr});
    set.set_detours(made ? &detours : nullptr);
    return set;
}

std::uint64_t stack_end = 0;
std::uint64_t base_return = 0;  // in whoever called the function that is walked from

// The return address of `caller`'s frame, among the frames.
bool holds(std::span<const unwind::Frame> frames, std::uint64_t address) {
    for (const unwind::Frame& frame : frames) {
        if (frame.address + 1 == address) {
            return true;
        }
    }
    return false;
}

TEST(Walk, FromInsideHookedFunctions) {
    const HookedThread thread;
    images();
    stack_end = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 8192;
    std::vector<unwind::Frame> plain(64);
    std::vector<unwind::Frame> through(64);
    const auto take = [](std::vector<unwind::Frame>& out) {
        const unwind::Registers here = unwind::capture_here();
        out.resize(unwind::walk(images(), here, unwind::Start::kInterrupted,
                                unwind::MemoryView::live(here.sp() - 128, stack_end), out)
                       .count);
    };
    take(plain);
    hooked_calls([&] { hooked_calls_inner([&] { take(through); }); });
    ASSERT_GT(through.size(), plain.size());
    for (std::size_t i = 1; i + 1 < plain.size(); ++i) {
        EXPECT_EQ(plain[plain.size() - i].address, through[through.size() - i].address);
    }
    for (const unwind::Frame& frame : through) {
        EXPECT_EQ(hooked().look_at(frame.address).kind, Areas::Meaning::kNone);
    }
}

struct Tally {
    std::uint64_t walks = 0;
    std::uint64_t whole = 0;
    std::uint64_t in_hooks = 0;
    std::uint64_t in_places = 0;
    std::uint64_t bad_pc = 0;
} tally;

// So many walks at least, and more until so many began in the place's code, where few signals come: how few depends
// on how slow the rest is, as with a sanitizer's checks in it.
constexpr std::uint64_t kWalks = 10'000;
constexpr std::uint64_t kMostWalks = 20 * kWalks;
constexpr std::uint64_t kInPlaces = 6;

bool is_enough() {
    return (tally.walks >= kWalks && tally.in_places >= kInPlaces) || tally.walks >= kMostWalks;
}

// From when work() is on the stack until it has enough of them: the timer begins a moment before, and goes on after.
void sample(int /*signal*/, siginfo_t* /*info*/, void* given) {
    static unwind::Frame frames[256];
    if (base_return == 0 || is_enough()) {
        return;
    }
    const unwind::Registers start = unwind::registers_from(*static_cast<const ucontext_t*>(given));
    const unwind::WalkResult walked =
        unwind::walk(images(), start, unwind::Start::kInterrupted,
                     unwind::MemoryView::live(start.sp() - 128, stack_end), {frames, std::size(frames)});
    ++tally.walks;
    const bool whole = holds({frames, walked.count}, base_return) && !walked.recovered;
    tally.whole += whole ? 1 : 0;
    if (!whole && tally.bad_pc == 0) {
        tally.bad_pc = start.pc;
    }
    tally.in_places += hooked().look_at(start.pc).stack != 0 ? 1 : 0;
    tally.in_hooks += hooked().look_at(start.pc).kind != Areas::Meaning::kNone ? 1 : 0;
}

__attribute__((noinline)) void work() {
    base_return = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
    for (std::uint64_t i = 0; !is_enough() && i < 500'000'000; ++i) {
        hooked_plain(1, 2);
        hooked_calls([] { hooked_tail_outer(1); });
        hooked_with_global(1);
        hooked_recursive(3);
    }
    asm volatile("" ::: "memory");
}

TEST(Walk, FromWhereverASignalComes) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer keeps signals back until the program calls the C library";
#endif
    const HookedThread thread;
    images();
    stack_end = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 8192;
    struct sigaction action{};
    action.sa_sigaction = sample;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGVTALRM, &action, nullptr);
    // Processor-time ticks would be few; each instruction of the trampolines is to be met.
    const timer_t timer = [] {
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGVTALRM;
        timer_t made{};
        timer_create(CLOCK_MONOTONIC, &event, &made);
        return made;
    }();
    const itimerspec every{{0, 50'000}, {0, 50'000}};
    timer_settime(timer, 0, &every, nullptr);
    work();
    timer_delete(timer);
    EXPECT_GE(tally.walks, kWalks);
    EXPECT_GT(tally.in_hooks, 20U);
    EXPECT_EQ(tally.whole, tally.walks) << std::hex << tally.bad_pc - reinterpret_cast<std::uint64_t>(&work);
    EXPECT_EQ(thread.entries(kRecursive), thread.exits(kRecursive));
    EXPECT_EQ(planned().outcomes.back().places, 1U);
    EXPECT_EQ(thread.lines(), thread.entries(kRecursive));
    EXPECT_GE(tally.in_places, kInPlaces);
    EXPECT_EQ(thread.entries(kPlain), thread.exits(kPlain));
}

}  // namespace
}  // namespace kymo::hooks::testing
