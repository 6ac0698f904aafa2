// The monitor's state of this process: the session, the recording file, the threads.
//
// When it acts: start() runs in __libc_start_main, before main and with one thread; begin_thread() and end_thread()
// in the thread concerned; finish() once, by whichever thread ends the process; after_fork() in a forked child, where
// only the forking thread is left. Until start() and after finish() (phase not kRunning) every entry point leaves the
// program alone.
//
// The recording file is made at start() in the program itself; in a forked child and, where the session has a file
// for short processes, in every other program only with its first row. Most children exec at once, and many programs
// (of a shell script, a build) end before their first sample: they append one row to the shared file
// (short_process.cpp).
#pragma once

#include "base/exclusion.h"
#include "events/session.h"
#include "monitor/process/descriptors.h"
#include "monitor/sampling/counters.h"
#include "monitor/threads/thread_state.h"
#include "recording/tables.h"
#include "recording/writer.h"
#include "unwind/image_set.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

namespace kymo::monitor {

enum class Phase : std::uint32_t { kOff = 0, kRunning = 1, kFinishing = 2 };

class Process {
  public:
    // ---- life of the process
    void start(int argc, char** argv, std::uint64_t stack_end);
    enum class End : std::uint8_t { kExit = 0, kImmediateExit = 1, kExec = 2 };
    // Writes what there is to write. After kExec measurement goes on (exec may fail); otherwise it is over.
    void finish(End how);
    void after_fork();
    // Notices what the program has unloaded.
    void forget_unloaded();

    Phase phase() const { return phase_.load(std::memory_order_acquire); }
    bool running() const { return phase() == Phase::kRunning; }
    // False in a vfork child, which shares this memory but is another process.
    bool is_this_process() const;

    // ---- threads. Both under Quiet.
    // A state for a thread to come, whose `creation` and `programs_mask` are the caller's to set. nullptr: no
    // memory; the thread then runs unmeasured.
    ThreadState* take_state();
    void give_back(ThreadState* thread);
    // On the thread's own stack (own_stack.h).
    void begin_thread(ThreadState* thread, StackBounds stack, Opening opening);
    void end_thread(ThreadState* thread);

    // ---- measurement on and off
    void resume();
    void pause();
    // In the handler, after a thread's first overflow.
    void complete_counters(ThreadState& thread);
    bool paused() const { return paused_.load(std::memory_order_acquire) != 0; }
    std::uint64_t resumes() const { return resumes_.load(std::memory_order_acquire); }

    // ---- rows
    // A row of the process as a whole. From handlers, or under Quiet.
    template <typename Row>
    bool log(const Row& row) {
        const Locked locked(log_lock_);
        return open_file() && log_.append(row);
    }
    // Writes what has arrived of the thread's own switches. In the thread, marked busy, after announce().
    void write_switches(ThreadState& thread);
    // Makes sure that the file is there and the thread's `stream` row is in it; before any row of that stream.
    bool announce(ThreadState& thread);

    const events::Session& session() const { return session_; }
    Descriptors& descriptors() { return descriptors_; }
    // The monitor's, the recording's file included.
    bool is_own_descriptor(int number) const {
        return descriptors_.is_ours(number) || (number >= 0 && number == file_.descriptor());
    }
    unwind::ImageSet& images() { return images_; }
    ImageId own_image() const { return own_image_; }
    // It has had nothing to tell so far that takes a file of its own.
    bool is_short() const { return may_be_short_ && !file_.is_open(); }

