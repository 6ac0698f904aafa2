// The walk: from registers to the call path.
//
// Contract: usable in signal handlers on any thread; no locks, no malloc; errno is kept. Never reads outside the
// stack that is given (or that the StackFinder gives), outside compiled tables, or (recovery only) outside readable
// code of known images. Uses less than 2 KiB of stack. Its work is bounded on any input: walk_limits.h.
//
// Each step is ok (go on), error (no usable rule: find the caller from the saved context instead, mark the path, go
// on) or stop (bottom of the stack). Only a recovery that fails leaves the path partial.
//
//   static unwind::ImageSet images;                                     // create() once
//   unwind::Frame frames[256];
//   const auto start = unwind::registers_from(*context);                // in a handler
//   const auto stack = unwind::MemoryView::live(start.sp() - 128, stack_end);
//   const auto path = unwind::walk(images, start, unwind::Start::kInterrupted, stack, frames);
#pragma once

#include "base/ids.h"
#include "unwind/image_set.h"
#include "unwind/memory_view.h"
#include "unwind/native.h"
#include "unwind/walk_limits.h"

#include <cstdint>
#include <span>

namespace kymo::unwind {

using native::capture_float_here;
using native::capture_here;
using native::float_registers_from;
using native::registers_from;

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

// For stacks other than the one given: where a stack pointer lies when it is outside (an alternate signal stack's
// interrupted stack, coroutines). False: nothing known. At most kMostStacks calls a walk. What an earlier call gave
// may be overwritten.
struct StackFinder {
    void* context = nullptr;
    bool (*find)(void* context, std::uint64_t stack_pointer, MemoryView* stack) = nullptr;
};

struct WalkResult {
    std::uint32_t count = 0;  // frames written
    PathEnd end = PathEnd::kNotWalked;
    bool recovered = false;  // at least one frame was found without a rule
};

// Cost: 3–10 ns a frame when the stack and the rules are in the processor's caches.
WalkResult walk(ImageSet& images, const Registers& start, Start kind, const MemoryView& stack, std::span<Frame> out,
                const StackFinder* other_stacks = nullptr);

// The registers of the nearest caller of `start` (Start::kInterrupted) whose image is not `inside`: those that a
// function must preserve, the stack pointer, and as the program counter an address in its call. False: none is found
// in kMostLeft steps, or memory outside the stack would be needed.
inline constexpr unsigned kMostLeft = 64;
bool leave(ImageSet& images, const Registers& start, const MemoryView& stack, bool (*inside)(ImageId),
           Registers* caller);

}  // namespace kymo::unwind
