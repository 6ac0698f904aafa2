// As in enter_leave.cpp, which calls this: vector registers hold the program's arguments and results. Before the
// includes, for what they have inline.
#if !defined(__clang__)
#pragma GCC target("general-regs-only")
#endif

#include "hooks/guest/thread_calls.h"

#include "hooks/guest/thread.h"
#include "hooks/native.h"

#include <ctime>
#include <sys/resource.h>
#include <sys/syscall.h>

namespace kymo::hooks {
namespace {

constexpr std::uint64_t kLooksShare = 32;  // a look takes at most this fraction of the time between looks

// While it exists, other threads do not read.
class Changing {
  public:
    explicit Changing(FunctionCalls& calls) : calls_(calls) {
        __atomic_store_n(&calls_.change, calls_.change + 1, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_RELEASE);
    }
    ~Changing() { __atomic_store_n(&calls_.change, calls_.change + 1, __ATOMIC_RELEASE); }
    Changing(const Changing&) = delete;
    Changing& operator=(const Changing&) = delete;

  private:
    FunctionCalls& calls_;
};

std::uint64_t raw_clock(int clock) {
    timespec time{};
    raw_system(SYS_clock_gettime, static_cast<std::uint64_t>(clock), reinterpret_cast<std::uint64_t>(&time));
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

void read_usage(Usage& usage) {
    // getrusage's times are those of the thread's last switch or of the kernel's last tick.
    usage.processor_ns = raw_clock(CLOCK_THREAD_CPUTIME_ID);
    rusage kernels{};
    raw_system(SYS_getrusage, static_cast<std::uint64_t>(RUSAGE_THREAD), reinterpret_cast<std::uint64_t>(&kernels));
    usage.voluntary = static_cast<std::uint64_t>(kernels.ru_nvcsw);
    usage.involuntary = static_cast<std::uint64_t>(kernels.ru_nivcsw);
    usage.minor_faults = static_cast<std::uint64_t>(kernels.ru_minflt);
    usage.major_faults = static_cast<std::uint64_t>(kernels.ru_majflt);
}

void subtract(const Usage& before, Usage& usage) {
    usage.processor_ns -= before.processor_ns;
    usage.voluntary -= before.voluntary;
    usage.involuntary -= before.involuntary;
    usage.minor_faults -= before.minor_faults;
    usage.major_faults -= before.major_faults;
}

// A function's outermost call was skipped unnoticed: its frame is below the new one, or its return address does
// not lead to a stub.
bool is_gone(const Thread& thread, const Slot& running, const Slot& next) {
    if (!thread.on_own_stack(running.sp) || !thread.on_own_stack(next.sp)) {
        return false;
    }
    return running.sp < next.sp || !is_stub_return(*reinterpret_cast<const std::uint64_t*>(running.sp));
}

}  // namespace

std::uint64_t ThreadCalls::look(std::uint64_t now) {
    if (looked_ != 0 && now - looked_ < fresh_ticks_) {
        return now;
    }
    read_usage(usage_);
    looked_ = cells::read_ticks(rate_.kind);
    if (const std::uint64_t least = (looked_ - now) * kLooksShare; least > fresh_ticks_) {
        fresh_ticks_ += (least - fresh_ticks_) / 8;  // a single one may be chance
    }
    return looked_;
}

void ThreadCalls::begin(std::uint32_t function, const Thread& thread, const Slot& slot) {
    FunctionCalls& calls = all()[function];
    const bool is_new = calls.running == nullptr;
    if (!is_new && !is_gone(thread, *calls.running, slot)) {
        return;
    }
    const Changing changing(calls);
    calls.cut += is_new ? 0 : 1;
    calls.running = &slot;
    ++calls.calls;
    calls.is_timed = !calls.counts_only;
    if (!calls.is_timed) {
        return;
    }
    calls.began = look(cells::read_ticks(rate_.kind));
    calls.before = usage_;
    calls.early = calls.began - looked_;
}

void ThreadCalls::finish(FunctionCalls& calls, std::uint64_t now) {
    const std::uint64_t ns = rate_.to_ns(now - calls.began);
    ++calls.timed;
    calls.sum_ns += ns;
    ++calls.counts[duration_bucket(ns)];
    if (calls.slowest.keeps(ns)) {
        SlowCall slow;
        slow.begin_ns = raw_clock(CLOCK_MONOTONIC) - ns;
        slow.duration_ns = ns;
        if (ns >= kFreshNs) {
            slow.has_usage = 1;
            slow.early_ns = rate_.to_ns(calls.early);
            read_usage(slow.usage);
            usage_ = slow.usage;
            looked_ = cells::read_ticks(rate_.kind);
            subtract(calls.before, slow.usage);
        }
        calls.slowest.add(slow);
    }
    calls.counts_only = calls.timed == kTryTimed && calls.sum_ns < kTryTimed * kLeastTimedNs;
}

void ThreadCalls::end(std::uint32_t function, const Slot& slot, bool is_cut) {
    FunctionCalls& calls = all()[function];
    if (calls.running != &slot) {
        return;  // below the outermost call, or begun before the process was forked
    }
    const std::uint64_t now = calls.is_timed && !is_cut ? cells::read_ticks(rate_.kind) : 0;
    {
        const Changing changing(calls);
        if (is_cut) {
            ++calls.cut;
        } else if (calls.is_timed) {
            finish(calls, now);
        } else {
            ++calls.untimed;
        }
        asm volatile("" ::: "memory");  // a handler's calls are below this one until the last
        calls.running = nullptr;
    }
}

}  // namespace kymo::hooks
