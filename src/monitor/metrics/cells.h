// The measured program's cells: a row for each thread, and its standard cells filled.
//
// When it acts: with the life of threads and of the process, as Process calls it; at samples, at most every
// kFillEveryNs. Nothing is done per event of the program. Contract: as the rest of the monitor;
// fill_cells_at_sample() in the handler. Where nobody has asked for cells (cells/settings.h), nothing here does
// anything.
#pragma once

#include "monitor/threads/thread_state.h"

#include <cstdint>

namespace kymo::monitor {

inline constexpr std::uint64_t kFillEveryNs = 10'000'000;

void begin_cells(const char* folder, int pid, const char* program);
// In the thread concerned.
void begin_thread_cells(ThreadState& thread);
void fill_cells_at_sample(ThreadState& thread, std::uint64_t now);
// The last fill, and the row's end.
void end_thread_cells(ThreadState& thread);
void finish_cells(ThreadState* own_thread, std::uint64_t now);
void fork_cells(int pid);

}  // namespace kymo::monitor
