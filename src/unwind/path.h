// The result of a walk: the call path, and how it ended.
#pragma once

#include "base/ids.h"
#include "unwind/memory_view.h"

#include <cstdint>

namespace kymo::unwind {

// As recording::PathEnd, value for value.
enum class PathEnd : std::uint8_t {
    kComplete = 0,
    kNotWalked = 1,
    kNoRule = 2,
    kBadRule = 3,
    kOutsideStack = 4,
    kNoProgress = 5,
    kTooDeep = 6,
    kUnmapped = 7,
};

// What the start's program counter is.
enum class Start : std::uint8_t {
    kInterrupted,  // the instruction to be executed next: from a signal's context, or from capture_here()
    kCalled,       // a return address
};

// Innermost first. `offset` and `address` are ready for look-up: return addresses already have 1 subtracted.
struct Frame {
    ImageId image{0};           // 0: no image (generated code); the offset is then the address
    std::uint64_t offset = 0;   // in the image
    std::uint64_t address = 0;  // in the process
};

// For stacks other than the given one: finds the stack that contains an outside stack pointer (an alternate signal
// stack's interrupted stack, coroutines). False: not known. At most kMostStacks calls per walk. A call may
// overwrite the result of an earlier one.
struct StackFinder {
    void* context = nullptr;
    bool (*find)(void* context, std::uint64_t stack_pointer, MemoryView* stack) = nullptr;
};

struct WalkResult {
    std::uint32_t count = 0;  // frames written
    PathEnd end = PathEnd::kNotWalked;
    bool recovered = false;  // at least one frame was found without a rule
    // The stack pointer behind the last caller that was found. Where the path ends with kOutsideStack for want of
    // memory: the end of the word that was missing.
    std::uint64_t reached = 0;
    // Where the path ends at a function that moves to another stack: the frame pointer there, which is its caller's,
    // on that stack. 0: it does not end there.
    static constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};
    std::uint64_t other_frame = 0;
};

}  // namespace kymo::unwind
