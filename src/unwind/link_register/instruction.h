// The effects of one instruction on a frame: on the stack pointer, the frame pointer, the return address and the
// words that they are saved to. An architecture's epilogue.h decodes its bytes to this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kymo::unwind::link_register {

// On a register by DWARF number. Registers other than the three may be named; they are not followed.
struct Effect {
    enum class Kind : std::uint8_t {
        kNone,
        kMove,   // number = base + offset
        kLoad,   // number = the word at base + offset
        kStore,  // the word at base + offset = number
        kLost,   // number = something else
    };
    Kind kind = Kind::kNone;
    unsigned number = 0;
    unsigned base = 0;
    std::int64_t offset = 0;
};

struct Instruction {
    enum class Flow : std::uint8_t {
        kNext,  // to the next instruction; conditional branches too
        kCall,  // to the next instruction, with another return address in its register
        kJump,  // elsewhere
        kJumpByRegister,
        kReturn,  // to the return address in its register
    };
    std::size_t size = 4;  // bytes; 0: the rest is not a whole instruction
    Flow flow = Flow::kNext;
    std::array<Effect, 3> effects{};  // one after the other
};

// The value in `bits` bits of an instruction from bit `low` on, unsigned and signed.
constexpr std::uint32_t field(std::uint32_t code, unsigned low, unsigned bits) {
    return code >> low & ((std::uint32_t{1} << bits) - 1);
}
constexpr std::int64_t signed_field(std::uint32_t code, unsigned low, unsigned bits) {
    const std::int64_t value = field(code, low, bits);
    return value >> (bits - 1) != 0 ? value - (std::int64_t{1} << bits) : value;
}

}  // namespace kymo::unwind::link_register
