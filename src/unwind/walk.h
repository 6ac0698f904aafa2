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

#include "unwind/image_set.h"
#include "unwind/memory_view.h"
#include "unwind/native.h"
#include "unwind/path.h"
#include "unwind/walk_limits.h"

#include <span>

namespace kymo::unwind {

using native::capture_float_here;
using native::capture_here;
using native::float_registers_from;
using native::registers_from;

// Cost: 3–10 ns a frame when the stack and the rules are in the processor's caches.
WalkResult walk(ImageSet& images, const Registers& start, Start kind, const MemoryView& stack, std::span<Frame> out,
                const StackFinder* other_stacks = nullptr);

// The registers of the nearest caller of `start` (Start::kInterrupted) whose image is not `inside`: those that a
// function must preserve, the stack pointer, and as the program counter an address in its call. False: none is found
// in kMostLeft steps, or memory outside the stack would be needed.
bool leave(ImageSet& images, const Registers& start, const MemoryView& stack, bool (*inside)(ImageId),
           Registers* caller);

}  // namespace kymo::unwind
