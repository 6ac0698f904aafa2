// Ends the threads that loops (loops.h) have left behind.
#pragma once

#ifndef __SANITIZE_THREAD__
#include <new>
#include <tbb/global_control.h>
#endif

namespace kymo::parallel {

// For a caller that then awaits signals of the process, which any thread takes that does not block them. The next
// loop starts new ones. Call it outside of loops, on the thread that ran them. False: some stay.
inline bool end_workers() {
#ifdef __SANITIZE_THREAD__  // loops leave none behind
    return true;
#else
    tbb::task_scheduler_handle threads{tbb::attach{}};
    return tbb::finalize(threads, std::nothrow);
#endif
}

}  // namespace kymo::parallel
