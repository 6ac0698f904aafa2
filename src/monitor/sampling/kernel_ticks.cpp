#include "monitor/sampling/kernel_ticks.h"

#include "monitor/native.h"

#include <algorithm>
#include <utility>

namespace kymo::monitor {
namespace {

// Of the thread's time, ns: the basis of a decision; and of one after sampling has begun.
constexpr std::uint64_t kShortWindow = 20'000'000;
constexpr std::uint64_t kLongWindow = 500'000'000;
// This much without a sample is a reason at once, if it is a twentieth.
constexpr std::uint64_t kMuch = 2'000'000;
constexpr std::uint64_t kBeginAbove = 20;  // a twentieth of the time is the system's
constexpr std::uint64_t kEndBelow = 40;

}  // namespace

KernelTicks::Choice KernelTicks::choose(std::uint64_t clock, std::uint64_t period) {
    if (is_refused_ || period == 0) {
        return Choice::kAsItIs;
    }
    const std::uint64_t passed = clock - std::min(clock, window_clock_);
    const std::uint64_t due = passed / period;
    const std::uint64_t missing = (due - std::min(due, samples_)) * period;
    const bool is_over = passed >= (is_on_ ? kLongWindow : kShortWindow);
    if (!is_over && (is_on_ || missing < kMuch)) {
        return Choice::kAsItIs;
    }
    Choice choice = Choice::kAsItIs;
    if (!is_on_ && missing > passed / kBeginAbove) {
        choice = Choice::kBegin;
    } else if (is_on_ && missing < passed / kEndBelow) {
        choice = Choice::kEnd;
    }
    if (is_over || choice != Choice::kAsItIs) {
        window_clock_ = clock;
        samples_ = 0;
    }
    return choice;
}

// The registers show a call's return, whatever the kernel's account says. Ticks that only
// the account has in the kernel met faults, or the interrupts that take the samples.
bool KernelTicks::found_kernel(const ucontext_t& context, const rusage& usage) {
    const bool has_risen = share_.has_risen(usage);
    const auto faults = static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt);
    const bool has_faulted = std::exchange(faults_, faults) != faults;
    return native::was_in_call(context) || (has_risen && has_faulted);
}

}  // namespace kymo::monitor
