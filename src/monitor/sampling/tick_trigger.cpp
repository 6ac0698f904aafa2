#include "monitor/sampling/tick_trigger.h"

#include "monitor/clock.h"

namespace kymo::monitor {
namespace {

constexpr std::uint64_t kWindow = 20'000'000;  // ns of the thread's clock that a decision rests on
// Thread clock a switch, ns. At some 13 µs a switch, the sampling clock costs 2.6 % at the one, 0.7 % at the other.
constexpr std::uint64_t kOften = 500'000;
constexpr std::uint64_t kSeldom = 2'000'000;

}  // namespace

bool TickTrigger::is_decision_due(std::uint64_t clock) const {
    return clock - window_clock_ >= kWindow;
}

TickTrigger::Choice TickTrigger::choose(std::uint64_t clock, const rusage& usage) {
    const auto switches = static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
    const std::uint64_t passed = clock - window_clock_;
    const std::uint64_t lately = switches - window_switches_;
    window_clock_ = clock;
    window_switches_ = switches;
    if (!is_at_tick_ && lately > passed / kOften) {
        return Choice::kTick;
    }
    return is_at_tick_ && lately < passed / kSeldom ? Choice::kOverflow : Choice::kAsItIs;
}

void TickTrigger::begin(std::uint64_t clock, const rusage& usage) {
    is_at_tick_ = true;
    clock_ = clock;
    user_ns_ = nanoseconds(usage.ru_utime);
    system_ns_ = nanoseconds(usage.ru_stime);
}

// The kernel counts its ticks by where they find the thread, and divides the thread's time in the same proportion
// (cputime_adjust in its kernel/sched/cputime.c): the system's part of all rises with a tick in the kernel, and falls
// with one in the program.
bool TickTrigger::take(std::uint64_t clock, const rusage& usage) {
    const std::uint64_t user = nanoseconds(usage.ru_utime);
    const std::uint64_t system = nanoseconds(usage.ru_stime);
    const double before = static_cast<double>(system_ns_) / static_cast<double>(user_ns_ + system_ns_ + 1);
    const double now = static_cast<double>(system) / static_cast<double>(user + system + 1);
    user_ns_ = user;
    system_ns_ = system;
    clock_ = clock;
    return now > before || (now == before && now > 0.5);
}

}  // namespace kymo::monitor
