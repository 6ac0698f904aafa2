// OpenMP in the monitor: parallel regions, and each thread's part in one. The same for both run times (gnu_*.cpp,
// ompt.cpp), which only report when a region opens, a thread's share of it begins and ends, and so on.
//
// A *region* is one execution of a parallel construct. The thread that opens it, its *opener*, stays inside the
// run time's call until the region is over, so the outer part of its stack does not change meanwhile: any thread
// that has a share in the region may walk it, in its sampling handler too. Region lives as long as that call.
//
// A *worker* is a thread of the run time's pool. When its share is done it returns to the run time, where it waits
// first for the others of the region (the barrier at its end) and then, idle, for the next region. It cannot
// distinguish the two itself; the opener records the region's end in a table (`endings`), which the worker looks
// up when its next share begins. Only regions whose end a thread waited long for are in it.
//
// Threads: TeamState belongs to its thread, the atomics of Region to all that have a share in it.
#pragma once

#include "monitor/openmp/team_state.h"
#include "monitor/part.h"

#include <cstdint>

namespace kymo::monitor {

class Teams : public Part {
  public:
    static void thread_begin(ThreadState& thread);
};

extern Teams teams;

// ---- reports of the run times ----------------------------------------------------------------------------

// The calling thread opens the region, of which `registers` is set.
void open_region(ThreadState& thread, Region& region, std::uint64_t construct);
// The region is over; the calling thread is its opener.
void close_region(ThreadState& thread, Region& region);

// A thread's share of a region; its end begins a wait: the opener's for the region's end, a worker's for that and
// the next region.
void begin_share(ThreadState& thread, Region& region);
void end_share(ThreadState& thread, Region& region);

// An explicit task, which may run inside a wait of this thread.
SuspendedWait begin_task(ThreadState& thread);
void end_task(ThreadState& thread, const SuspendedWait& suspended);

// Arrival at a barrier in the region (returns its round), and the thread that arrived last at the same.
std::uint32_t arrive(ThreadState& thread);
std::uint64_t last_to_arrive(const ThreadState& thread, std::uint32_t round);

// ---- holders of locks ---------------------------------------------------------------------------------------

// A plain store into a small table, as note_waker().
void note_owner(const ThreadState& thread, const void* lock);
std::uint64_t owner_of(const void* lock);

// ---- waits without a frame ---------------------------------------------------------------------------------

// The calling thread's wait since the end of its share, as rows up to `now`: the region's barrier, then idleness.
// ended_by: the region that it has a share in now, or nullptr.
void write_idle(ThreadState& thread, std::uint64_t now, Region* ended_by, std::uint64_t flags);

}  // namespace kymo::monitor
