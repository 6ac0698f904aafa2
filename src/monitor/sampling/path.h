// Call paths: from registers, or from a parallel region's construct, into a thread's calling-context tree.
//
// For the thread itself: in its handler, or under Quiet and Busy; for another thread only at the end of the process
// (enter_own_path, enter_joined).
//
// Left out of a path are the monitor's own frames, and those of an OpenMP run time between two frames of the
// program. A worker's path continues, if its own stack ends in the run time, with that of the construct that opened
// the region: so it is the same as the opener's.
#pragma once

#include "base/ids.h"
#include "monitor/threads/thread_state.h"

#include <cstdint>

namespace kymo::monitor {

struct Path {
    ContextId leaf{0};
    std::uint64_t flags = 0;  // recording::SampleFlags
    bool kept = true;         // false: it passes through no code of a second look (second_look.h)
    bool is_faster = false;   // it passes through the code of a virtual speed-up (speed_up/speed_up.h)
};

Path path_from_signal(ThreadState& thread, const unwind::Registers& registers);
// A sample whose signal was merged into a later one: its address is known, its call path is not.
Path path_from_address(ThreadState& thread, std::uint64_t pc);

// The calling thread's call path.
ContextId enter_own_path(ThreadState& thread, const unwind::Registers& registers);
// The innermost program counter on the calling thread's own path that lies in [begin, end); `otherwise` if none
// does.
std::uint64_t innermost_of(ThreadState& thread, const unwind::Registers& registers, std::uint64_t begin,
                           std::uint64_t end, std::uint64_t otherwise);
// The path of a region's construct, until the region is over.
ContextId enter_construct(ThreadState& thread, const Region& region);
// The path of another thread's context. Stream 0: none.
ContextId enter_joined(ThreadState& thread, StreamId stream, ContextId context);

// The registers of the nearest caller of the monitor: those that a function must preserve, the stack pointer, and an
// address in its call. False: not found.
bool caller_registers(ThreadState& thread, const unwind::Registers& here, unwind::Registers* caller);
// The registers of the caller of an OpenMP run time that has called the monitor, for Region::registers. False:
// there is none.
bool construct_registers(ThreadState& thread, const unwind::Registers& here, unwind::Registers* caller);

// The image around this address is an OpenMP run time.
void note_openmp_runtime(std::uint64_t address);

}  // namespace kymo::monitor
