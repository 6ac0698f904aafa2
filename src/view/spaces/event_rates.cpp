#include "view/spaces/event_rates.h"

#include "spacetime/event_classes/event_class.h"

#include <algorithm>

namespace kymo::view {
namespace {

using namespace spacetime;

std::optional<double> ratio(double count, double by) {
    return by > 0 ? std::optional<double>(count / by) : std::nullopt;
}

}  // namespace

EventRates::EventRates(const Evidence& evidence) : run_(&evidence.run) {
    for (const std::string& name : run_->counters) {
        const CounterIndex index(static_cast<std::uint32_t>(&name - run_->counters.data()));
        const EventMeaning meaning = event_class(name).meaning;
        if (name == "cycles") {
            cycles_ = index;
        } else if (name == "instructions") {
            instructions_ = index;
        } else if (meaning != EventMeaning::kWork && index.in(run_->deltas) > 0) {
            events_.push_back(index);
        }
    }
}

std::string EventRates::unit() const {
    return instructions_ == kNone ? "per ms of processor time" : "per 1,000 instructions";
}

std::optional<double> EventRates::per_cycle(std::span<const std::int64_t> deltas) const {
    return has_per_cycle()
               ? ratio(static_cast<double>(deltas[raw(instructions_)]), static_cast<double>(deltas[raw(cycles_)]))
               : std::nullopt;
}

std::optional<double> EventRates::rate(CounterIndex event, const TimeTerms& terms,
                                       std::span<const std::int64_t> deltas) const {
    const double by = instructions_ == kNone ? static_cast<double>(terms.user + terms.system) / 1e6
                                             : static_cast<double>(deltas[raw(instructions_)]) / 1e3;
    return ratio(static_cast<double>(deltas[raw(event)]), by);
}

std::optional<double> EventRates::rate_elsewhere(CounterIndex event, const TimeTerms& terms,
                                                 std::span<const std::int64_t> deltas) const {
    TimeTerms rest = run_->total;
    rest.user -= std::min(rest.user, terms.user);
    rest.system -= std::min(rest.system, terms.system);
    std::vector<std::int64_t> others(run_->deltas);
    for (std::size_t i = 0; i < others.size(); ++i) {
        others[i] -= std::min(others[i], deltas[i]);
    }
    return rate(event, rest, others);
}

}  // namespace kymo::view
