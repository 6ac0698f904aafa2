// The monitor's handling of a thread's calls: separate from thread_calls.cpp, which runs between a hooked function
// and its caller and may not call other code.
#include "hooks/guest/thread_calls.h"
#include "hooks/native.h"

#include <new>
#include <sys/syscall.h>

namespace kymo::hooks {

void ThreadCalls::make(std::uint32_t functions, const cells::TickRate& rate) {
    functions_ = functions;
    rate_ = rate;
    for (std::uint64_t ticks = 1U << 10U; fresh_ticks_ == 0; ticks *= 2) {
        fresh_ticks_ = rate_.to_ns(ticks) >= kFreshNs ? ticks : 0;
    }
    begin_anew();
}

void ThreadCalls::begin_anew() {
    for (std::uint32_t i = 0; i < functions_; ++i) {
        if (all()[i].calls != 0) {  // untouched pages stay untouched
            new (&all()[i]) FunctionCalls;
        }
    }
    looked_ = 0;
}

bool read_calls(const FunctionCalls& calls, FunctionCalls& out) {
    constexpr int kTries = 1000;
    for (int i = 0; i < kTries; ++i) {
        const std::uint32_t before = __atomic_load_n(&calls.change, __ATOMIC_ACQUIRE);
        if ((before & 1U) == 0) {
            out = calls;
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            if (__atomic_load_n(&calls.change, __ATOMIC_RELAXED) == before) {
                return true;
            }
        }
        raw_system(SYS_sched_yield);
    }
    out = calls;
    return false;
}

}  // namespace kymo::hooks
