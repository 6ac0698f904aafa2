// The measured program's cells: a row for each thread, and its standard cells filled.
//
// When it acts: at a part's moments (part.h); at samples, at most every kFillEveryNs. Nothing is done per event of
// the program. Does nothing if cells were not requested (cells/settings.h).
#pragma once

#include "monitor/part.h"

#include <cstdint>

namespace kymo::monitor {

inline constexpr std::uint64_t kFillEveryNs = 10'000'000;

class CellRows : public Part {
  public:
    static bool begin();
    static void thread_begin(ThreadState& thread);
    // In the handler.
    static void at_sample(ThreadState& thread, std::uint64_t now);
    // The last fill, and the row's end.
    static void thread_end(ThreadState& thread);
    static void after_fork(ThreadState* own);
    static void finish(Process::End how);
};

extern CellRows cell_rows;

// Once per process, if it can have no cells: the counts of the program, its descriptions and its channels are
// lost.
void tell_no_cells();

}  // namespace kymo::monitor
