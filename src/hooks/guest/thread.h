// The state of hooks in a thread, and the calls by which the monitor maintains it.
//
// Contract: begin_thread(), end_thread() and after_fork() in the thread concerned, with signals blocked. Between
// them hooked functions may be entered and left at any time, also in handlers that interrupt Kymo's own runtime
// (each depth of that has a lane of its own). Threads without a Thread, and those that share another's
// thread-local storage (raw clone), run their functions as if there were no hooks.
#pragma once

#include "cells/actions.h"
#include "hooks/guest/slots.h"

#include <cstddef>
#include <cstdint>

namespace kymo::hooks {

inline constexpr unsigned kLevels = 4;  // nested handlers, each having interrupted the runtime

class ThreadCalls;

struct Lane {
    BlockHead* first = nullptr;
    Slot* top = nullptr;  // the next to be used; at a block's end: the next block's first
};

struct Thread {
    Lane lanes[kLevels];
    std::uint32_t level = 0;          // lane to use; above 0 while the runtime is active in this thread
    std::uint64_t inside[kLevels]{};  // stack pointers at which the runtime began
    std::uint64_t stack_low = 0;      // the thread's own stack; size 0: not known
    std::uint64_t stack_bytes = 0;
    const cells::Task* task = nullptr;  // null: nothing is counted
    std::uint64_t unfollowed = 0;       // entries that were left out because no slot was available
    int tid = 0;
    ThreadCalls* calls = nullptr;  // null: occurrences of functions are not recorded

    bool on_own_stack(std::uint64_t address) const { return address - stack_low < stack_bytes; }
};

// The calling thread's; null: its functions run unhooked.
Thread* this_thread();

void begin_thread(Thread& thread, int tid, std::uint64_t stack_low, std::uint64_t stack_high,
                  const cells::Task* task);
// The calling thread continues as `thread`, in the middle of its functions.
void continue_thread(Thread& thread, const Thread& before, const cells::Task* task);
// The thread is not measured any more, in the middle of its functions.
void abandon_thread();
// The calling thread's functions whose frames are at or below `sp` on its own stack, or overwritten: longjmp has
// skipped them.
void leave_skipped(std::uint64_t sp);
// Leaves the functions that the thread will not return from any more.
void end_thread(Thread& thread);
// In the child; `thread` is the calling one's (null: none).
void after_fork(Thread* thread, int tid);

// The only step of a list: an addition of a constant.
struct Addition {
    std::uint64_t by = 0;
    std::uint64_t cell = 0;  // bytes from the task's first
};

// Which exits need work. (The trampolines compare it.)
enum class Follows : std::uint8_t {
    kNobody = 0,  // of no function
    kItself = 1,
    kOthers = 2,  // of other functions, which may have been skipped when this one is entered
};

// A hook: the runtime's work at a function.
struct alignas(64) Hook {
    std::uint64_t continuation = 0;
    const cells::Step* entry = nullptr;
    const cells::Step* exit = nullptr;
    std::uint16_t entry_steps = 0;
    std::uint16_t exit_steps = 0;
    Follows follows = Follows::kNobody;
    bool tells_images =
        false;               // not an instrumentation point: the dynamic linker's word that images have come or gone
    bool is_quick = false;   // both lists are additions or empty: the trampolines execute them themselves
    std::uint8_t calls = 0;  // a number from 1: occurrences are recorded, as function calls - 1 of ThreadCalls
    Addition quick_entry;
    Addition quick_exit;
};

// The runtime's data. Written while there is one thread, or before a hook's code can be reached.
struct Runtime {
    Hook* hooks = nullptr;
    void (*images_changed)(std::uint32_t hook) = nullptr;  // called by hooks that report loading
    const cells::DataSources* data = nullptr;              // for steps that read the program's data
};
extern Runtime runtime asm("kymo_hooks_runtime");  // the trampolines' names for it and for the calling thread's
extern constinit thread_local Thread* current asm("kymo_hooks_current") __attribute__((visibility("hidden")));

}  // namespace kymo::hooks
