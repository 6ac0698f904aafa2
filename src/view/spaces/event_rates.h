// How often events happen in a piece of code, in the suitable unit: per thousand instructions if these were
// counted, otherwise per millisecond of processor time. And, if cycles were counted too, instructions per cycle.
#pragma once

#include "spacetime/evidence/evidence.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kymo::view {

class EventRates {
  public:
    // Of the run's events: those that cost time, and those that only the user can interpret.
    explicit EventRates(const spacetime::Evidence& evidence);

    const std::vector<spacetime::CounterIndex>& events() const { return events_; }
    // Cycles and instructions were counted.
    bool has_per_cycle() const { return cycles_ != kNone && instructions_ != kNone; }
    // Those of the events that are misses: of caches, TLBs and guesses of branches. None where instructions were not
    // counted.
    std::vector<spacetime::CounterIndex> misses() const;
    // "per 1,000 instructions" or "per ms of processor time".
    std::string unit() const;

    // None: the code has nothing of the rate's base. `terms` and `deltas`: of the code.
    std::optional<double> per_cycle(std::span<const std::int64_t> deltas) const;
    std::optional<double> per_thousand_instructions(spacetime::CounterIndex event,
                                                    std::span<const std::int64_t> deltas) const;
    std::optional<double> rate(spacetime::CounterIndex event, const spacetime::TimeTerms& terms,
                               std::span<const std::int64_t> deltas) const;
    // The same for all of the run except this code.
    std::optional<double> per_cycle_elsewhere(std::span<const std::int64_t> deltas) const;
    std::optional<double> rate_elsewhere(spacetime::CounterIndex event, const spacetime::TimeTerms& terms,
                                         std::span<const std::int64_t> deltas) const;

  private:
    std::vector<std::int64_t> rest_of(std::span<const std::int64_t> deltas) const;

    const spacetime::RunFacts* run_;
    spacetime::CounterIndex cycles_;
    spacetime::CounterIndex instructions_;
    std::vector<spacetime::CounterIndex> events_;
};

}  // namespace kymo::view
