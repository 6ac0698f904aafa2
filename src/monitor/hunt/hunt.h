// Hunting in the measured program: events go to the pair machine instead of becoming samples, and results become
// rows.
//
// Two engines. In the program: the sampling handler steps the machine with each overflow of the hunted event. In
// the kernel: every thread has a counter of its own with the parent's eBPF program attached, which steps a machine
// in a mapped array and drops every event; on a find it signals the thread, whose handler then walks the call path
// and writes the row. In both cases there is one machine for all of the process's threads, and memory does not
// grow.
//
// The hunt's file (pairs/hunt_file.h) is beside the session; without one this code does nothing. Contract: as the
// rest of the monitor. take() and news() run in handlers, with the thread marked busy; the rest at a part's
// moments (part.h).
#pragma once

#include "base/exclusion.h"
#include "base/ids.h"
#include "monitor/part.h"
#include "monitor/sampling/counters.h"
#include "pairs/hunt_file.h"
#include "pairs/shared.h"
#include "unwind/native.h"

#include <cstdint>

namespace kymo::monitor {

struct ThreadState;

class Hunt : public Part {
  public:
    bool begin();
    // Gives the thread a counter if the kernel hunts, and removes it.
    void thread_begin(ThreadState& thread);
    void thread_end(ThreadState& thread);
    // Final rows (a killed program leaves those written on the way, the latest at half its events): results not
    // yet written, and how each result ended. If `finish` was called for an exec that failed, they are written
    // again later.
    void finish(Process::End how);
    void after_fork(ThreadState* own);

    bool on() const { return on_; }
    bool in_kernel() const { return on_ && file_.kernel.holder != 0; }

    // An overflow of one of the session's events. True: it was hunted; the caller must not write it as a sample.
    bool take(ThreadState& thread, const Overflow& overflow, const unwind::Registers& registers);
    // Results that the kernel's engine has made in this thread; in hunts without a signal (context-switches: a
    // signal would end waits early), in any thread of the process.
    void news(ThreadState& thread, const unwind::Registers& registers);
    // The same after a wait that lasted from `begin` to now, whose call path is `context`. Two loads if there are
    // none.
    void news_after_wait(ThreadState& thread, std::uint64_t begin, ContextId context);

  private:
    static constexpr std::uint64_t kFirstWord = 256;

    // The newest of some results.
    class Numbers {
      public:
        constexpr Numbers() = default;
        void note(std::uint32_t number) { numbers_[count_++ % kMost] = number; }
        bool has(std::uint32_t number) const {
            for (const std::uint32_t known : numbers_) {
                if (known == number) {
                    return true;
                }
            }
            return false;
        }
        void forget() { *this = {}; }

      private:
        static constexpr std::uint32_t kMost = 256;
        std::uint32_t numbers_[kMost] = {};
        std::uint32_t count_ = 0;
    };

    bool open_kernel();
    void tell_program() const;
    std::uint64_t key_of(ThreadState& thread, const unwind::Registers& registers, std::uint64_t pc);
    template <typename PathOf>
    void write_news(ThreadState& thread, const PathOf& path_of);
    void write_find(ThreadState* thread, const pairs::News& news, ContextId context);
    void write_end(std::uint64_t number, bool quiet, std::uint64_t events, std::uint64_t matches) const;
    void write_ends() const;
    void tell_so_far();
    void write_quiet(std::uint64_t count);
    std::uint64_t news_count() const;

    bool on_ = false;
    int pid_ = 0;
    std::uint64_t text_begin_ = 0;  // of the program's own image
    std::uint64_t text_end_ = 0;
    int program_ = -1;
    pairs::HuntFile file_;
    pairs::Shared own_;
    pairs::Shared* shared_ = nullptr;
    Lock lock_;                             // of own_, and of what is below
    std::uint64_t next_word_ = kFirstWord;  // number of events at which the next interim rows are written
    std::uint64_t news_seen_ = 0;           // of the kernel's; all of this process's up to there are written
    Numbers mine_;                          // of results that this process has written
    Numbers quiet_;                         // of these, whose ends are written as well
};

extern Hunt hunt;

}  // namespace kymo::monitor
