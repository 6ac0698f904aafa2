// A PTX module as the parser returns it: what nvcc 12 and 13 write for compute capability 7.5 to 9.0.
//
// Names keep their spelling. Registers, labels and variables are numbers; instructions keep their opcode and
// modifiers as words, so that the executing side decides what it supports, and refuses the rest by name.
//
// Contract: plain data, immutable once parsed; safe to share between threads. Source: Parallel Thread Execution
// ISA, version 9.0 (NVIDIA, 2025).
#pragma once

#include "gpu/trace/kernel.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::gpu::ptx {

enum class Type : std::uint8_t {
    kNone,
    kB8,
    kB16,
    kB32,
    kB64,
    kB128,
    kU8,
    kU16,
    kU32,
    kU64,
    kS8,
    kS16,
    kS32,
    kS64,
    kF16,
    kF16x2,
    kBf16,
    kBf16x2,
    kF32,
    kF64,
    kE4m3x2,  // two numbers of eight bits: of four, and of five of exponent
    kE5m2x2,
    kU16x2,
    kS16x2,
    kPredicate
};
constexpr bool is_signed(Type type) {
    return type >= Type::kS8 && type <= Type::kS64;
}
constexpr bool is_float(Type type) {
    return type >= Type::kF16 && type <= Type::kF64;
}
unsigned bytes(Type type);               // 0: a predicate, or none
const char* name(Type type);             // "u32", "pred"
Type type_named(std::string_view word);  // kNone: no type

enum class StateSpace : std::uint8_t { kNone, kRegister, kGlobal, kConstant, kShared, kLocal, kParameter };
const char* name(StateSpace space);

// A position in the PTX text, and in the source that it was made of (.loc; line 0: unknown).
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t file = 0;  // Module::files
    std::uint32_t source_line = 0;
};

// A name's address plus something, inside a variable's initial bytes.
struct Relocation {
    std::uint32_t offset = 0;
    std::uint8_t bytes = 8;
    std::uint8_t shift = 0;  // 0xFF00(name): the address's bits from here on
    bool generic = false;    // generic(name)
    std::string symbol;
    std::int64_t addend = 0;
};

struct Variable {
    std::string name;
    StateSpace space = StateSpace::kNone;
    Type type = Type::kB8;
    std::uint32_t align = 1;
    std::uint64_t bytes = 0;  // 0: its size comes with the launch (`extern .shared x[]`), or it is elsewhere
    bool is_extern = false;
    std::vector<std::uint8_t> initial;  // shorter than `bytes`: the rest is 0
    std::vector<Relocation> relocations;
    Place place;
};

struct Parameter {
    std::string name;
    Type type = Type::kB8;
    std::uint32_t offset = 0;  // in the parameter bytes of a launch
    std::uint32_t bytes = 0;
    std::uint32_t align = 1;
};

struct Operand {
    enum class Kind : std::uint8_t {
        kNone,
        kRegister,   // number; `negated` for !%p
        kSpecial,    // number: into Module::names, "%tid.x"
        kInteger,    // value
        kFloat,      // value: the bits of a double
        kFloat32,    // value: the bits of a float (0f3F800000)
        kVariable,   // number: into Function::variables or, from kModuleVariable on, into Module::variables; + offset
        kParameter,  // number: into Function::parameters, from kReturned on Function::returns; + offset
        kFunction,   // number: into Module::functions
        kLabel,      // number: into Function::labels
        kName,       // number: into Module::names; something declared nowhere
        kSink,       // _
        kVector      // number: first of `count` operands in Function::elements
    };
    static constexpr std::uint32_t kModuleVariable = 1U << 30U;
    static constexpr std::uint32_t kReturned = 1U << 30U;
    Kind kind = Kind::kNone;
    bool negated = false;
    bool address = false;  // in brackets: the memory there
    std::uint8_t count = 0;
    std::uint32_t number = 0;
    std::int64_t offset = 0;  // of an address, or of a variable
    std::uint64_t value = 0;
};

struct Instruction {
    std::uint32_t opcode = 0;              // Module::names: "ld"
    std::vector<std::uint32_t> modifiers;  // Module::names: "global", "nc", "f32"
    std::int32_t guard = -1;               // predicate register; -1: always
    bool guard_negated = false;
    std::vector<Operand> operands;
    // call: the parts in parentheses
    std::vector<Operand> returned;
    std::vector<Operand> arguments;
    Place place;
};

struct Register {
    std::string name;
    Type type = Type::kB32;
};

struct Label {
    std::string name;
    std::uint32_t instruction = 0;       // it stands before
    std::vector<std::uint32_t> targets;  // of a .branchtargets: labels
    bool is_table = false;
};

struct Function {
    std::string name;
    bool is_kernel = false;
    bool is_defined = false;  // has a body
    bool never_returns = false;
    std::vector<Parameter> parameters;
    std::vector<Parameter> returns;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t shared_bytes = 0;    // static, its own variables
    std::uint32_t local_bytes = 0;     // per thread
    Dim3 most_threads{0, 0, 0};        // .maxntid; 0: not given
    Dim3 exact_threads{0, 0, 0};       // .reqntid
    std::uint32_t least_ctas = 0;      // .minnctapersm
    std::uint32_t most_registers = 0;  // .maxnreg
    std::vector<Register> registers;
    std::vector<Variable> variables;  // .shared .local .param .global .const inside the body
    std::vector<Operand> elements;    // of vector operands
    std::vector<Label> labels;
    std::vector<Instruction> instructions;
    Place place;
};

struct Module {
    std::string name;           // for messages: the file's, or what the caller says
    std::uint32_t version = 0;  // 100 × major + minor: 803
    std::uint32_t target = 0;   // 80 for sm_80
    std::uint32_t address_bytes = 8;
    std::vector<std::string> files;  // by .file's number; 0 is unused
    std::vector<std::string> names;  // opcodes, modifiers, special registers
    std::vector<Variable> variables;
    std::vector<Function> functions;

    const Function* function(std::string_view name) const;  // null: none of the name
    const Variable* variable(std::string_view name) const;
    // "vectoradd.cu:12", or "kernel.ptx:77" without line information.
    std::string where(const Place& place) const;
};

}  // namespace kymo::gpu::ptx
