// A thread's state of waits: the present one, and the sums of those too short for a row each.
//
// Written by the thread itself, read by the one that ends the process: so every word is atomic, and none of them
// costs more than a plain store.
#pragma once

#include "recording/tables.h"
#include "unwind/native.h"

#include <atomic>
#include <cstdint>

namespace kymo::monitor {

// Shorter waits are only counted. A switch to another thread and back takes about as long.
inline constexpr std::uint64_t kBriefWaitNs = 10'000;
// In a process without a file (process.h), one is made once its waits have taken this long together. Until then
// all of them count as brief: of a process that continues, at most this much is recorded without its place.
inline constexpr std::uint64_t kShortWaitNs = 10'000'000;

struct WaitState {
    struct Sum {
        std::atomic<std::uint64_t> count{0};
        std::atomic<std::uint64_t> duration{0};

        void add(std::uint64_t ns) {
            count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            duration.store(duration.load(std::memory_order_relaxed) + ns, std::memory_order_relaxed);
        }
        void clear() {
            count.store(0, std::memory_order_relaxed);
            duration.store(0, std::memory_order_relaxed);
        }
    };

    // What a wrapper takes beside its call, ns: measured once, at the start of the process.
    static inline std::uint64_t call_ns = 0;

    // The wait that the thread is in; begin 0: none.
    std::atomic<std::uint64_t> begin{0};
    std::uint64_t taken_before = 0;  // ns that had been taken from the thread (ThreadState::taken_ns) when it began
    recording::WaitKind kind{};
    std::uint64_t object = 0;
    std::uint64_t holder = 0;
    unwind::Registers registers{};  // in the wrapper, which stays on the stack while the wait lasts

    Sum brief[recording::kWaitKinds];
    std::atomic<std::uint64_t> brief_below{kBriefWaitNs};  // ns: all that were counted as brief were shorter
    Sum all;                                               // brief or not
    Sum locks;

    void clear() {
        begin.store(0, std::memory_order_relaxed);
        brief_below.store(kBriefWaitNs, std::memory_order_relaxed);
        for (Sum& sum : brief) {
            sum.clear();
        }
        all.clear();
        locks.clear();
    }

    // All other data of the wait are set before.
    void open(std::uint64_t now, std::uint64_t taken) {
        taken_before = taken;
        begin.store(now, std::memory_order_release);
    }

    // Duration of a wait that began at `since` and is over at `end`, without the time that samples took: a sample
    // takes longer than a brief wait and must not make a long one of it. Otherwise the samples that meet brief
    // waits would be lost to them, and their time attributed to other code.
    std::uint64_t length(std::uint64_t since, std::uint64_t end, std::uint64_t taken) const {
        const std::uint64_t whole = end - since;
        const std::uint64_t meanwhile = taken - taken_before;
        return meanwhile < whole ? whole - meanwhile : 0;
    }

    // A wait that is over. True: it was brief, or its process has no file so far, and it is recorded in the sums
    // only.
    bool count(recording::WaitKind of, std::uint64_t ns, bool has_file) {
        all.add(ns);
        if (is_lock(of)) {
            locks.add(ns);
        }
        if (ns >= kBriefWaitNs) {
            if (has_file || all.duration.load(std::memory_order_relaxed) >= kShortWaitNs) {
                return false;
            }
            brief_below.store(kShortWaitNs, std::memory_order_relaxed);
        }
        brief[static_cast<unsigned>(of)].add(ns);
        return true;
    }

    static bool is_lock(recording::WaitKind kind) {
        using enum recording::WaitKind;
        switch (kind) {
            case kMutex:
            case kReadLock:
            case kWriteLock:
            case kSpinLock:
            case kOmpCritical:
            case kOmpLock:
            case kOmpOrdered:
            case kOmpAtomic:
                return true;
            default:
                return false;
        }
    }

    // In a wait of OpenMP: waits of the run time inside it are part of it.
    bool is_in_team_wait() const {
        using enum recording::WaitKind;
        return begin.load(std::memory_order_relaxed) != 0 &&
               (kind == kOmpBarrier || kind == kOmpTasks || kind == kOmpSingle || kind == kOmpIdle);
    }

    // The thread was seen with this stack pointer: whether it has left a wait that began further down, without coming
    // back from it (a signal handler jumped out, or it is being cancelled).
    bool is_left_at(std::uint64_t stack_pointer) const {
        return begin.load(std::memory_order_relaxed) != 0 && stack_pointer > registers.sp();
    }
};

}  // namespace kymo::monitor
