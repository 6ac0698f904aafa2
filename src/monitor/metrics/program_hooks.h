// The program's instrumentation points: hooks that the launcher has planned (hooks/plan_file.h, a file beside the
// session).
//
// When it acts: at a part's moments (part.h); the code is changed at the program's start. Does nothing without a
// plan.
#pragma once

#include "monitor/part.h"

#include <cstdint>

namespace kymo::monitor {

class ProgramHooks : public Part {
  public:
    static bool begin();
    static void thread_begin(ThreadState& thread);
    static void thread_end(ThreadState& thread);
    static void after_fork(ThreadState* own);
    // Reports what was left out.
    static void finish(Process::End how);

    // If metrics were switched off or on from outside, applies this to their instrumentation points. In the
    // handler; a comparison of two words if nothing has changed.
    static void obey_switches();
    // Whether an address on a stack is a hook's that replaces a caller's; *caller: the caller's return address.
    static bool is_hooked_return(std::uint64_t address, std::uint64_t* caller);
};

extern ProgramHooks program_hooks;

}  // namespace kymo::monitor
