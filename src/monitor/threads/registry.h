// The threads that are measured: which live, and states of former ones that can be used again.
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

    // Lives from now on, with a stream of its own. In the thread, under Quiet, as the next.
    void add(ThreadState& thread);
    void remove(ThreadState& thread);

    // Calls act(ThreadState&) for every thread that lives. None begins or ends meanwhile.
    template <typename Act>
    void for_each(const Act& act) const {
        const Locked locked(lock_);
        for (ThreadState* thread = live_; thread != nullptr; thread = thread->next) {
            act(*thread);
        }
    }
    // It lives, and no other.
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