  private:
    void finish_quietly(End how);
    void end_short();
    bool load_session();
    // Under log_lock_. Nearly always it is open already.
    bool open_file() { return file_.is_open() || open_new_file(); }
    bool open_new_file();
    void write_head();
    void know_own_image();
    std::string_view arguments(
        std::span<char> room) const;  // of the command line, each ended by a NUL; what has room
    // Appends the process's only row to the file that such processes share. False: there is none, or no room in it.
    bool write_short(End how);
    CounterValues write_stream_end(ThreadState& thread, bool own_thread);  // returns what it has written
    void write_brief_waits(const ThreadState& thread);
    void open_switches(ThreadState& thread);
    void write_life(const ThreadState& thread, std::uint64_t time, recording::TaskChange change);
    void open_process_counters();
    void close_process_counters();
    bool read_usage(CounterValues& values) const;
    std::uint32_t read_process_totals(std::uint64_t* totals);
    void tell_unavailable(const CounterOutcome& outcome);
    bool wait_for_handlers() const;  // false: one did not leave
    StackBounds main_stack() const;
    ThreadState* begin_own_thread(StackBounds stack, ProgramsMask mask);
    static void image_added(void* self, ImageId id, const image::LoadedImage& image);
    static void image_removed(void* self, ImageId id);
    void write_living_images();

    std::atomic<Phase> phase_{Phase::kOff};
    std::atomic<std::uint32_t> paused_{0};
    std::atomic<std::uint64_t> resumes_{0};
    int pid_ = 0;
    int argc_ = 0;
    char** argv_ = nullptr;
    std::uint64_t start_time_ = 0;
    std::uint64_t main_stack_end_ = 0;

    events::Session session_;
    Descriptors descriptors_;
    unwind::ImageSet images_;
    std::atomic<ImageId> own_image_{ImageId{0}};
    bool may_be_short_ = false;
    bool is_forked_ = false;  // and has not become another program since

    Lock log_lock_;
    recording::FileWriter file_;
    recording::StreamWriter log_;
    bool file_failed_ = false;

    mutable Lock threads_lock_;
    ThreadState* live_ = nullptr;
    ThreadState* spare_ = nullptr;
    std::atomic<std::uint32_t> next_stream_{1};

    std::atomic<std::uint32_t> told_{0};  // one bit a kind of `unavailable` row
    std::atomic<bool> told_no_switches_{false};
    int process_counter_[events::kMaxEvents] = {};
    std::atomic<std::uint64_t> ended_threads_[events::kMaxEvents] = {};  // what they had counted
    CounterValues usage_before_;  // what the process had used up when measurement began
};

extern Process process;

// The file that this process runs; empty: not known.
std::string_view own_executable(std::span<char> room);

// The calling thread's state; nullptr for threads that are not measured.
ThreadState* this_thread();
void set_this_thread(ThreadState* thread);

// This thread writes to its own stream outside the handler: the handler stays out, and the process does not close its
// file meanwhile. may_write() is false when measurement is over, or the thread is in here already.
class Busy {
  public:
    explicit Busy(ThreadState& thread) : thread_(thread), entered_(thread.busy.exchange(1) == 0) {}
    ~Busy() {
        if (entered_) {
            thread_.busy.store(0, std::memory_order_release);
        }
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    // Checked after busy is set: whoever ends the process sets the phase first and then looks at busy.
    bool may_write() const { return entered_ && process.running(); }

  private:
    ThreadState& thread_;
    bool entered_;
};

// The monitor works in this thread outside the handler, for long enough to be sampled itself: made before Quiet, so
// that it ends after it. What overflows meanwhile is taken as soon as signals come again, and for what it is: a
// sample of this work, on the path that led to it (handler.cpp).
class OwnWork {
  public:
    explicit OwnWork(ThreadState& thread) : thread_(thread), begin_(clock_now()) {
        thread_.own_work_end = ~std::uint64_t{0};
        thread_.own_work_begin = begin_;
    }
    ~OwnWork() {
        const std::uint64_t end = clock_now();
        thread_.own_work_end = end;
        thread_.monitor_ns += end - begin_;
    }
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;

  private:
    ThreadState& thread_;
    std::uint64_t begin_;
};

// A wait that the thread is still in at `now`, when the process ends; or one that the ending thread itself has never
// come back from. Nobody but the caller may use the thread's stream.
void write_unfinished_wait(ThreadState& thread, std::uint64_t now, bool own_thread);

}  // namespace kymo::monitor
