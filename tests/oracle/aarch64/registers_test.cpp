// The running thread's registers on aarch64: set to known values, read in place and from a signal's context.
#include "unwind/walk.h"

#include <csignal>
#include <gtest/gtest.h>

namespace kymo::unwind::test {
namespace {

constexpr std::uint64_t kValue = 0x0123456789ABCDEF;

FloatRegisters in_signal;
Registers general_in_signal;

// Sets x20 and v8, calls `call` with `context`, and sends the thread `number` (0: none) by a system call, which keeps
// both.
[[gnu::noinline]] void with_known_registers(std::uint64_t thread, std::uint64_t number) {
    asm volatile(
        "mov x20, %[value]\n\t"
        "fmov d8, x20\n\t"
        "mov v8.d[1], x20\n\t"
        "mov x0, %[thread]\n\t"
        "mov x1, %[number]\n\t"
        "mov x8, 130\n\t"  // tkill
        "svc 0\n\t"
        :
        : [value] "r"(kValue), [thread] "r"(thread), [number] "r"(number)
        : "x0", "x1", "x8", "x20", "v8", "memory");
}

std::uint64_t half(const FloatRegisters& registers, unsigned number, unsigned which) {
    std::uint64_t value = 0;
    std::memcpy(&value, registers.v[number].data() + std::size_t{8} * which, sizeof value);
    return value;
}

TEST(Aarch64Registers, OfWhatASignalInterrupted) {
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t*, void* context) {
        in_signal = float_registers_from(*static_cast<const ucontext_t*>(context));
        general_in_signal = registers_from(*static_cast<const ucontext_t*>(context));
    };
    ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
    with_known_registers(static_cast<std::uint64_t>(gettid()), SIGUSR1);
    EXPECT_EQ(general_in_signal.general[20], kValue);
    EXPECT_EQ(half(in_signal, 8, 0), kValue);
    EXPECT_EQ(half(in_signal, 8, 1), kValue);
    const auto function = reinterpret_cast<std::uint64_t>(&with_known_registers);
    EXPECT_LT(general_in_signal.pc - function, 200U);
    signal(SIGUSR1, SIG_DFL);
}

TEST(Aarch64Registers, OfThisPlace) {
    // One assembly statement sets each register that calls preserve to its number, as a call may not change them.
    register std::uint64_t x21 asm("x21") = 21;
    register std::uint64_t x28 asm("x28") = 28;
    asm volatile("fmov d9, %2\n\tfmov d15, %3" : "+r"(x21), "+r"(x28) : "r"(x21), "r"(x28) : "v9", "v15");
    const FloatRegisters floats = capture_float_here();
    asm volatile("" : "+r"(x21), "+r"(x28));
    const Registers here = capture_here();
    EXPECT_EQ(here.general[21], 21U);
    EXPECT_EQ(here.general[28], 28U);
    EXPECT_EQ(half(floats, 9, 0), 21U);
    EXPECT_EQ(half(floats, 15, 0), 28U);
    std::uint64_t stack = 0;
    asm volatile("mov %0, sp" : "=r"(stack));
    EXPECT_EQ(here.sp(), stack);
}

}  // namespace
}  // namespace kymo::unwind::test
