#include "monitor/sampling/event_counters.h"

#include "events/attributes.h"
#include "monitor/process/own_fcntl.h"
#include "monitor/sampling/counted_by_usage.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

void EventCounters::reset(const events::Session& session, int tid, std::uint64_t first_period) {
    session_ = &session;
    tid_ = tid;
    first_period_ = first_period;
    period_begin_ = 0;
    groups_ = 0;
    buffer_ = nullptr;
    alone_ = false;
    signals_ = 0;
    lost_ = 0;
    throttled_ = 0;
    for (std::size_t i = 0; i < events::kMaxEvents; ++i) {
        descriptor_[i] = -1;
        leader_[i] = -1;
        id_[i] = 0;
        before_[i] = 0;
    }
}

bool EventCounters::open(bool alone, const CounterOwner& owner, CounterOutcome& outcome) {
    alone_ = alone;
    const std::size_t count = alone ? 1 : session_->event_count;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t group = session_->events[i].group;
        const int leader = leader_[group];
        const int descriptor = open_one(i, leader, owner, outcome);
        if (descriptor < 0) {
            if (i == 0) {
                outcome.error = errno;
                alone_ = false;
                return false;  // no task-clock, no time: the timer provides both
            }
            outcome.missing |= usage_counts(session_->events[i]) ? 0 : 1U << i;
            continue;
        }
        descriptor_[i] = descriptor;
        if (!alone) {  // a single counter needs no id
            ioctl(descriptor, PERF_EVENT_IOC_ID, &id_[i]);
        }
        if (leader < 0) {
            leader_[group] = descriptor;
            groups_ = group + 1 > groups_ ? group + 1 : groups_;
        }
    }
    for (std::size_t group = 0; group < groups_ && !alone; ++group) {
        if (leader_[group] >= 0) {
            ioctl(leader_[group], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
        }
    }
    outcome.no_buffer = !alone && !add_buffer();
    for (std::size_t i = 0; i < count; ++i) {
        if (descriptor_[i] < 0 || !session_->events[i].samples()) {
            continue;
        }
        if (i != 0) {
            join_samples(i, owner.is_silent, outcome);
        } else if (!make_signal(0, owner.is_silent)) {
            outcome.error = errno;
            close(owner.descriptors);
            alone_ = false;
            return false;
        }
    }
    return true;
}

void EventCounters::begin_completion() {
    alone_ = false;
    events::set_group_enabled(leader_[0], false);
    ioctl(descriptor_[0], PERF_EVENT_IOC_ID, &id_[0]);
}

bool EventCounters::add_member(std::size_t event, std::uint64_t before, const CounterOwner& owner,
                               CounterOutcome& outcome) {
    descriptor_[event] = open_one(event, leader_[0], owner, outcome);
    if (descriptor_[event] < 0) {
        return false;
    }
    ioctl(descriptor_[event], PERF_EVENT_IOC_ID, &id_[event]);
    before_[event] = before;
    return true;
}

void EventCounters::add_samples(const CounterOwner& owner, CounterOutcome& outcome) {
    outcome.no_buffer = !add_buffer();
    for (std::size_t i = 1; i < session_->event_count; ++i) {
        if (descriptor_[i] >= 0 && session_->events[i].samples()) {
            join_samples(i, owner.is_silent, outcome);
        }
    }
}

void EventCounters::end_completion(std::uint64_t missed) {
    before_[0] = missed;
    events::set_group_enabled(leader_[0], true);
}

// Sends a member's samples to the leader's buffer. Without one a signal could not be assigned to its overflow: then
// the member counts, and no more.
void EventCounters::join_samples(std::size_t event, bool is_silent, CounterOutcome& outcome) {
    if (buffer_ != nullptr && (ioctl(descriptor_[event], PERF_EVENT_IOC_SET_OUTPUT, descriptor_[0]) != 0 ||
                               !make_signal(event, is_silent))) {
        outcome.missing |= 1U << event;
    }
}

