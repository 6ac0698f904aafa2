// x86-64, as arch.h requires.
#pragma once

#include "unwind/arch.h"
#include "unwind/x86_64/context.h"
#include "unwind/x86_64/recover.h"
#include "unwind/x86_64/signal_frame.h"

namespace kymo::unwind::x86_64 {

struct Arch {
    using Registers = x86_64::Registers;
    using Rules = x86_64::Rules;
    using RulePacker = x86_64::RulePacker;
    using Cursor = x86_64::Cursor;

    static constexpr std::uint64_t kRedZone = x86_64::kRedZone;
    static constexpr bool kPushesReturnAddress = true;
    static constexpr bool kSignalRulesAreWhole = true;
    static constexpr std::size_t kLongestSignalReturn = x86_64::kLongestSignalReturn;

    static bool may_be_signal_flags(std::uint64_t caller) { return caller <= kMostSignalFlags; }
    static bool is_signal_return(std::span<const std::uint8_t> code) { return x86_64::is_signal_return(code); }
    static bool registers_from_frame(std::uint64_t frame, const MemoryView& stack, Registers* registers) {
        return x86_64::registers_from_frame(frame, stack, registers);
    }
    static bool ends_in_call(std::span<const std::uint8_t> bytes) { return x86_64::ends_in_call(bytes); }
    template <class Code>
    static bool recover_caller(Cursor& cursor, const MemoryView& stack, bool interrupted, const Code& code,
                               FrameChain* chain) {
        return x86_64::recover_caller(cursor, stack, interrupted, code, chain);
    }
};
static_assert(Architecture<Arch>);

}  // namespace kymo::unwind::x86_64
