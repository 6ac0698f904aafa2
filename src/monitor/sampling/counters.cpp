#include "monitor/sampling/counters.h"

#include "events/attributes.h"

#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

std::uint32_t current_processor() {
    const int processor = sched_getcpu();
    return processor < 0 ? 0 : static_cast<std::uint32_t>(processor);
}

bool Counters::open(const events::Session& session, Descriptors& descriptors, ThreadState* owner, int tid,
                    Opening opening, const rusage& usage) {
    session_ = &session;
    outcome_ = {};
    tid_ = tid;
    groups_ = 0;
    buffer_ = nullptr;
    timer_ = -1;
    by_usage_ = 0;
    signals_ = 0;
    at_tick_ = false;
    may_be_at_tick_ = true;
    window_clock_ = 0;
    window_switches_ = 0;
    latest_ = {};
    lost_ = 0;
    throttled_ = 0;
    for (std::size_t i = 0; i < events::kMaxEvents; ++i) {
        descriptor_[i] = -1;
        leader_[i] = -1;
        id_[i] = 0;
        before_[i] = 0;
    }
    fill_from_usage(session, usage, {}, at_open_);
    postponed_ = opening == Opening::kPostponed && may_postpone(session);
    outcome_.silent = silent_;
    // Without samples performance events could not tell the program's time from the system's: a silent thread has a
    // timer that never runs, and counts as its clocks and getrusage do.
    if (session.mechanism == events::Mechanism::kPerfEvents && !silent_ &&
        open_events(descriptors, owner, postponed_ ? 1 : session.event_count)) {
        outcome_.kind = CounterKind::kPerfEvents;
        for (std::size_t i = 1; postponed_ && i < session.event_count; ++i) {
            by_usage_ |= usage_counts(session.events[i]) ? 1U << i : 0;
        }
        return postponed_;
    }
    postponed_ = false;
    timespec spent{};
    clock_function(CLOCK_THREAD_CPUTIME_ID, &spent);
    fill_from_usage(session, usage, spent, at_open_);
    open_timer(owner);
    return false;
}

// The first `count` events of the session.
bool Counters::open_events(Descriptors& descriptors, ThreadState* owner, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t group = session_->events[i].group;
        const int leader = leader_[group];
        const int descriptor = open_one(i, leader, descriptors, owner);
        if (descriptor < 0) {
            if (i == 0) {
                outcome_.error = errno;
                return false;  // no task-clock, no time: the timer has both
            }
            (usage_counts(session_->events[i]) ? by_usage_ : outcome_.missing) |= 1U << i;
            continue;
        }
        descriptor_[i] = descriptor;
        if (!postponed_) {  // of one alone nothing need be told apart
            ioctl(descriptor, PERF_EVENT_IOC_ID, &id_[i]);
        }
        if (leader < 0) {
            leader_[group] = descriptor;
            groups_ = group + 1 > groups_ ? group + 1 : groups_;
        }
    }
    for (std::size_t group = 0; group < groups_ && !postponed_; ++group) {
        if (leader_[group] >= 0) {
            ioctl(leader_[group], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
        }
    }
    outcome_.no_buffer = !postponed_ && !map_buffer();
    for (std::size_t i = 0; i < count; ++i) {
        if (descriptor_[i] < 0 || !session_->events[i].samples()) {
            continue;
        }
        if (i != 0) {
            join_samples(i);
        } else if (!make_signal(0)) {
            outcome_.error = errno;
            close_events(descriptors);
            return false;
        }
    }
    return true;
}

// A member's samples into the leader's buffer. Without one nothing would tell whose overflow a signal is for: then
// the member counts, and no more.
void Counters::join_samples(std::size_t event) {
    if (buffer_ != nullptr &&
        (ioctl(descriptor_[event], PERF_EVENT_IOC_SET_OUTPUT, descriptor_[0]) != 0 || !make_signal(event))) {
        outcome_.missing |= 1U << event;
    }
}

int Counters::open_one(std::size_t event, int leader, Descriptors& descriptors, ThreadState* owner) {
    if (!descriptors.has_any()) {
        errno = EMFILE;
        return -1;
    }
    perf_event_attr attr = events::make_attributes(session_->events[event], session_->read_lost);
    attr.disabled = postponed_ ? 0 : 1;
    int descriptor = events::open_counter(attr, 0, -1, leader);
    if (descriptor < 0 && !events::counts_only_in_kernel(session_->events[event]) &&
        (errno == EACCES || errno == EPERM) && attr.exclude_kernel == 0) {
        attr.exclude_kernel = 1;
        descriptor = events::open_counter(attr, 0, -1, leader);
        if (descriptor >= 0) {
            outcome_.user_only |= 1U << event;
        }
    }
    return descriptor < 0 ? -1 : descriptors.adopt(descriptor, owner);
}

bool Counters::make_signal(std::size_t event) {
    const f_owner_ex owner{F_OWNER_TID, tid_};
    const int descriptor = descriptor_[event];
    // The signal before O_ASYNC: with the flag alone the kernel would send SIGIO, which ends the program.
    const bool signals = fcntl(descriptor, F_SETSIG, static_cast<int>(session_->signal)) == 0 &&
                         fcntl(descriptor, F_SETOWN_EX, &owner) == 0 &&
                         fcntl(descriptor, F_SETFL, O_RDWR | O_NONBLOCK | (silent_ ? 0 : O_ASYNC)) == 0;
    signals_ |= signals ? 1U << event : 0;
    return signals;
}

bool Counters::map_buffer() {
    void* at = mmap(nullptr, kPage + kBufferBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_[0], 0);
    buffer_ = at == MAP_FAILED ? nullptr : static_cast<perf_event_mmap_page*>(at);
    return buffer_ != nullptr;
}

