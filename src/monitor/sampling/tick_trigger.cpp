#include "monitor/sampling/tick_trigger.h"

namespace kymo::monitor {
namespace {

constexpr std::uint64_t kWindow = 20'000'000;  // ns of the thread's clock, the basis of a decision
constexpr std::uint64_t kSeldom = 2'000'000;   // ns of thread clock a switch: then the sampling clock costs 0.7 %

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
    if (!is_at_tick_ && is_often(lately, passed)) {
        return Choice::kTick;
    }
    return is_at_tick_ && lately < passed / kSeldom ? Choice::kOverflow : Choice::kAsItIs;
}

void TickTrigger::begin(std::uint64_t clock, const rusage& usage) {
    is_at_tick_ = true;
    clock_ = clock;
    share_.begin(usage);
}

bool TickTrigger::take(std::uint64_t clock, const rusage& usage) {
    clock_ = clock;
    return share_.has_risen(usage);
}

}  // namespace kymo::monitor
