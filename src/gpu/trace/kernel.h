// A kernel launch as a trace gives it: its header, its static instructions, and its CTAs one after another.
//
// Contract: a KernelSource is read by one thread. The Program grows while CTAs are read and indices into it stay
// valid; memory is that of the CTAs the caller holds, not of the trace.
#pragma once

#include "base/result.h"
#include "gpu/trace/opcode.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kymo::gpu {

inline constexpr unsigned kWarpLanes = 32;

struct Dim3 {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;
    std::uint64_t count() const { return static_cast<std::uint64_t>(x) * y * z; }
    bool operator==(const Dim3&) const = default;
};

struct KernelHeader {
    std::string name;
    std::uint64_t id = 0;
    Dim3 grid;
    Dim3 block;
    std::uint32_t shared_bytes = 0;  // static and dynamic, a CTA
    std::uint32_t registers = 0;     // a thread
    std::uint32_t binary_version = 0;
    std::uint64_t stream = 0;
    std::uint64_t shared_base = 0;  // generic addresses from here on are shared memory
    std::uint64_t local_base = 0;
    std::string nvbit_version;
    std::uint32_t tracer_version = 0;
    bool has_lines = false;
    bool operator==(const KernelHeader&) const = default;

    // Whether grid and block are within what any GPU launches: 2³¹ − 1 by 65535 by 65535 CTAs, 1024 threads along an
    // axis and 2048 in all. Products of what passes fit into 64 bits.
    bool can_be_launched() const {
        return grid.count() != 0 && grid.x <= 0x7FFF'FFFFU && grid.y <= 65535U && grid.z <= 65535U &&
               block.count() != 0 && block.x <= 1024U && block.y <= 1024U && block.z <= 1024U &&
               block.count() <= 2048;
    }
};

// Registers of a static instruction: vector registers 0–254; 255 (RZ) is left out.
struct Registers {
    static constexpr unsigned kMost = 8;
    std::array<std::uint8_t, kMost> number{};
    std::uint8_t count = 0;
    bool add(unsigned register_number) {  // false: no room
        if (register_number == 255) {
            return true;
        }
        if (count == kMost) {
            return false;
        }
        number[count++] = static_cast<std::uint8_t>(register_number);
        return true;
    }
    bool operator==(const Registers&) const = default;
};

// When an instruction may issue according to the compiler, from the machine code's own bits: the wait before the
// next one, and which of a warp's six barriers it raises (until its result is ready, until its operands are read)
// or waits for. An instruction with these bits waits for nothing else: registers need not be named.
struct IssueControl {
    static constexpr std::uint8_t kNoBarrier = 7;
    static constexpr unsigned kBarriers = 6;
    bool known = false;      // false: not in the trace; dependences follow from registers
    std::uint8_t stall = 0;  // cycles to the warp's next instruction
    std::uint8_t write_barrier = kNoBarrier;
    std::uint8_t read_barrier = kNoBarrier;
    std::uint8_t waits = 0;  // a bit a barrier
    bool operator==(const IssueControl&) const = default;
};

struct StaticInstruction {
    std::uint64_t pc = 0;     // bytes from the kernel's start
    std::uint32_t line = 0;   // source line; 0: unknown
    std::uint32_t width = 0;  // the trace's width column; 0: no addresses follow
    Registers destinations;
    Registers sources;
    Op op;
    std::string opcode;
    IssueControl control;
    bool has_addresses() const { return width != 0; }
    bool operator==(const StaticInstruction&) const = default;
};

using Program = std::vector<StaticInstruction>;

// A register of a static instruction whose values a trace holds: of each lane that executes it, before (what it
// reads) or after (what it writes).
struct TracedOperand {
    std::uint32_t instruction = 0;  // in the Program
    std::string name;               // as the program's text has it
    std::uint8_t bits = 32;
    bool is_result = false;
    bool operator==(const TracedOperand&) const = default;
};

// One warp's executed instructions in the compact form of warp_code.h. Equal warps may share their bytes.
struct WarpTrace {
    std::uint32_t id = 0;  // in its CTA
    std::uint64_t instructions = 0;
    std::shared_ptr<const std::vector<std::uint8_t>> code;
    // Added to every address of a memory instruction, for generated kernels whose warps differ in nothing else.
    std::uint64_t address_offset = 0;
    // The values of its instructions' operands, in the order of execution: a code whose instructions are the
    // numbers of operands, and whose addresses are the values. Null: not in the trace.
    std::shared_ptr<const std::vector<std::uint8_t>> values;
};

struct Cta {
    Dim3 index;
    std::vector<WarpTrace> warps;
};

class KernelSource {
  public:
    virtual ~KernelSource() = default;
    virtual const KernelHeader& header() const = 0;
    virtual const Program& program() const = 0;
    // The operands whose values the trace contains, in the order of their instructions; empty: none. Grows with
    // the Program.
    virtual const std::vector<TracedOperand>& operands() const {
        static const std::vector<TracedOperand> none;
        return none;
    }
    // The next CTA, none at the kernel's end, or an error that names file and line.
    virtual Result<std::optional<Cta>> next_cta() = 0;
    // Back to the first CTA.
    virtual Result<void> rewind() = 0;
    // What of the launch the source lacks, in words, once its last CTA has been read; empty: nothing.
    virtual std::string left_out() const { return {}; }
    // At most this share of the instructions so far only repeated themselves until another thread had done something.
    // On a GPU such loops iterate as often as time allows, which is not known here.
    virtual double waiting() const { return 0; }
};

}  // namespace kymo::gpu
