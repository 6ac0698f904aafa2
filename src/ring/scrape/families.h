// The manager's figures for a Prometheus server: families of figures, as its text format has them.
//
// Names end in their unit, in base units (seconds, bytes), and counters in _total, as the format's conventions
// require. A counter contains the growth since the manager started (ring/record/growth.h), so it never decreases.
// Agents describe the metrics that programs define (members/metric_queries.h); until then these have no figures
// here. Agents of an earlier version give only the name: such metrics are untyped, and their sums are passed on
// unchanged. A host that does not answer has no figures until it does, so that none is stale, and kymo_host_up is
// 0. One thread.
#pragma once

#include "ring/members/manager.h"
#include "ring/record/asked_metric.h"
#include "ring/record/growth.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kymo::ring {

enum class FamilyType : std::uint8_t { kCounter, kGauge, kUntyped };

struct Figure {
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;
};

struct Family {
    std::string name;
    std::string help;
    FamilyType type = FamilyType::kGauge;
    std::vector<Figure> figures;
};

class Families {
  public:
    // `name_of`: a slot's host; empty: not known.
    Families(std::vector<AskedMetric> asked, std::function<std::string(Slot)> name_of);

    // Descriptions of program-defined metrics, parallel to the request.
    void know(std::vector<AskedMetric> asked) { asked_ = std::move(asked); }

    // Adds a sample that has returned since the last call; `counts` are the manager's, `period` in ns.
    std::vector<Family> take(const Sample& sample, const ManagerCounts& counts, Time period);

  private:
    void add_ring(const Sample& sample, const ManagerCounts& counts, Time period, std::vector<Family>& families);
    void add_hosts(const Sample& sample, std::vector<Family>& families) const;
    void add_metrics(const Sample& sample, std::vector<Family>& families);
    [[nodiscard]] std::string host(Slot slot) const;
    [[nodiscard]] bool keeps_plain_name(std::size_t i) const;

    std::vector<AskedMetric> asked_;
    std::function<std::string(Slot)> name_of_;
    std::map<std::pair<Slot, std::size_t>, Growth> growth_;  // of counters, by place in the request
    std::uint64_t moved_ = 0;                                // bytes over all service channels
};

// A metric's name in Prometheus, for example kymo_task_user_seconds_total.
std::string family_name(const AskedMetric& asked);
// Without its unit and _total.
std::string plain_family_name(const AskedMetric& asked);

// Two different metrics that would have the same name there; nothing: all names differ.
std::optional<std::pair<std::size_t, std::size_t>> find_same_family(std::span<const AskedMetric> asked);

}  // namespace kymo::ring
