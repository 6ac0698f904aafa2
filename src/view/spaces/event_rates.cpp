#include "view/spaces/event_rates.h"

#include "spacetime/event_classes/event_class.h"

#include <algorithm>
#include <iterator>

namespace kymo::view {
namespace {

using namespace spacetime;

std::optional<double> ratio(double count, double by) {
    return by > 0 ? std::optional<double>(count / by) : std::nullopt;
}

bool is_miss(const std::string& event) {
    return event_class(event).meaning == EventMeaning::kCost && event.find("misses") != std::string::npos;
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

std::vector<CounterIndex> EventRates::misses() const {
    std::vector<CounterIndex> list;
    if (instructions_ != kNone) {
        std::copy_if(events_.begin(), events_.end(), std::back_inserter(list),
                     [&](CounterIndex event) { return is_miss(event.in(run_->counters)); });
    }
    return list;
}

std::optional<double> EventRates::per_cycle(std::span<const std::int64_t> deltas) const {
    if (!has_per_cycle() || deltas[raw(instructions_)] <= 0) {
        return std::nullopt;
    }
    return ratio(static_cast<double>(deltas[raw(instructions_)]), static_cast<double>(deltas[raw(cycles_)]));
}

std::optional<double> EventRates::per_thousand_instructions(CounterIndex event,
                                                            std::span<const std::int64_t> deltas) const {
    return instructions_ == kNone ? std::nullopt
                                  : ratio(static_cast<double>(deltas[raw(event)]),
                                          static_cast<double>(deltas[raw(instructions_)]) / 1e3);
}

std::optional<double> EventRates::rate(CounterIndex event, const TimeTerms& terms,
                                       std::span<const std::int64_t> deltas) const {
    return instructions_ != kNone
               ? per_thousand_instructions(event, deltas)
               : ratio(static_cast<double>(deltas[raw(event)]), static_cast<double>(terms.user + terms.system) / 1e6);
}

std::optional<double> EventRates::rate_elsewhere(CounterIndex event, const TimeTerms& terms,
                                                 std::span<const std::int64_t> deltas) const {
    TimeTerms rest = run_->total;
    rest.user -= std::min(rest.user, terms.user);
    rest.system -= std::min(rest.system, terms.system);
    return rate(event, rest, rest_of(deltas));
}

std::optional<double> EventRates::per_cycle_elsewhere(std::span<const std::int64_t> deltas) const {
    return per_cycle(rest_of(deltas));
}

std::vector<std::int64_t> EventRates::rest_of(std::span<const std::int64_t> deltas) const {
    std::vector<std::int64_t> others(run_->deltas);
    for (std::size_t i = 0; i < others.size(); ++i) {
        others[i] -= std::min(others[i], deltas[i]);
    }
    return others;
}

}  // namespace kymo::view
