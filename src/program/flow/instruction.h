// One machine instruction, in terms that hold for every architecture: its length, its successors, its memory
// operands, and as much of its computation as reading a jump table takes.
//
// Addresses are image offsets (ELF virtual addresses). Registers have their DWARF numbers (System V ABI supplement
// of the architecture), which are those of recorded register sets. Plain values: copy, compare, share between
// threads.
#pragma once

#include <array>
#include <cstdint>

namespace kymo::program {

// The kind of control flow. Everything but kPlain, kCall and kIndirectCall is a *jump* in the sense of code
// spaces: execution does not simply continue behind it.
enum class InstructionKind : std::uint8_t {
    kPlain,            // the next instruction; system calls and the like too
    kJump,             // `target`
    kConditionalJump,  // `target` or the next instruction
    kIndirectJump,     // not known from the instruction alone
    kCall,             // `target`, then the next instruction if the callee returns
    kIndirectCall,
    kReturn,
    kTrap,  // nowhere: ud2, int3, hlt
};

constexpr bool is_jump(InstructionKind kind) {
    return kind != InstructionKind::kPlain && kind != InstructionKind::kCall &&
           kind != InstructionKind::kIndirectCall;
}

constexpr bool is_call(InstructionKind kind) {
    return kind == InstructionKind::kCall || kind == InstructionKind::kIndirectCall;
}

constexpr std::uint8_t kNoRegister = 0xff;

// In a set of general registers; 0: none, or none that a set holds.
constexpr std::uint32_t register_bit(std::uint8_t reg) {
    return reg < 32 ? std::uint32_t{1} << reg : 0;
}

enum class Segment : std::uint8_t { kNone, kFs, kGs };  // whose base is added to the address

// address = base + index × scale + displacement (+ segment base). Where image_relative, the displacement is an image
// offset (the instruction named it relative to itself) and the image's bias must be added.
struct MemoryOperand {
    std::uint8_t base = kNoRegister;
    std::uint8_t index = kNoRegister;  // of a gather or scatter (index_is_vector): number of the vector register
    std::uint8_t scale = 1;
    Segment segment = Segment::kNone;
    std::uint16_t width = 0;  // bytes accessed; of a gather or scatter: of one element
    bool is_read = false;
    bool is_written = false;
    bool index_is_vector = false;
    bool image_relative = false;
    std::int64_t displacement = 0;
    bool operator==(const MemoryOperand&) const = default;
};

// What is computed, where it is one of the few things that address computations are made of.
enum class Operation : std::uint8_t {
    kOther,
    kSum,    // destination = source + source2 × scale + constant, all 64 bits (kNoRegister: nothing); where `bits`
             // is not 0, source2's low `bits` count, extended with their sign where `is_signed`
    kStep,   // destination = source + constant in 32 bits, the upper half cleared
    kShift,  // destination = source × 2^constant; where constant is negative, shifted right, zeros from above
    kZeroExtend,  // destination = the low `bits` of source
    kSignExtend,
    kLoad,     // destination = memory[0]; `bits` of it, extended with its sign where `is_signed`
    kMask,     // destination = source & constant (zero-extended from `bits`)
    kCompare,  // the low `bits` of source, or where that is kNoRegister of memory[0], against constant, or against
               // source2 where that is a register; a conditional jump may itself be a comparison
};

// Arithmetic in vector registers. kOther: none, or none of these.
enum class VectorWork : std::uint8_t {
    kOther,
    kScalarSum,      // one number at a time: addition, subtraction, also of a product (a fused one added to
                     // `destination`)
    kScalarProduct,  // multiplication
    kScalarLeast,    // minimum, maximum
    kScalarMixed,    // a fused multiplication whose destination is a factor
    kPacked,         // several numbers at a time
};

// Of a conditional jump: taken where the last comparison's left side is so. Unsigned. (In)equality: x86-64 alone.
enum class Condition : std::uint8_t { kOther, kAbove, kAboveOrEqual, kBelow, kBelowOrEqual, kEqual, kNotEqual };

struct Instruction {
    InstructionKind kind = InstructionKind::kPlain;
    std::uint8_t length = 0;  // bytes
    bool has_target = false;
    std::uint64_t target = 0;

    // From here on only what decode() fills, not decode_flow().
    std::uint8_t memory_operands = 0;
    std::array<MemoryOperand, 2> memory = {};  // accesses to the stack by push, pop, call and return are not listed
    std::uint32_t writes = 0;  // bit n: general register n may change; calls: all that callees may change
    std::uint32_t reads = 0;   // bit n: general register n matters, as a value or in an address; not calls' arguments
    bool writes_memory = false;
    bool writes_other = false;  // may change a register that is not a general one: vectors, floating point, segments
    bool is_try = false;  // changes memory only to a value that does not depend on it: exchange, compare-and-exchange
    VectorWork vector_work = VectorWork::kOther;
    std::uint32_t vector_reads = 0;  // bit n: vector register n matters; writing a part of one keeps the rest
    std::uint32_t vector_writes = 0;
    std::uint8_t float_bits = 0;  // of floating-point arithmetic in vector registers: of a number; 0: it is none
    bool is_division = false;     // also a remainder, a root; whole numbers or not
    bool is_locked = false;       // changes memory as one step for all processors
    bool accumulates = false;     // adds something to `destination`, or joins it by bits: the order does not matter
    bool adds = false;            // likewise, by addition
    bool multiplies = false;      // whole numbers: destination = destination × something
    bool is_choice = false;       // moves a register to `destination`, or does not, as the last comparison was
    bool is_pause = false;        // a hint to the processor that this is a waiting loop
    bool writes_flags = false;    // what an unsigned condition depends on
    Condition condition = Condition::kOther;
    Operation operation = Operation::kOther;
    std::uint8_t destination = kNoRegister;
    std::uint8_t source =
        kNoRegister;  // of an indirect jump or call: the register that holds the target, if one does
    std::uint8_t source2 = kNoRegister;
    std::uint8_t scale = 1;
    std::uint8_t bits = 0;
    bool is_signed = false;
    std::int64_t constant = 0;  // of an address computed relative to the instruction: the image offset
};

}  // namespace kymo::program
