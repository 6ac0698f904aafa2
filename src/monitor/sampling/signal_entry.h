// Where the sampling signal enters: finds its owner, and switches to the thread's own stack, writing nothing to
// the interrupted one beyond what the kernel has pushed there.
//
// A signal that the monitor did not cause goes to kymo_forward_signal() unchanged and on the stack where it came;
// one of an overflow, a timer or a hunt to kymo_take_signal(), unless the thread is busy in the monitor: then the
// sample stays where it is for the next one. The signal's information alone decides which it is: an overflow by
// its descriptor, found in the table below; a timer by its value, which must be the calling thread. The thread's
// state is the calling thread's own, even if the descriptor has another owner by now: a program may have closed it
// with its own instruction, and another thread's counter has the number, while the first one goes on.
//
// The processor's part is in x86_64/signal_entry.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <signal.h>

namespace kymo::monitor {

struct ThreadState;

// The entry's data. Written at the program's start.
struct SignalOwners {
    std::atomic<ThreadState*>* table = nullptr;  // by descriptor, from `base`; 1: ours, but it signals no thread
    std::uint32_t base = 0;
    std::uint32_t count = 0;
    std::uint32_t kernel_results = 0;  // not 0: a signal that the kernel itself sends is the hunt's
    std::uint32_t has_keys = 0;        // not 0: protection keys may close memory, which must be opened first
};

// NOLINTBEGIN(readability-identifier-naming): the entry's names
extern "C" {
extern __attribute__((visibility("hidden"))) SignalOwners kymo_signal_owners;
extern __attribute__((visibility("hidden"), tls_model("initial-exec"))) thread_local ThreadState* kymo_current_thread;

// The handler to install.
__attribute__((visibility("hidden"))) void kymo_signal_entry(int signal, siginfo_t* info, void* context);

// On the thread's own stack. `code`: the signal's si_code.
__attribute__((visibility("hidden"))) void kymo_take_signal(ThreadState* thread, void* context, int code);
// On the interrupted stack.
__attribute__((visibility("hidden"))) void kymo_forward_signal(int signal, siginfo_t* info, void* context);
}
// NOLINTEND(readability-identifier-naming)

}  // namespace kymo::monitor
