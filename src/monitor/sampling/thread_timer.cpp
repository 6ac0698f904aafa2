#include "monitor/sampling/thread_timer.h"

#include <ctime>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

bool ThreadTimer::make(const events::Session& session, int tid, ThreadState* owner) {
    sigevent notify{};
    notify.sigev_notify = SIGEV_THREAD_ID;
    notify.sigev_signo = static_cast<int>(session.signal);
    notify.sigev_value.sival_ptr = owner;
    notify._sigev_un._tid = tid;
    int timer = -1;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &notify, &timer) != 0) {
        return false;
    }
    timer_ = timer;
    return true;
}

void ThreadTimer::set(std::uint64_t period) const {
    itimerspec every{};
    every.it_interval.tv_sec = static_cast<time_t>(period / 1'000'000'000U);
    every.it_interval.tv_nsec = static_cast<long>(period % 1'000'000'000U);
    every.it_value = every.it_interval;
    syscall(SYS_timer_settime, timer_, 0, &every, nullptr);
}

void ThreadTimer::close() {
    if (timer_ >= 0) {
        syscall(SYS_timer_delete, timer_);
        timer_ = -1;
    }
}

}  // namespace kymo::monitor
