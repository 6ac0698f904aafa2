// The unwinder's requirements on an architecture: the one list of the differences. Each has a folder with the same
// files and, in its arch.h, a type `Arch` that names what they hold. All of them compile on every machine, so they
// are tested on any; what only the processor itself can do (its registers now, running.h) is there for those that
// Kymo runs on, and native.h picks it.
//
//   registers.h     the registers by DWARF number; those that a function hands back as it found them
//   context.h       where a signal's context keeps them
//   rule.h          the compact rule: one word that leads from a frame to its caller (Rules, RulePacker)
//   step.h, .cpp    the cursor (cursor.h) over these rules
//   epilogue.h      what instructions do to a frame, read from their bytes
//   recover.h       finding the caller without a rule
//   signal_frame.h  what the kernel leaves on the stack for a signal handler, and the code that returns from one
#pragma once

#include "unwind/recovery.h"
#include "unwind/rows/compiler.h"

#include <concepts>
#include <cstdint>
#include <span>

namespace kymo::unwind {

// What Cursor<Rules> needs.
template <class Rules>
concept CompactRules = requires(RuleWord rule, unsigned index, typename Rules::Registers registers) {
    { registers.general[index] } -> std::convertible_to<std::uint64_t>;  // by DWARF number
    { registers.pc } -> std::convertible_to<std::uint64_t>;
    { registers.sp() } -> std::convertible_to<std::uint64_t>;
    // How many general registers there are, and of how many numbers rows have rules; the stack pointer's; the return
    // address's, which may be a number of its own (x86-64) or that of a general register.
    requires Rules::kGeneralRegisters <= Rules::kRuleRegisters&& Rules::kRuleRegisters <=
                 kMaxRegisters&& Rules::kStackPointer < Rules::kGeneralRegisters&& Rules::kReturnAddress <
                 Rules::kRuleRegisters;
    // Registers that are followed from frame to frame, the frame pointer first.
    { Rules::kPreserved[index] } -> std::convertible_to<unsigned>;
    // A caller may be found of which only the frame pointer is known.
    { Rules::kLosesStackPointer } -> std::convertible_to<bool>;
    // CFA = base + offset. Places are CFA − 8 × slot: 0 for still in its register, or unchanged.
    { Rules::is_by_stack_pointer(rule) } -> std::same_as<bool>;
    { Rules::base_of(rule) } -> std::same_as<unsigned>;
    { Rules::offset_of(rule) } -> std::same_as<std::uint64_t>;
    { Rules::return_slot(rule) } -> std::same_as<unsigned>;
    { Rules::has_slots(rule) } -> std::same_as<bool>;
    { Rules::slot_of(rule, index) } -> std::same_as<unsigned>;
    // A return address without what the processor may have put into its upper bits.
    { Rules::code_address(rule) } -> std::same_as<std::uint64_t>;
};

// What Compiler<Packer> needs.
template <class Packer>
concept PacksRules = requires(Packer packer, const RowState& row, unsigned number, std::uint8_t operation) {
    requires Packer::kReturnRegister < Packer::kRegisters&& Packer::kStackPointer <
                 Packer::kRegisters&& Packer::kRegisters <= kMaxRegisters;
    { Packer::kPushesReturnAddress } -> std::convertible_to<bool>;  // calls do; Go's frames are by this
    packer.note(number, RegisterRule::kSame, std::int64_t{});       // a register's rule has changed
    { packer.pack(row) } -> std::same_as<RuleWord>;                 // kExtended where the row does not fit a word
    { Packer::is_marker(operation) } -> std::same_as<bool>;  // an instruction without operands that changes no rule
    // The code that returns from a signal handler is entered at its first instruction, which the look-up of a return
    // address (one byte before) misses: its rows begin that byte earlier.
    { Packer::kSignalRowsBeginEarly } -> std::convertible_to<bool>;
};

template <class A>
concept Architecture = CompactRules<typename A::Rules> && PacksRules<typename A::RulePacker> &&
                       requires(std::uint64_t address, std::span<const std::uint8_t> code, const MemoryView& stack,
                                typename A::Registers* registers) {
                           requires std::same_as<typename A::Cursor, Cursor<typename A::Rules>>;
                           // Bytes that a function may use below its stack pointer.
                           { A::kRedZone } -> std::convertible_to<std::uint64_t>;
                           // Calls push it, so pushes that the rules do not describe hide it.
                           { A::kPushesReturnAddress } -> std::convertible_to<bool>;
                           // The C library's (or the vDSO's) rules for its signal frames name every register and
                           // the program counter. If not, the code is recognised by its bytes and the registers
                           // are read from the frame.
                           { A::kSignalRulesAreWhole } -> std::convertible_to<bool>;
                           { A::kLongestSignalReturn } -> std::convertible_to<std::size_t>;  // bytes
                           { A::is_signal_return(code) } -> std::same_as<bool>;  // these bytes return from a handler
                           // What a handler interrupted; `address`: the stack pointer at the code that returns from
                           // it.
                           { A::registers_from_frame(address, stack, registers) } -> std::same_as<bool>;
                           // By an ordinary function's rule, a signal frame's caller would be this.
                           { A::may_be_signal_flags(address) } -> std::same_as<bool>;
                           { A::ends_in_call(code) } -> std::same_as<bool>;
                           // and recover_caller(cursor, stack, interrupted, code, chain): recovery.h says what `code`
                           // offers.
                       };

}  // namespace kymo::unwind
