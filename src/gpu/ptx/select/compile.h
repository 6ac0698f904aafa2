// A function made ready to run: operations with places in the warp's frame, basic blocks with where diverged lanes
// meet again, and the list of machine-like instructions that the models see.
//
// Contract: compile() is pure. What comes out is immutable. Registers of a function share places where their lives do
// not overlap (per thread: a write touches only the lanes that execute it, so lanes on another path keep what they
// hold).
#pragma once

#include "gpu/ptx/execute/op_facts.h"
#include "gpu/ptx/select/select.h"
#include "gpu/trace/kernel.h"

namespace kymo::gpu::ptx {

inline constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoOp = ~std::uint32_t{0};
inline constexpr std::uint32_t kEndingOp = kNoOp - 1;

struct Block {
    std::uint32_t first = 0;  // operations
    std::uint32_t end = 0;
    Ending ending = Ending::kFall;
    std::uint8_t guarded = 0;  // as Op::guarded: of the ending
    std::uint8_t barrier = 0;
    std::uint32_t guard = 0;  // place
    // kBranch: block; kTable: in Compiled::tables, its length first; kCall: function, or kPointer
    std::uint32_t taken = 0;
    std::uint32_t next = 0;         // block that follows; kNoBlock: none
    std::uint32_t meet = kNoBlock;  // where lanes that part here meet again; kNoBlock: at the function's end
    std::uint32_t machine_first = 0;
    std::uint32_t machine_end = 0;
    std::uint16_t ending_log = kNoLog;  // where the mask of the ending is kept
    std::uint32_t instruction = 0;      // the ending's, for messages
    // kBarrier: its number, how many threads, the result; kTable: the index; kCall: the pointer; kWait: the object's
    // address, the phase's token or parity, and d whether it has ended
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t d = 0;
    std::uint8_t flags = 0;
    AddressMode object{};         // kWait: how its address and what is asked are held
    std::int64_t offset = 0;      // kWait: behind the address
    std::uint32_t arguments = 0;  // kCall: in Compiled::passes
    std::uint32_t returned = 0;
    UseRange uses;  // the ending's
};

// What the models see of a block, in order.
struct MachineInstruction {
    std::uint32_t index = 0;     // in Compiled::program
    std::uint16_t log = kNoLog;  // its mask and addresses are there; kNoLog: it has the block's mask
    bool has_addresses = false;
    bool is_bulk = false;  // represents as many accesses as the copy's size takes
    // In Compiled::ops, whose last one it is; kEndingOp: the block's ending; kNoOp: it is one of several, or of none.
    std::uint32_t op = kNoOp;
};

struct ConstantPlace {
    std::uint32_t place = 0;
    std::uint8_t bits = 32;
    std::uint64_t value = 0;
};

// A parameter that a call copies, of each lane: where it lies in the caller's parameters.
struct Passed {
    std::uint32_t at = 0;
    std::uint32_t bytes = 0;
};

struct Compiled {
    const Function* function = nullptr;
    Layout layout;
    std::vector<Op> ops;
    std::vector<Block> blocks;
    std::vector<MachineInstruction> machine;
    std::vector<std::uint32_t> tables;
    std::vector<std::uint32_t> lists;  // Warp::lists
    std::vector<std::vector<Passed>> passes;
    std::vector<ConstantPlace> constants;
    std::vector<Preset> presets;
    std::uint32_t frame_bytes = 0;
    std::uint32_t logs = 0;  // places that a block's log needs at most
    std::uint32_t caches = 0;
    std::uint32_t registers = 0;  // 32-bit ones, a thread
    std::vector<OpFacts> facts;   // of each operation
    std::vector<RegisterUse> uses;
    std::vector<std::uint32_t> callees;
    bool calls_pointers = false;
    Program program;
};

Result<Compiled> compile(const Module& module, const Function& function, std::uint64_t shared_begin,
                         const ModuleLayout& variables);

}  // namespace kymo::gpu::ptx
