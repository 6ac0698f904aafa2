// What an executed operation works on: a warp's registers, the memory it may touch, and the operation itself.
//
// Registers lie as arrays of 32 lanes (structure of arrays) in the warp's frame, so that an operation is a loop over
// 32 neighbours, which the compiler turns into vector instructions: 128 bytes a 32-bit register, 256 a 64-bit one,
// 128 of which half are used a 16-bit one; a predicate is one bit a lane in four bytes. Constants, special registers
// and parameters are registers that are filled before the warp starts.
//
// Contract: plain data; used by one thread. Files in lanes/ are compiled once for every instruction set, so this
// header holds nothing whose code the linker could merge between them: no standard containers, no inline functions
// with external linkage.
#pragma once

#include "gpu/ptx/execute/mode.h"

#include <cstddef>
#include <cstdint>

namespace kymo::gpu::ptx {

struct Warp;
struct Op;

// Runs the operation in the lanes of `mask` (not 0). False: the warp's fault was set.
using Handler = bool (*)(Warp& warp, const Op& op, std::uint32_t mask);

inline constexpr std::uint32_t kAllLanes = 0xFFFF'FFFFU;
inline constexpr std::uint16_t kNoLog = 0xFFFF;

struct Op {
    Handler run = nullptr;
    std::uint32_t d = 0;  // places in the frame: the result,
    std::uint32_t a = 0;  // the sources,
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t more[4] = {};  // and what some have beside: a vector's other registers, a second result
    std::int64_t immediate = 0;  // an address's offset, a table, a rounding, a place in Warp::lists
    std::uint32_t guard = 0;     // a predicate's place
    std::uint8_t guarded = 0;    // 0 no, 1 where it is set, 2 where it is not
    Mode mode;                   // what the handler makes of it
    std::uint8_t count = 1;      // of a vector access
    std::uint8_t flags = 0;
    std::uint16_t log = kNoLog;     // where the trace keeps its mask and addresses
    std::uint16_t cache = 0;        // memory: the range it used last
    std::uint32_t instruction = 0;  // in Function::instructions, for messages
};
static_assert(sizeof(Op) == 64);  // a cache line

// Ranges of device memory, as far as the lanes need to know.
struct MemoryRange {
    std::uint64_t begin = 1;
    std::uint64_t end = 0;
};

struct LoggedAccess {
    std::uint32_t mask = 0;
    alignas(64) std::uint64_t address[32];
};

enum class FaultKind : std::uint8_t {
    kNone,
    kOutside,
    kMisaligned,
    kTrap,
    kUnsupported,
    kShared,
    kLocal,
    kPartial,   // some of the required lanes are missing; their mask is the address
    kNoObject,  // no mbarrier is at the address in shared memory
    kOverrun,   // more arrive at it than it waits for
    kBulkSize   // the size is the address
};

// Generic addresses of shared and local memory: a range that no address of this process can be in.
inline constexpr std::uint64_t kWindowBytes = 1ULL << 24U;
inline constexpr std::uint64_t kSharedWindow = 0x4000'0000'0000'0000ULL;
inline constexpr std::uint64_t kLocalWindow = 0x4000'0000'0100'0000ULL;
// Functions, kFunctionStride apart in the order of Module::functions: the value of a pointer to one.
inline constexpr std::uint64_t kFunctionWindow = 0x4000'0000'0200'0000ULL;
inline constexpr std::uint64_t kFunctionStride = 16;

struct Warp {
    std::byte* frame = nullptr;
    std::uint32_t mask = 0;    // lanes that execute now
    std::uint32_t live = 0;    // lanes that have not exited
    std::uint32_t carry = 0;   // CC.CF, a bit a lane
    std::uint32_t number = 0;  // in its CTA
    std::uint32_t strand = 0;  // which of the CTA's strands this is (strand.h)
    std::byte* shared = nullptr;
    std::uint64_t shared_bytes = 0;
    std::byte* local = nullptr;       // lane after lane
    std::uint64_t local_bytes = 0;    // a lane
    std::uint64_t local_at = 0;       // where the current function's begin
    std::byte* parameters = nullptr;  // of the current function: of device functions, lane after lane
    std::uint64_t parameter_stride = 0;
    MemoryRange* ranges = nullptr;         // by Op::cache
    const std::uint32_t* lists = nullptr;  // of the current function: what operations have more than fits in an Op
    // The range that holds these bytes; false: none does.
    bool (*find)(const void* memory, std::uint64_t address, std::uint64_t bytes, MemoryRange& range) = nullptr;
    const void* memory = nullptr;
    LoggedAccess* log = nullptr;  // null: no trace
    std::uint64_t clock = 0;
    struct {
        FaultKind kind = FaultKind::kNone;
        std::uint8_t lane = 0;
        std::uint32_t bytes = 0;
        bool store = false;
        std::uint64_t address = 0;
    } fault;
};

}  // namespace kymo::gpu::ptx
