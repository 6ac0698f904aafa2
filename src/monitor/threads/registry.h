// The measured threads: the live ones, and states of former ones for reuse.
#pragma once

#include "base/exclusion.h"
#include "monitor/threads/thread_state.h"

#include <atomic>
#include <cstdint>

namespace kymo::monitor {

class Registry {
  public:
    // A state for a thread to come, whose `creation` and `programs_mask` are the caller's to set. nullptr: no
    // memory; the thread then runs unmeasured. Under Quiet, as the next.
    ThreadState* take_state();
    void give_back(ThreadState* thread);

    // The thread is live from now on, with a stream of its own. In the thread, under Quiet, as the next.
    void add(ThreadState& thread);
    void remove(ThreadState& thread);

    // Calls act(ThreadState&) for every live thread. None begins or ends meanwhile.
    template <typename Act>
    void for_each(const Act& act) const {
        const Locked locked(lock_);
        for (ThreadState* thread = live_; thread != nullptr; thread = thread->next) {
            act(*thread);
        }
    }
    // It is the only live thread.
    bool is_alone(const ThreadState& thread) const;

    // In a forked child: before the parts release what the parent's threads held, and after. Then no thread is
    // registered.
    void after_fork() { lock_.reset(); }
    void forget_all(ThreadState* own);

  private:
    mutable Lock lock_;
    ThreadState* live_ = nullptr;
    ThreadState* spare_ = nullptr;
    std::atomic<std::uint32_t> next_stream_{1};
};

extern Registry threads;

// The calling thread's state; nullptr for threads that are not measured.
ThreadState* this_thread();

}  // namespace kymo::monitor
