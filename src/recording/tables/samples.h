// Calling contexts and samples. See recording/tables.h.
#pragma once

#include "recording/schema.h"

#include <cstdint>
#include <span>

namespace kymo::recording {

// A node of the stream's calling-context tree, written once, before the first sample that names it.
// The address is the frame's program counter (leaf, or interrupted by a signal) or its return address
// minus one (every other frame): use it for look-ups unchanged.
struct Context {
    std::uint64_t context = 0;  // ContextId, from 1
    std::uint64_t parent = 0;   // ContextId; 0: outermost frame
    std::uint64_t image = 0;    // ImageId; 0: offset is a process address
    std::uint64_t offset = 0;

    static constexpr const char* kTable = "context";
    static constexpr std::uint32_t kTableId = 21;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("context", ColumnType::kDelta, "", &Context::context);
        visit("parent", ColumnType::kUint, "", &Context::parent);
        visit("image", ColumnType::kUint, "", &Context::image);
        visit("offset", ColumnType::kUint, "address", &Context::offset);
    }
};

// A node that is not a frame: it represents a node of another stream's tree, from which the path below continues.
// The outermost node of an OpenMP worker's call paths is such a node, for the thread that opened the parallel
// region. Written directly after the node.
struct Join {
    std::uint64_t context = 0;  // in this stream; its parent is 0
    std::uint64_t stream = 0;   // StreamId
    std::uint64_t joined = 0;   // ContextId in that stream; 0: the root of its tree

    static constexpr const char* kTable = "join";
    static constexpr std::uint32_t kTableId = 42;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("context", ColumnType::kDelta, "", &Join::context);
        visit("stream", ColumnType::kUint, "", &Join::stream);
        visit("joined", ColumnType::kUint, "", &Join::joined);
    }
};

// A node without a parent that is not outermost: the outer frames were left out, since the monitor's table of call
// paths was full. Written directly after the node.
struct OuterDropped {
    std::uint64_t context = 0;

    static constexpr const char* kTable = "outer-dropped";
    static constexpr std::uint32_t kTableId = 54;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("context", ColumnType::kDelta, "", &OuterDropped::context);
    }
};

// The end of the walk of a call path. Everything but kComplete leaves the path partial at its root end.
enum class PathEnd : std::uint8_t {
    kComplete = 0,      // reached the bottom of the stack (main's caller or the thread's start)
    kNotWalked = 1,     // only the program counter is known (merged signal)
    kNoRule = 2,        // no rule for a frame and recovery failed
    kBadRule = 3,       // a rule could not be evaluated
    kOutsideStack = 4,  // the next frame would lie outside the stack
    kNoProgress = 5,    // the stack pointer did not move up
    kTooDeep = 6,       // more frames than the maximum
    kUnmapped = 7,      // the return address is not in code
    kNoRoom = 8,        // the monitor's table of call paths is full: outer frames were left out
};
inline constexpr unsigned kPathEnds = 9;

// Sample::flags
inline constexpr std::uint64_t kPathEndMask = 0x0F;
inline constexpr std::uint64_t kRecoveredFrame = 0x10;  // at least one frame was recovered without a rule
inline constexpr std::uint64_t kInKernel = 0x20;        // the timer fired while the thread was in the kernel
inline constexpr std::uint64_t kAfterPause = 0x40;  // first sample after measurement was off: deltas count from there
inline constexpr std::uint64_t kFoldedRecursion = 0x80;  // the path leaves out rounds of recursion
inline constexpr std::uint64_t kOwnWork =
    0x100;  // the monitor itself was at work outside its handler; the context is where the program stood
inline constexpr std::uint64_t kAtTick =
    0x200;  // taken at the kernel's tick (kInKernel: the kernel was at work), not after a period of the event

struct Sample {
    std::uint64_t time = 0;
    std::uint64_t processor = 0;
    std::uint64_t event = 0;                     // EventId of the event whose overflow this is
    std::uint64_t context = 0;                   // ContextId of the leaf; 0: nothing known
    std::uint64_t flags = 0;                     // SampleFlags, path end in bits 0–3
    std::span<const std::uint64_t> deltas = {};  // every event since the sample before, event-table order
    std::uint64_t own_ns = 0;                    // of that time, the monitor's own work, by its clocks
    std::uint64_t own_system_ns = 0;             // of own_ns, in the kernel
    std::uint64_t own_user_ns = 0;               // and not in the kernel; of the rest it is not known
    // So many samples were made one: the context, processor and flags are one's of them, drawn at random; time and
    // deltas are those of the last one since the row before. 0: it is one sample.
    std::uint64_t samples = 0;

    static constexpr auto kOmittedIfZero = &Sample::samples;  // the last column

    static constexpr std::uint64_t kBehindGap = kAfterPause;  // set by readers that leave out samples before it

    static constexpr const char* kTable = "sample";
    static constexpr std::uint32_t kTableId = 22;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &Sample::time);
        visit("processor", ColumnType::kUint, "", &Sample::processor);
        visit("event", ColumnType::kUint, "", &Sample::event);
        visit("context", ColumnType::kUint, "", &Sample::context);
        visit("flags", ColumnType::kUint, "", &Sample::flags);
        visit("deltas", ColumnType::kUintList, "", &Sample::deltas);
        visit("own_ns", ColumnType::kUint, "ns", &Sample::own_ns);
        visit("own_system_ns", ColumnType::kUint, "ns", &Sample::own_system_ns);
        visit("own_user_ns", ColumnType::kUint, "ns", &Sample::own_user_ns);
        visit("samples", ColumnType::kUint, "", &Sample::samples);
    }
};

// How many samples a row stands for.
constexpr std::uint64_t samples_of(const Sample& row) {
    return row.samples == 0 ? 1 : row.samples;
}

// The general registers at the sample before it in the stream: the values that code computes with, and the
// progress of its loops. Only in runs that request them, and for samples whose own instruction was interrupted.
struct SampleRegisters {
    std::span<const std::uint64_t> values = {};  // by DWARF number of the file's machine

    static constexpr const char* kTable = "registers";
    static constexpr std::uint32_t kTableId = 53;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("values", ColumnType::kUintList, "", &SampleRegisters::values);
    }
};

// What the interrupted instruction of the sample before it in the stream was about to compute with. Of some samples
// only: fewer and fewer as the thread goes on.
struct SampleOperands {
    std::span<const std::uint64_t> values = {};  // general registers, then the program counter, by DWARF number
    std::uint64_t denormals = 0;  // bit n: vector register n holds a denormal double in a place of its low 16 bytes;
                                  // bit 32 + n: a denormal float

    static constexpr const char* kTable = "operands";
    static constexpr std::uint32_t kTableId = 66;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("values", ColumnType::kUintList, "", &SampleOperands::values);
        visit("denormals", ColumnType::kUint, "", &SampleOperands::denormals);
    }
};

// The kernel's tick found the thread in the kernel, in a call from this context. It places system time, and counts
// nothing: no sample, and no deltas. Only for threads that are sampled by a counter which does not see the kernel.
struct KernelTick {
    std::uint64_t time = 0;     // when the call returned
    std::uint64_t context = 0;  // ContextId of the leaf; 0: not known

    static constexpr const char* kTable = "kernel-tick";
    static constexpr std::uint32_t kTableId = 56;
    template <typename V>
    static constexpr void columns(V&& visit) {
        visit("time", ColumnType::kDelta, "ns", &KernelTick::time);
        visit("context", ColumnType::kUint, "", &KernelTick::context);
    }
};

}  // namespace kymo::recording
