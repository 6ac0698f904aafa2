// pthread_once and call_once: a thread that finds another at the initialiser waits for it.
//
// Which of several threads runs the initialiser shows only when it is called, so a routine of the monitor replaces
// it: it cancels the wait that its thread seemed to be in, records the thread as the one that the others wait for,
// and calls the program's own. An initialiser that throws or is cancelled resets the flag, as without the monitor.
//
// glibc's flag (pthread_once_t and once_flag alike): bit 1 is set once the initialiser has run.

#include "monitor/waits/waits.h"

#include <pthread.h>
#include <threads.h>

using namespace kymo::monitor;

namespace {

using Routine = void (*)();

constexpr int kDone = 2;

struct Initialiser {
    Routine routine = nullptr;
    const void* flag = nullptr;
};

thread_local Initialiser own_initialiser;

Real<int (*)(pthread_once_t*, Routine)> real_pthread_once{"pthread_once"};
Real<void (*)(once_flag*, Routine)> real_call_once{"call_once"};

void run_initialiser() {
    const Initialiser mine = own_initialiser;
    if (ThreadState* thread = waiting_thread(); thread != nullptr) {
        thread->waits.begin.store(0, std::memory_order_relaxed);
        note_waker(mine.flag);
    }
    mine.routine();
}

// What is set here is read while call() runs, by this thread; a signal handler in between restores it.
template <typename Call>
__attribute__((noinline)) int wait_for_initialiser(const void* flag, Routine routine, const Call& call) {
    const Initialiser outer = own_initialiser;
    own_initialiser = {routine, flag};
    const int result = waited(WaitKind::kOnce, address_of(flag), 0, call, [=] { return waker_of(flag); });
    own_initialiser = outer;
    return result;
}

}  // namespace

KYMO_INTERPOSE int pthread_once(pthread_once_t* flag, Routine routine) {
    const auto real = real_pthread_once.get();
    if ((__atomic_load_n(flag, __ATOMIC_ACQUIRE) & kDone) != 0 || waiting_thread() == nullptr) {
        return real(flag, routine);
    }
    return wait_for_initialiser(flag, routine, [=] { return real(flag, run_initialiser); });
}

static_assert(sizeof(once_flag) == sizeof(pthread_once_t));

KYMO_INTERPOSE void call_once(once_flag* flag, Routine routine) {
    const auto real = real_call_once.get();
    if ((__atomic_load_n(reinterpret_cast<int*>(flag), __ATOMIC_ACQUIRE) & kDone) != 0 ||
        waiting_thread() == nullptr) {
        real(flag, routine);
        return;
    }
    wait_for_initialiser(flag, routine, [=] {
        real(flag, run_initialiser);
        return 0;
    });
}