int EventCounters::open_one(std::size_t event, int leader, const CounterOwner& owner, CounterOutcome& outcome) {
    if (!owner.descriptors.has_any()) {
        errno = EMFILE;
        return -1;
    }
    perf_event_attr attr = events::make_attributes(session_->events[event], session_->read_lost);
    attr.disabled = alone_ ? 0 : 1;
    if (event == 0 && first_period_ != 0) {
        attr.sample_period = first_period_;
    }
    int descriptor = events::open_counter(attr, 0, -1, leader);
    if (descriptor < 0 && !events::counts_only_in_kernel(session_->events[event]) &&
        (errno == EACCES || errno == EPERM) && attr.exclude_kernel == 0) {
        attr.exclude_kernel = 1;
        descriptor = events::open_counter(attr, 0, -1, leader);
        if (descriptor >= 0) {
            outcome.user_only |= 1U << event;
        }
    }
    return descriptor < 0 ? -1 : owner.descriptors.adopt(descriptor, owner.thread);
}

bool EventCounters::make_signal(std::size_t event, bool is_silent) {
    const f_owner_ex owner{F_OWNER_TID, tid_};
    const int descriptor = descriptor_[event];
    // The signal before O_ASYNC: with the flag alone the kernel would send SIGIO, which ends the program.
    const bool signals = own_fcntl(descriptor, F_SETSIG, static_cast<int>(session_->signal)) == 0 &&
                         own_fcntl(descriptor, F_SETOWN_EX, &owner) == 0 &&
                         own_fcntl(descriptor, F_SETFL, O_RDWR | O_NONBLOCK | (is_silent ? 0 : O_ASYNC)) == 0;
    signals_ |= signals ? 1U << event : 0;
    return signals;
}

bool EventCounters::add_buffer() {
    if (buffer_ != nullptr) {
        return true;
    }
    void* at = mmap(nullptr, kPage + kBufferBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_[0], 0);
    buffer_ = at == MAP_FAILED ? nullptr : static_cast<perf_event_mmap_page*>(at);
    return buffer_ != nullptr;
}

void EventCounters::set_enabled(bool on) {
    for (std::size_t group = 0; group < groups_; ++group) {
        if (leader_[group] >= 0) {
            events::set_group_enabled(leader_[group], on);
        }
    }
}

void EventCounters::enable_each() {
    for (std::size_t i = 0; session_ != nullptr && i < session_->event_count; ++i) {
        if (descriptor_[i] >= 0) {
            events::set_group_enabled(descriptor_[i], true);
        }
    }
}

void EventCounters::set_signalling(bool on) {
    for (std::size_t i = 0; session_ != nullptr && i < session_->event_count; ++i) {
        if (descriptor_[i] >= 0 && (signals_ >> i & 1U) != 0) {
            own_fcntl(descriptor_[i], F_SETFL, O_RDWR | O_NONBLOCK | (on ? O_ASYNC : 0));
        }
    }
}

bool EventCounters::set_period(std::uint64_t ns) {
    first_period_ = 0;
    return ioctl(descriptor_[0], PERF_EVENT_IOC_PERIOD, &ns) == 0;
}

// The kernel's timer expires after whole periods. If it finds the thread in the kernel there is no overflow, and
// it tries again after another one.
std::uint64_t EventCounters::since_overflow(std::uint64_t clock, std::uint64_t period) {
    constexpr std::uint64_t kApart = 5'000;  // ns: largest difference between the timer's clock and the counter's
    const std::uint64_t every = first_period_ != 0 ? first_period_ : period;
    const std::uint64_t since_set = clock - std::min(clock, period_begin_);
    if (first_period_ != 0) {
        period_begin_ = clock;
    }
    if (since_set < every || every <= kApart) {
        return 0;
    }
    const std::uint64_t late = since_set % every;
    return late > every - kApart ? 0 : late;
}

void EventCounters::close(Descriptors& descriptors) {
    if (buffer_ != nullptr) {
        munmap(buffer_, kPage + kBufferBytes);
        buffer_ = nullptr;
    }
    // Members before leaders: the kernel dissolves a group that loses its leader first, one counter at a
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

void EventCounters::abandon(Descriptors& descriptors) {
    buffer_ = nullptr;  // the kernel does not copy it into children
    close(descriptors);
}

void EventCounters::read(CounterValues& values) {
    for (std::size_t group = 0; group < groups_; ++group) {
        read_group(group, values);
    }
}

bool EventCounters::read_group(std::size_t group, CounterValues& values) {
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

void EventCounters::read_other_groups(std::size_t sampled_group, CounterValues& values) {
    for (std::size_t group = 0; group < groups_; ++group) {
        if (group != sampled_group) {
            read_group(group, values);
        }
    }
}

}  // namespace kymo::monitor
