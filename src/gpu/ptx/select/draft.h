// An instruction on its way to an Op: its handler is chosen, its operands are still registers and constants by
// number.
//
// Contract: internal to compile(). Drafts of a function are in the order of its instructions; a draft that `is_gone`
// was folded into others.
#pragma once

#include "gpu/ptx/lanes/pick.h"
#include "gpu/ptx/matrix.h"
#include "gpu/ptx/parse/module.h"

#include <string_view>
#include <vector>

namespace kymo::gpu::ptx {

// What an operand of a draft is. Registers beyond Function::registers are presets: filled before a warp starts.
struct Slot {
    enum class Kind : std::uint8_t { kNone, kRegister, kConstant };
    Kind kind = Kind::kNone;
    bool writes = false;
    std::uint8_t bits = 32;    // of the lanes; 1: a predicate
    std::uint32_t number = 0;  // register
    std::uint64_t value = 0;   // constant
    bool is_register() const { return kind == Kind::kRegister; }
};

// How control leaves an instruction that ends a basic block.
enum class Ending : std::uint8_t { kFall, kBranch, kTable, kExit, kReturn, kBarrier, kWait, kCall };

// Draft::target of a call whose function is in a register (slots[kA]).
inline constexpr std::uint32_t kPointer = ~std::uint32_t{0};

// The places of Op, in the order of Draft::slots.
enum : std::uint8_t { kD, kA, kB, kC, kMore0, kMore1, kMore2, kMore3, kSlots };

struct Draft {
    Op op;
    Pick pick;
    std::vector<Slot> slots = std::vector<Slot>(kSlots);  // a matrix operation's registers from kSlots on
    Slot guard;                                           // a predicate
    Ending ending = Ending::kFall;
    bool ends_block = false;
    bool is_gone = false;
    bool is_memory = false;      // has addresses for the trace
    std::uint16_t accesses = 1;  // sets of them; of a bulk copy addresses, and sizes
    MatrixForm matrix;           // of a matrix operation
    std::uint32_t target = 0;    // kBranch: a label; kTable: a label with targets; kCall: a function, or kPointer
    std::uint8_t barrier = 0;    // kBarrier: 0 sync, 1 arrive, 2 and, 3 or, 4 popc
    std::uint32_t instruction = 0;
    std::string_view opcode;
    StateSpace space = StateSpace::kNone;
};

// A register that is filled before the warp starts: a kernel's parameter, or a special register ("%tid.x"; the
// beginnings of
// "%parameters", "%local" and "%dynamic_shared").
struct Preset {
    enum class Kind : std::uint8_t { kParameter, kSpecial } kind = Kind::kSpecial;
    std::uint8_t bits = 32;
    std::uint8_t bytes = 4;    // kParameter: this many, from
    std::uint32_t offset = 0;  // here on,
    bool is_signed = false;    // extended so
    std::string_view special;
    std::int64_t addend = 0;
    std::uint32_t place = 0;  // in the frame
};

}  // namespace kymo::gpu::ptx
