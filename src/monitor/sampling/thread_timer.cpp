#include "monitor/sampling/thread_timer.h"

#include <ctime>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {
namespace {

timespec time_of(std::uint64_t ns) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    return {.tv_sec = static_cast<time_t>(ns / kSecond), .tv_nsec = static_cast<long>(ns % kSecond)};
}

}  // namespace

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

void ThreadTimer::set(std::uint64_t period, std::uint64_t first) const {
    const itimerspec every{.it_interval = time_of(period), .it_value = time_of(first)};
    syscall(SYS_timer_settime, timer_, 0, &every, nullptr);
}

void ThreadTimer::close() {
    if (timer_ >= 0) {
        syscall(SYS_timer_delete, timer_);
        timer_ = -1;
    }
}

}  // namespace kymo::monitor
