// Which clock samples a thread: its own counter's, exactly after each period, or a timer that is looked at with the
// kernel's tick, which costs nothing while the thread is switched to and fro.
//
// bench/monitor/switch_bench.py measures both (docs/measurements.md).

#include "events/attributes.h"
#include "monitor/clock.h"
#include "monitor/sampling/counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

namespace kymo::monitor {

namespace {

constexpr std::uint64_t kWindow = 20'000'000;  // ns of the thread's clock that a decision rests on
// Thread clock a switch, ns. At some 13 µs a switch, the sampling clock costs 2.6 % at the one, 0.7 % at the other.
constexpr std::uint64_t kOften = 500'000;
constexpr std::uint64_t kSeldom = 2'000'000;
constexpr std::uint64_t kFar = std::uint64_t{1} << 50U;  // ns, 13 days: the counter's timer is never next

}  // namespace

void Counters::choose_trigger(ThreadState* owner) {
    if (!session_->tick_trigger || !may_be_at_tick_ || outcome_.kind != CounterKind::kPerfEvents || postponed_ ||
        buffer_ == nullptr || silent_) {
        return;
    }
    const std::uint64_t clock = latest_.value[0] - window_clock_;
    if (clock < kWindow) {
        return;
    }
    rusage usage{};
    if (own_usage(usage) == nullptr) {
        return;
    }
    const auto switches = static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
    const std::uint64_t lately = switches - window_switches_;
    window_clock_ = latest_.value[0];
    window_switches_ = switches;
    if (!at_tick_ && lately > clock / kOften) {
        may_be_at_tick_ = begin_at_tick(owner);
    } else if (at_tick_ && lately < clock / kSeldom) {
        end_at_tick();
    }
}

// The leader samples no more for a long time, and counts on.
bool Counters::begin_at_tick(ThreadState* owner) {
    std::uint64_t far = kFar;
    rusage usage{};
    if (own_usage(usage) == nullptr || (timer_ < 0 && !make_timer(owner)) ||
        ioctl(descriptor_[0], PERF_EVENT_IOC_PERIOD, &far) != 0) {
        return false;
    }
    at_tick_ = true;
    tick_clock_ = latest_.value[0];
    tick_user_ = nanoseconds(usage.ru_utime);
    tick_system_ = nanoseconds(usage.ru_stime);
    set_timer(true);
    return true;
}

void Counters::end_at_tick() {
    set_timer(false);
    at_tick_ = false;
    std::uint64_t period = events::clock_period_ns(session_->events[0]);
    ioctl(descriptor_[0], PERF_EVENT_IOC_PERIOD, &period);
}

bool Counters::read_at_tick() {
    // The signal may be another event's.
    if (!read_group(0, latest_) ||
        latest_.value[0] - tick_clock_ < events::clock_period_ns(session_->events[0]) / 2) {
        return false;
    }
    read_other_groups(0, latest_);
    rusage usage{};
    const rusage* own = own_usage(usage);
    fill_uncounted(latest_, own);
    if (own == nullptr) {
        return false;
    }
    // The kernel counts its ticks by where they find the thread, and divides the thread's time in the same proportion
    // (cputime_adjust in its kernel/sched/cputime.c): the system's part of all rises with a tick in the kernel, and
    // falls with one in the program.
    const std::uint64_t user = nanoseconds(own->ru_utime);
    const std::uint64_t system = nanoseconds(own->ru_stime);
    const double before = static_cast<double>(tick_system_) / static_cast<double>(tick_user_ + tick_system_ + 1);
    const double now = static_cast<double>(system) / static_cast<double>(user + system + 1);
    in_kernel_ = now > before || (now == before && now > 0.5);
    tick_user_ = user;
    tick_system_ = system;
    tick_clock_ = latest_.value[0];
    return true;
}

}  // namespace kymo::monitor
