// All parts of the monitor (part.h), in the order in which they begin; a thread's end has the reverse order.
//
// Not parts: the common base (the process, its log and images, the registry of threads), the handler, and the
// functions of the program that are interposed, which only query.
#pragma once

#include "monitor/areas/address_map.h"
#include "monitor/channels/counting.h"
#include "monitor/hunt/hunt.h"
#include "monitor/interpose/tracing.h"
#include "monitor/metrics/cells.h"
#include "monitor/metrics/program_hooks.h"
#include "monitor/openmp/gnu.h"
#include "monitor/openmp/team.h"
#include "monitor/python/python.h"
#include "monitor/sampling/process_counters.h"
#include "monitor/sampling/sampling.h"
#include "monitor/sampling/second_look.h"
#include "monitor/sampling/switch_rows.h"
#include "monitor/speed_up/speed_up.h"
#include "monitor/waits/streams.h"
#include "monitor/waits/waits.h"

namespace kymo::monitor {

template <auto&... kParts>
struct PartList {
    static bool begin() { return (kParts.begin() && ...); }
    static void thread_begin(ThreadState& thread) { (kParts.thread_begin(thread), ...); }
    static void thread_end(ThreadState& thread) {
        int last_first = 0;  // assignments are evaluated from the right
        (((void)kParts.thread_end(thread), last_first) = ... = 0);
    }
    static void after_fork(ThreadState* own) { (kParts.after_fork(own), ...); }
    static void finish(Process::End how) { (kParts.finish(how), ...); }
};

using Parts = PartList<second_look,  // before images are looked up
                       speed_up,     // likewise
                       tracing,      // decides whether a thread may be sampled
                       sampling,     // handler and counters
                       switch_rows,  // of threads that are counted
                       address_map, waiting, streams, teams, gnu_openmp, python_frames, hunt,
                       cell_rows,  // the segment
                       channels,   // whose rows are in the segment
                       program_hooks,
                       process_counters>;  // last: work of the others at the start is not the program's

}  // namespace kymo::monitor
