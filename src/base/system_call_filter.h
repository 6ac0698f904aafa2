// Seccomp filters: the kernel's answer to a system call.
//
// A filter is a program of the classic packet filter (BPF) over the call's number and arguments; this runs it as
// the kernel does (Linux, Documentation/userspace-api/seccomp_filter.rst; S. McCanne and V. Jacobson, "The BSD
// Packet Filter", 1993, for the machine). The dialect is the kernel's for seccomp: absolute loads are of aligned
// words of the call's data, and jumps go forward, so that a run takes at most as many steps as the filter has
// instructions.
//
// Contract: pure; usable in signal handlers. For a program that the kernel would refuse the answer is
// kFilterRefused; nothing outside `program` is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <span>

namespace kymo {

inline constexpr std::uint32_t kFilterRefused = 0xFFFFFFFFU;

// The action and its data, as the filter returns them (SECCOMP_RET_…).
inline std::uint32_t run_filter(std::span<const sock_filter> program, const seccomp_data& call) {
    std::uint32_t memory[BPF_MEMWORDS] = {};
    std::uint32_t a = 0;
    std::uint32_t x = 0;
    for (std::size_t at = 0; at < program.size(); ++at) {
        const sock_filter& step = program[at];
        const std::uint32_t k = step.k;
        const std::uint32_t operand = BPF_SRC(step.code) == BPF_X ? x : k;
        switch (step.code) {
            case BPF_LD | BPF_W | BPF_ABS:
                if (k % 4 != 0 || k > sizeof call - 4) {
                    return kFilterRefused;
                }
                __builtin_memcpy(&a, reinterpret_cast<const std::uint8_t*>(&call) + k, sizeof a);
                break;
            case BPF_LD | BPF_W | BPF_LEN:
                a = sizeof call;
                break;
            case BPF_LDX | BPF_W | BPF_LEN:
                x = sizeof call;
                break;
            case BPF_LD | BPF_IMM:
                a = k;
                break;
            case BPF_LDX | BPF_IMM:
                x = k;
                break;
            case BPF_LD | BPF_MEM:
            case BPF_LDX | BPF_MEM:
            case BPF_ST:
            case BPF_STX:
                if (k >= BPF_MEMWORDS) {
                    return kFilterRefused;
                }
                if (BPF_CLASS(step.code) == BPF_LD) {
                    a = memory[k];
                } else if (BPF_CLASS(step.code) == BPF_LDX) {
                    x = memory[k];
                } else {
                    memory[k] = BPF_CLASS(step.code) == BPF_ST ? a : x;
                }
                break;
            case BPF_ALU | BPF_ADD | BPF_K:
            case BPF_ALU | BPF_ADD | BPF_X:
                a += operand;
                break;
            case BPF_ALU | BPF_SUB | BPF_K:
            case BPF_ALU | BPF_SUB | BPF_X:
                a -= operand;
                break;
            case BPF_ALU | BPF_MUL | BPF_K:
            case BPF_ALU | BPF_MUL | BPF_X:
                a *= operand;
                break;
            case BPF_ALU | BPF_DIV | BPF_K:
            case BPF_ALU | BPF_DIV | BPF_X:
                if (operand == 0) {  // by x: the kernel ends the filter with 0, which kills
                    return BPF_SRC(step.code) == BPF_X ? 0 : kFilterRefused;
                }
                a /= operand;
                break;
            case BPF_ALU | BPF_AND | BPF_K:
            case BPF_ALU | BPF_AND | BPF_X:
                a &= operand;
                break;
            case BPF_ALU | BPF_OR | BPF_K:
            case BPF_ALU | BPF_OR | BPF_X:
                a |= operand;
                break;
            case BPF_ALU | BPF_XOR | BPF_K:
            case BPF_ALU | BPF_XOR | BPF_X:
                a ^= operand;
                break;
            case BPF_ALU | BPF_LSH | BPF_K:
            case BPF_ALU | BPF_RSH | BPF_K:
                if (k >= 32) {
                    return kFilterRefused;
                }
                a = BPF_OP(step.code) == BPF_LSH ? a << k : a >> k;
                break;
            case BPF_ALU | BPF_LSH | BPF_X:
                a <<= x & 31U;
                break;
            case BPF_ALU | BPF_RSH | BPF_X:
                a >>= x & 31U;
                break;
            case BPF_ALU | BPF_NEG:
                a = 0 - a;
                break;
            case BPF_JMP | BPF_JA:
                if (k >= program.size() - at - 1) {
                    return kFilterRefused;
                }
                at += k;
                break;
            case BPF_JMP | BPF_JEQ | BPF_K:
            case BPF_JMP | BPF_JEQ | BPF_X:
                at += a == operand ? step.jt : step.jf;
                break;
            case BPF_JMP | BPF_JGT | BPF_K:
            case BPF_JMP | BPF_JGT | BPF_X:
                at += a > operand ? step.jt : step.jf;
                break;
            case BPF_JMP | BPF_JGE | BPF_K:
            case BPF_JMP | BPF_JGE | BPF_X:
                at += a >= operand ? step.jt : step.jf;
                break;
            case BPF_JMP | BPF_JSET | BPF_K:
            case BPF_JMP | BPF_JSET | BPF_X:
                at += (a & operand) != 0 ? step.jt : step.jf;
                break;
            case BPF_RET | BPF_K:
                return k;
            case BPF_RET | BPF_A:
                return a;
            case BPF_MISC | BPF_TAX:
                x = a;
                break;
            case BPF_MISC | BPF_TXA:
                a = x;
                break;
            default:
                return kFilterRefused;
        }
    }
    return kFilterRefused;
}

// Whether the call proceeds, or fails with an errno, which a prepared caller survives. Any other answer kills,
// raises SIGSYS, or notifies another process.
inline bool is_survived(std::uint32_t answer) {
    const std::uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
    return answer == kFilterRefused || action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
           action == SECCOMP_RET_ERRNO;
}

}  // namespace kymo
