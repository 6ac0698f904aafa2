// The part of arch.h's requirements that architectures with a link register share: all but that of `Machine` (its
// arch.h).
#pragma once

#include "unwind/arch.h"
#include "unwind/link_register/recover.h"
#include "unwind/link_register/signal_frame.h"

namespace kymo::unwind::link_register {

template <class Machine>
struct Arch {
    using Numbers = typename Machine::Numbers;
    using Registers = link_register::Registers<Numbers>;
    using Rules = link_register::Rules<Numbers>;
    using RulePacker = link_register::RulePacker<Numbers>;
    using Cursor = unwind::Cursor<Rules>;

    static constexpr std::uint64_t kRedZone = 0;
    static constexpr bool kPushesReturnAddress = false;
    static constexpr bool kSignalRulesAreWhole = false;
    static constexpr std::size_t kLongestSignalReturn = sizeof(Machine::kSignalReturn);

    static bool may_be_signal_flags(std::uint64_t /*caller*/) { return false; }
    static bool is_signal_return(std::span<const std::uint8_t> code) {
        return begins_with(code, Machine::kSignalReturn);
    }
    static bool registers_from_frame(std::uint64_t frame, const MemoryView& stack, Registers* registers) {
        return link_register::registers_from_frame<typename Machine::Context>(frame, stack, registers);
    }
    static Instruction decode(std::span<const std::uint8_t> bytes) { return Machine::decode(bytes); }
    static bool ends_in_call(std::span<const std::uint8_t> bytes) { return Machine::ends_in_call(bytes); }
    template <class Code>
    static bool recover_caller(Cursor& cursor, const MemoryView& stack, bool interrupted, const Code& code,
                               FrameChain* chain) {
        return link_register::recover_caller<Machine>(cursor, stack, interrupted, code, chain);
    }
};

}  // namespace kymo::unwind::link_register
