// A virtual speed-up (`kymo confirm`) in the measured program: threads pause where a sample of another one lies in
// the chosen code. delays.h has the accounts, events/speed_up.h the files; without these files all this is one load
// of a null pointer.
//
// A sample is in the code if its call path passes through it: with all that it calls. It stands for the processor
// time since the thread's sample before, in the kernel or not. Samples of the monitor's own work are left out.
//
// Pausing while a thread holds a lock is intended: in the faster program it would hold it later. Nothing waits for a
// paused thread but what would wait for a preempted one, and each pause ends by itself; so no deadlock comes of it.
// A pause is a futex wait with a timeout, which the monitor uses anyhow: programs that limit their system calls have
// been asked about it (interpose/seccomp.cpp).
//
// Contract: as the rest of the monitor. at_sample() and pause_in_handler() in handlers; the others in the thread,
// outside. errno is kept.
#pragma once

#include "events/speed_up.h"
#include "monitor/part.h"
#include "monitor/sampling/chosen_code.h"
#include "monitor/speed_up/delays.h"

#include <atomic>
#include <cstdint>
#include <span>

namespace kymo::monitor {

struct Overflow;
struct ThreadState;

class SpeedUp : public Part {
  public:
    bool begin();
    void thread_begin(ThreadState& thread);
    void thread_end(ThreadState& thread);
    // A forked child is another process: it begins without delays, and delays only itself.
    void after_fork(ThreadState* own);
    void finish(Process::End how);

    bool on() const { return account_ != nullptr; }
    void image_added(ImageId id, const image::LoadedImage& image);
    bool passes(std::span<const unwind::Frame> path) const { return code_.passes(path); }

    // A sample of the thread's clock. `is_inside`: in the code.
    void at_sample(ThreadState& thread, const Overflow& overflow, bool is_inside);
    // At the handler's end, when the process's end need not wait for this thread any more.
    void pause_in_handler(ThreadState& thread);
    // Before the thread does what may let another one go on.
    void before_waking(ThreadState& thread);
    // The thread has waited for another one of this process, `waited` ns: for `waker`, a thread's id; 0 or its own:
    // not known.
    void after_wait_for(ThreadState& thread, std::uint64_t waited, std::uint64_t waker);
    // It has waited for time, or for something outside.
    void after_wait(ThreadState& thread);

  private:
    void pause(ThreadState& thread);
    bool map_account();

    events::SpeedUpAccount* account_ = nullptr;
    std::uint64_t part_ = 0;
    ChosenCode code_;
    Delays delays_;
    std::atomic<bool> is_entered_{false};  // this process has run the code
    std::uint64_t told_ = 0;               // of its delay, to the parent
};

extern SpeedUp speed_up;

}  // namespace kymo::monitor
