// The program's prctl(): settings for the whole process, or for a thread, that may affect the measurement.

#include "base/system_clock.h"
#include "monitor/interpose/call_dispatch.h"
#include "monitor/interpose/raw_system_calls.h"
#include "monitor/interpose/real.h"
#include "monitor/interpose/seccomp.h"
#include "monitor/process/process.h"
#include "monitor/threads/registry.h"

#include <cerrno>
#include <linux/prctl.h>
#include <linux/seccomp.h>

namespace kymo::monitor {

namespace {

constexpr int kDispatchCalls = 59;  // PR_SET_SYSCALL_USER_DISPATCH; C libraries before 2.33 lack it

// The program has turned off all performance events of this thread, assuming that all are its own.
void count_on() {
    ThreadState* thread = this_thread();
    if (thread != nullptr && process.running() && process.is_this_process() && !process.paused()) {
        const int error = errno;
        const Quiet quiet;
        thread->counters.enable_each();
        errno = error;
    }
}

// Runs prctl() by `call`, and handles its effect.
template <typename Call>
long call_prctl(long option, std::uint64_t second, std::uint64_t third, const Call& call) {
    if (option == PR_SET_SECCOMP) {
        before_filter(second == SECCOMP_MODE_STRICT, third);
    } else if (option == PR_SET_TSC && second == PR_TSC_SIGSEGV) {
        kymo::use_called_clock();
    } else if (option == kDispatchCalls) {
        return with_dispatch(second != 0, call);
    }
    const long result = call();
    if (option == PR_TASK_PERF_EVENTS_DISABLE) {
        count_on();
    }
    return result;
}

Real<int (*)(int, unsigned long, unsigned long, unsigned long, unsigned long)> real_prctl{"prctl"};

// A vfork child may be the first to call it, and must not write to its parent's memory.
__attribute__((constructor)) void look_up() {
    real_prctl.get();
}

}  // namespace

}  // namespace kymo::monitor

using namespace kymo::monitor;

KYMO_INTERPOSE int prctl(int option, unsigned long second, unsigned long third, unsigned long fourth,
                         unsigned long fifth) noexcept {
    const auto call = [=] { return real_prctl.get()(option, second, third, fourth, fifth); };
    return static_cast<int>(call_prctl(option, second, third, call));
}

long kymo_prctl_call(long number, long option, long second, long third, long fourth, long fifth, long sixth) {
    const auto call = [=] { return kymo_next_syscall(number, option, second, third, fourth, fifth, sixth); };
    return call_prctl(option, static_cast<std::uint64_t>(second), static_cast<std::uint64_t>(third), call);
}