bool Counters::make_timer(ThreadState* owner) {
    sigevent notify{};
    notify.sigev_notify = SIGEV_THREAD_ID;
    notify.sigev_signo = static_cast<int>(session_->signal);
    notify.sigev_value.sival_ptr = owner;
    notify._sigev_un._tid = tid_;
    int timer = -1;
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &notify, &timer) != 0) {
        return false;
    }
    timer_ = timer;
    return true;
}

void Counters::set_timer(bool on) {
    const std::uint64_t period = on ? events::clock_period_ns(session_->events[0]) : 0;
    itimerspec every{};
    every.it_interval.tv_sec = static_cast<time_t>(period / 1'000'000'000U);
    every.it_interval.tv_nsec = static_cast<long>(period % 1'000'000'000U);
    every.it_value = every.it_interval;
    syscall(SYS_timer_settime, timer_, 0, &every, nullptr);
}

void Counters::open_timer(ThreadState* owner) {
    if (make_timer(owner)) {
        outcome_.kind = CounterKind::kThreadTimer;
    } else if (outcome_.error == 0) {
        outcome_.error = errno;
    }
}

void Counters::enable() {
    if (outcome_.kind == CounterKind::kPerfEvents) {
        for (std::size_t group = 0; group < groups_; ++group) {
            if (leader_[group] >= 0) {
                events::set_group_enabled(leader_[group], true);
            }
        }
    }
    if (samples_by_timer() && !silent_) {
        set_timer(true);
    }
}

void Counters::enable_each() {
    for (std::size_t i = 0; session_ != nullptr && i < session_->event_count; ++i) {
        if (descriptor_[i] >= 0) {
            events::set_group_enabled(descriptor_[i], true);
        }
    }
}

void Counters::disable() {
    if (outcome_.kind == CounterKind::kPerfEvents) {
        for (std::size_t group = 0; group < groups_; ++group) {
            if (leader_[group] >= 0) {
                events::set_group_enabled(leader_[group], false);
            }
        }
    }
    if (samples_by_timer()) {
        set_timer(false);
    }
}

void Counters::set_silent(bool silent) {
    silent_ = false;
    set_signalling(!silent);
    silent_ = silent;
}

void Counters::set_signalling(bool on) {
    if (silent_ || session_ == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < session_->event_count; ++i) {
        if (descriptor_[i] >= 0 && (signals_ >> i & 1U) != 0) {
            fcntl(descriptor_[i], F_SETFL, O_RDWR | O_NONBLOCK | (on ? O_ASYNC : 0));
        }
    }
    if (samples_by_timer()) {
        set_timer(on);
    }
}

void Counters::close(Descriptors& descriptors) {
    if (timer_ >= 0) {
        syscall(SYS_timer_delete, timer_);
        timer_ = -1;
    }
    at_tick_ = false;
    close_events(descriptors);
    outcome_.kind = CounterKind::kNone;
}

void Counters::close_events(Descriptors& descriptors) {
    if (buffer_ != nullptr) {
        munmap(buffer_, kPage + kBufferBytes);
        buffer_ = nullptr;
    }
    // Members before leaders: a group that loses its leader first is taken apart by the kernel, one counter at a
    // time.
    for (std::size_t i = session_ == nullptr ? 0 : session_->event_count; i-- > 0;) {
        if (descriptor_[i] >= 0) {
            descriptors.close(descriptor_[i]);
            descriptor_[i] = -1;
        }
    }
    for (int& leader : leader_) {
        leader = -1;
    }
    groups_ = 0;
}

void Counters::abandon(Descriptors& descriptors) {
    buffer_ = nullptr;  // the kernel does not copy it into children
    timer_ = -1;        // nor timers
    at_tick_ = false;
    close_events(descriptors);
    outcome_.kind = CounterKind::kNone;
}

void Counters::read(CounterValues& values, const rusage* own) {
    if (outcome_.kind == CounterKind::kPerfEvents) {
        for (std::size_t group = 0; group < groups_; ++group) {
            read_group(group, values);
        }
        fill_uncounted(values, own);
    } else {
        read_thread_usage(values, own);
    }
}

bool Counters::read_group(std::size_t group, CounterValues& values) {
    constexpr std::size_t kWords = 3 + events::kMaxEvents * 3;
    std::uint64_t words[kWords];
    if (leader_[group] < 0) {
        return false;
    }
    // The system call itself: read(3) is a cancellation point.
    const ssize_t got = syscall(SYS_read, leader_[group], words, sizeof words);
    const std::size_t stride = session_->read_lost ? 3 : 2;
    if (got < static_cast<ssize_t>(3 * sizeof(std::uint64_t)) || words[0] > events::kMaxEvents ||
        static_cast<std::size_t>(got) < (3 + words[0] * stride) * sizeof(std::uint64_t)) {
        return false;
    }
    if (group == 0) {
        values.enabled_ns = words[1];
        values.running_ns = words[2];
        values.kernel_lost = 0;
    }
    for (std::size_t i = 0; i < words[0]; ++i) {
        const int event = event_of(words[3 + i * stride + 1]);
        if (event >= 0) {
            values.value[event] = before_[event] + words[3 + i * stride];
            values.kernel_lost += session_->read_lost ? words[3 + i * stride + 2] : 0;
        }
    }
    return true;
}

void Counters::read_other_groups(std::size_t sampled_group, CounterValues& values) {
    for (std::size_t group = 0; group < groups_; ++group) {
        if (group != sampled_group) {
            read_group(group, values);
        }
    }
}

int Counters::event_of(std::uint64_t id) const {
    if (postponed_) {
        return 0;
    }
    for (std::size_t i = 0; i < session_->event_count; ++i) {
        if (id_[i] == id && descriptor_[i] >= 0) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

}  // namespace kymo::monitor
