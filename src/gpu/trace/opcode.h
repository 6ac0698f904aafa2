// What a machine instruction does, as far as its time is concerned, derived from the opcode's text as the tracer
// prints it ("LDG.E.64", "FFMA", "ISETP.GE.AND").
//
// Contract: pure, no state. An unknown opcode is arithmetic of the integer class and is marked (`known`), so that
// a new architecture's trace still runs and the report can name what was guessed.
//
// Widths come from the opcode's suffix, not from the trace's width column, which some tracers fill with something
// else.
#pragma once

#include <cstdint>
#include <string_view>

namespace kymo::gpu {

// Classes with a latency and an issue interval of their own in a GPU file (`latency.<name>`, `interval.<name>`).
enum class OpClass : std::uint8_t {
    kNop,      // nothing to do, or the execution mask is empty
    kInt,      // integer add, logic, shift, compare, select, move
    kIntMul,   // integer multiply-add (IMAD): runs on the multiply pipe
    kFp32,     // FADD FMUL FFMA, and single-precision compares
    kFp16,     // packed half precision
    kFp64,     // double precision
    kSfu,      // reciprocal, square root, sine (MUFU)
    kConvert,  // conversions, population count, find leading one: the quarter-rate pipe
    kTensor,   // matrix multiply-accumulate
    kUniform,  // the uniform data path
    kBranch,   // jumps, calls, returns
    kControl,  // reconvergence marks, waits on dependence barriers, votes, special registers
    kBarrier,  // CTA-wide barrier
    kExit,     // the thread's end
    kMemory,   // everything with an address; see Space
};
inline constexpr unsigned kOpClasses = 15;
const char* name(OpClass op_class);

enum class Space : std::uint8_t { kNone, kGlobal, kShared, kLocal, kConstant, kTexture, kGeneric };

struct Op {
    OpClass op_class = OpClass::kInt;
    Space space = Space::kNone;
    std::uint8_t bytes = 0;  // a lane's access: 1, 2, 4, 8 or 16; 0 without one
    bool load = false;
    bool store = false;
    bool atomic = false;           // read-modify-write at the memory (atomics and reductions)
    bool sets_predicate = false;   // result is a predicate register, which traces do not list
    bool reads_predicate = false;  // waits for a predicate: branches, exits, selects
    bool uniform = false;          // result is a uniform register, which traces do not list
    bool wide_result = false;      // 64-bit result: the register named and the next
    bool fence = false;
    bool copy = false;              // a load into shared memory that no register waits for
    bool waits_for_copies = false;  // for all of the warp's so far
    bool known = true;
    bool operator==(const Op&) const = default;
};

// Cost: one hash look-up; callers keep the result with the static instruction.
Op decode_opcode(std::string_view text);

}  // namespace kymo::gpu
