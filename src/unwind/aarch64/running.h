// aarch64: operations that need the processor itself: the running thread's registers, and waiting.
//
// Contract: usable in signal handlers; nothing fails.
#pragma once

#include "unwind/aarch64/context.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ucontext.h>

namespace kymo::unwind::aarch64 {

// Status and control of the floating-point unit and the 32 vector registers, as recordings keep them: 520 bytes.
struct FloatRegisters {
    std::uint32_t fpsr = 0;
    std::uint32_t fpcr = 0;
    std::array<std::array<std::uint8_t, 16>, 32> v{};
};
static_assert(sizeof(FloatRegisters) == 4 + 4 + 32 * 16);

// The calling function's registers at this very place; the program counter is that of the function this is inlined
// into, so the walk from here is Start::kInterrupted. Its own frame comes first. In place, as on x86-64.
__attribute__((always_inline)) inline void capture_here(Registers& here) {
    asm volatile(
        "stp x0,  x1,  [%[to]]\n\t"
        "stp x2,  x3,  [%[to], 16]\n\t"
        "stp x4,  x5,  [%[to], 32]\n\t"
        "stp x6,  x7,  [%[to], 48]\n\t"
        "stp x8,  x9,  [%[to], 64]\n\t"
        "stp x10, x11, [%[to], 80]\n\t"
        "stp x12, x13, [%[to], 96]\n\t"
        "stp x14, x15, [%[to], 112]\n\t"
        "stp x16, x17, [%[to], 128]\n\t"
        "stp x18, x19, [%[to], 144]\n\t"
        "stp x20, x21, [%[to], 160]\n\t"
        "stp x22, x23, [%[to], 176]\n\t"
        "stp x24, x25, [%[to], 192]\n\t"
        "stp x26, x27, [%[to], 208]\n\t"
        "stp x28, x29, [%[to], 224]\n\t"
        "mov x9, sp\n\t"
        "stp x30, x9,  [%[to], 240]\n\t"
        "adr x9, .\n\t"
        "str x9,       [%[to], 256]\n\t"
        :
        : [to] "r"(&here)
        : "x9", "memory");
}
static_assert(Numbers::kStackPointer == 31 && offsetof(Registers, pc) == 256);

__attribute__((always_inline)) inline Registers capture_here() {
    Registers here;
    capture_here(here);
    return here;
}

// What a signal interrupted; `context` is a handler's third argument.
inline Registers registers_from(const ucontext_t& context) {
    Registers registers;
    for (unsigned i = 0; i < Numbers::kStackPointer; ++i) {
        registers.general[i] = context.uc_mcontext.regs[i];
    }
    registers.general[Numbers::kStackPointer] = context.uc_mcontext.sp;
    registers.pc = context.uc_mcontext.pc;
    return registers;
}
static_assert(offsetof(ucontext_t, uc_mcontext.regs) == Context::place_of(0));
static_assert(offsetof(ucontext_t, uc_mcontext.sp) == Context::place_of(Numbers::kStackPointer));
static_assert(offsetof(ucontext_t, uc_mcontext.pc) == Context::kPc);

inline FloatRegisters capture_float_here() {
    FloatRegisters here;
    std::uint64_t status = 0;
    std::uint64_t control = 0;
    asm volatile("mrs %0, fpsr\n\tmrs %1, fpcr" : "=r"(status), "=r"(control));
    here.fpsr = static_cast<std::uint32_t>(status);
    here.fpcr = static_cast<std::uint32_t>(control);
    asm volatile(
        "stp q0,  q1,  [%0]\n\t"
        "stp q2,  q3,  [%0, 32]\n\t"
        "stp q4,  q5,  [%0, 64]\n\t"
        "stp q6,  q7,  [%0, 96]\n\t"
        "stp q8,  q9,  [%0, 128]\n\t"
        "stp q10, q11, [%0, 160]\n\t"
        "stp q12, q13, [%0, 192]\n\t"
        "stp q14, q15, [%0, 224]\n\t"
        "stp q16, q17, [%0, 256]\n\t"
        "stp q18, q19, [%0, 288]\n\t"
        "stp q20, q21, [%0, 320]\n\t"
        "stp q22, q23, [%0, 352]\n\t"
        "stp q24, q25, [%0, 384]\n\t"
        "stp q26, q27, [%0, 416]\n\t"
        "stp q28, q29, [%0, 448]\n\t"
        "stp q30, q31, [%0, 480]\n\t"
        :
        : "r"(here.v.data())
        : "memory");
    return here;
}

// The kernel writes them as one of several records behind the general registers (struct _aarch64_ctx: a magic number
// and a size, 4 bytes each; the last one has both 0). All zero where it is not among them.
inline FloatRegisters float_registers_from(const ucontext_t& context) {
    constexpr std::uint32_t kMagic = 0x46508001;  // FPSIMD_MAGIC
    struct Record {
        std::uint32_t magic;
        std::uint32_t size;
    };
    FloatRegisters registers;
    const std::uint8_t* at = context.uc_mcontext.__reserved;
    const std::uint8_t* const end = at + sizeof(context.uc_mcontext.__reserved);
    while (static_cast<std::size_t>(end - at) >= sizeof(Record)) {
        Record record;
        std::memcpy(&record, at, sizeof(record));
        const auto left = static_cast<std::size_t>(end - at);
        if (record.size < sizeof(record) || record.size > left) {
            break;
        }
        if (record.magic == kMagic && record.size >= sizeof(record) + sizeof(registers)) {
            std::memcpy(&registers, at + sizeof(record), sizeof(registers));
            break;
        }
        at += record.size;
    }
    return registers;
}

// In a loop that waits for another processor.
inline void pause() {
    asm volatile("yield");
}

}  // namespace kymo::unwind::aarch64
