// What the manager tells a Prometheus server: families of figures, as its text format has them.
//
// Names end in their unit, in base units (seconds, bytes), and counters in _total, as the format's conventions ask.
// A counter has grown since the manager began (ring/record/growth.h), so it never goes down. What programs' own
// metrics are their agents tell (members/metric_queries.h); until then they have no figures here. Of agents of an
// earlier version the name alone is known: such metrics are untyped, and their sums are as they are. A host that did
// not answer has no figures until it does, and kymo_host_up says so: none is stale. One thread.
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

    // What own metrics are, by those that asked for them; parallel to what was asked.
    void know(std::vector<AskedMetric> asked) { asked_ = std::move(asked); }

    // With what has come home since the last call; `counts` are the manager's, `period` in ns.
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

// A metric's name there, for example kymo_task_user_seconds_total.
std::string family_name(const AskedMetric& asked);
// Without its unit and _total.
std::string plain_family_name(const AskedMetric& asked);

// Two different metrics that would have one name there; nothing: all stay apart.
std::optional<std::pair<std::size_t, std::size_t>> find_same_family(std::span<const AskedMetric> asked);

}  // namespace kymo::ring
