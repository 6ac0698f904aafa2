// Functions that move to another stack (Go's systemstack, mcall, asmcgocall): their callers, where only a chain of
// frame pointers leads on behind them.
//
// Offsets are image offsets of frames. Precondition: the files are of this build's kind of processor.
#pragma once

#include "import/mapped_file.h"
#include "unwind/memory_view.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace kymo::import {

// How many records of frame pointers lead from the frame at `from` to the one at `to`: as many frames of a chain from
// the first lie before those behind `to`. nullopt: they do not, within the piece of stack.
std::optional<std::size_t> records_between(const unwind::MemoryView& stack, std::uint64_t from, std::uint64_t to);

// Whether nothing has called the function.
bool is_outermost(const MappedFile& file, std::uint64_t offset);

struct CallerBetween {
    // Of its call of the function that moves to another stack; its first byte, if it has several such calls. nullopt:
    // not known.
    std::optional<std::uint64_t> offset;
    // The function that is called at `next` does not call the other: the chain is of another moment.
    bool is_denied = false;
};

// Such a function keeps no frame pointer, so that the chain lacks its caller: the next frame in the chain is the
// caller's. `next` is that one's call, which names the missing function unless it calls through a pointer.
// `switching`: in the function that moves to another stack.
CallerBetween caller_between(const MappedFile& file, std::uint64_t switching, std::uint64_t next);

}  // namespace kymo::import
