#include "ring/scrape/families.h"

#include <algorithm>
#include <string_view>

namespace kymo::ring {
namespace {

// Units of cells, in base units.
struct Unit {
    std::string_view suffix;
    double scale;
};

Unit unit_of(const AskedMetric& asked) {
    const std::string_view unit = asked.unit;
    return unit == "ns"       ? Unit{"seconds", 1e-9}
           : unit == "bytes"  ? Unit{"bytes", 1}
           : unit == "1/1000" ? Unit{"", 1e-3}
                              : Unit{"", 1};
}

FamilyType type_of(const AskedMetric& asked) {
    return !asked.is_standard && !asked.is_described ? FamilyType::kUntyped
           : asked.grows()                           ? FamilyType::kCounter
                                                     : FamilyType::kGauge;
}

std::string help_of(const AskedMetric& asked, bool is_plain) {
    std::string help = asked.description.empty() ? asked.address.metric : asked.description;
    if (!asked.is_standard && !asked.is_described) {
        return help + ", a program's own: sum as it is";
    }
    // If the name does not contain the unit.
    const bool is_told = asked.unit.empty() || (!is_plain && !unit_of(asked).suffix.empty());
    help += is_told || asked.is_standard ? "" : " (" + asked.unit + ")";
    constexpr std::string_view kTotals[] = {"", "", "mean", "least", "greatest"};
    const std::string_view total = kTotals[static_cast<std::size_t>(asked.total)];
    return total.empty() ? help : help + ": " + std::string(total) + " of all threads";
}

bool is_counter(const AskedMetric& asked) {
    return type_of(asked) == FamilyType::kCounter;
}

double seconds(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

// Labels the objects, unless they are all of the host's.
void add_object_label(const MetricAddress& address, std::vector<std::pair<std::string, std::string>>& labels) {
    if (address.level == ResourceLevel::kObject || address.level == ResourceLevel::kProcess) {
        labels.emplace_back(name_of(address.level, address.kind), std::to_string(address.number));
    }
}

}  // namespace

std::string plain_family_name(const AskedMetric& asked) {
    std::string name = "kymo_" + std::string(name_of(asked.address.kind)) + "_";
    for (const char letter : asked.address.metric) {
        const bool is_word =
            (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
        name += is_word ? letter : '_';
    }
    return name;
}

std::string family_name(const AskedMetric& asked) {
    std::string name = plain_family_name(asked);
    const std::string_view unit = unit_of(asked).suffix;
    if (!unit.empty() && !name.ends_with("_" + std::string(unit))) {
        name += "_" + std::string(unit);
    }
    return name + (is_counter(asked) && !name.ends_with("_total") ? "_total" : "");
}

// If its full name would be that of another metric.
bool Families::keeps_plain_name(std::size_t i) const {
    const MetricAddress& own = asked_[i].address;
    const std::string whole = family_name(asked_[i]);
    return !asked_[i].is_standard && whole != plain_family_name(asked_[i]) &&
           std::any_of(asked_.begin(), asked_.end(), [&](const AskedMetric& other) {
               const bool is_same = other.address.metric == own.metric && other.address.kind == own.kind;
               return !is_same && (family_name(other) == whole || plain_family_name(other) == whole);
           });
}

std::optional<std::pair<std::size_t, std::size_t>> find_same_family(std::span<const AskedMetric> asked) {
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto [first, is_new] = known.try_emplace(family_name(asked[i]), i);
        const MetricAddress& before = asked[first->second].address;
        if (!is_new && (before.metric != asked[i].address.metric || before.kind != asked[i].address.kind)) {
            return std::pair(first->second, i);
        }
    }
    return std::nullopt;
}

Families::Families(std::vector<AskedMetric> asked, std::function<std::string(Slot)> name_of)
    : asked_(std::move(asked)), name_of_(std::move(name_of)) {}

std::string Families::host(Slot slot) const {
    const std::string name = name_of_(slot);
    return name.empty() ? "slot " + std::to_string(slot) : name;
}

std::vector<Family> Families::take(const Sample& sample, const ManagerCounts& counts, Time period) {
    std::vector<Family> families;
    add_ring(sample, counts, period, families);
    add_hosts(sample, families);
    add_metrics(sample, families);
    return families;
}

void Families::add_ring(const Sample& sample, const ManagerCounts& counts, Time period,
                        std::vector<Family>& families) {
    moved_ += sample.moved;
    const auto add = [&](const char* name, const char* help, FamilyType type, double value) {
        families.push_back({name, help, type, {{{}, value}}});
    };
    const auto gauge = FamilyType::kGauge;
    const auto counter = FamilyType::kCounter;
    add("kymo_ring_hosts", "Hosts that have a place in the ring", gauge, sample.coverage.slots);
    add("kymo_ring_hosts_answered", "Hosts that answered the last request", gauge, sample.coverage.contributed);
    add("kymo_ring_round_trip_seconds", "Way of the last request round the ring", gauge,
        seconds(sample.home - sample.sent));
    add("kymo_ring_skew_seconds", "First to last reading of the last sample", gauge,
        sample.coverage.contributed == 0 ? 0 : seconds(sample.latest - sample.earliest));
    add("kymo_ring_period_seconds", "Time between requests, as it is adapted", gauge, seconds(period));
    add("kymo_ring_requests_total", "Tokens sent by the manager", counter, static_cast<double>(counts.sent));
    add("kymo_ring_replies_total", "Tokens that came home", counter, static_cast<double>(counts.received));
    add("kymo_ring_lost_total", "Tokens that were given up", counter, static_cast<double>(counts.lost));
    add("kymo_ring_overtaken_total", "Requests that ended after a later one: no sample", counter,
        static_cast<double>(counts.overtaken));
    add("kymo_ring_moved_bytes_total", "Bytes over all service channels", counter, static_cast<double>(moved_));
    Family refused{"kymo_ring_refused_total", "Frames that the manager refused, by reason", counter, {}};
    for (std::size_t i = 1; i < kRefusals; ++i) {
        refused.figures.push_back({{{"reason", std::string(ring::name_of(static_cast<Refusal>(i)))}},
                                   static_cast<double>(counts.refused[i])});
    }
    families.push_back(std::move(refused));
}

void Families::add_hosts(const Sample& sample, std::vector<Family>& families) const {
    Family up{"kymo_host_up", "Whether the host answered the last request", FamilyType::kGauge, {}};
    Family error{"kymo_host_clock_error_seconds", "The host's clock is known within this", FamilyType::kGauge, {}};
    std::vector<const SamplePart*> answered(sample.mode == Mode::kAppend ? sample.coverage.slots : 0, nullptr);
    for (const SamplePart& part : sample.parts) {
        if (part.part.slot < answered.size() && part.part.state != PartState::kHole) {
            answered[part.part.slot] = &part;
        }
    }
    for (Slot slot = 0; slot < answered.size(); ++slot) {
        up.figures.push_back({{{"host", host(slot)}}, answered[slot] != nullptr ? 1.0 : 0.0});
        if (answered[slot] != nullptr && answered[slot]->part.clock_error != ~std::uint64_t{0}) {
            error.figures.push_back({{{"host", host(slot)}}, seconds(answered[slot]->part.clock_error)});
        }
    }
    families.push_back(std::move(up));
    families.push_back(std::move(error));
}

void Families::add_metrics(const Sample& sample, std::vector<Family>& families) {
    std::map<std::string, Family> by_name;
    const auto add = [&](std::size_t i, Slot slot, const Record& record) {
        const AskedMetric& asked = asked_[i];
        const std::uint64_t now = figure(asked, record);
        const bool is_known = record.known != 0 || record.objects == 0;
        const bool may_grow = is_counter(asked) || asked.is_awaited;  // counts from the first time it is seen
        const std::uint64_t grown = may_grow && is_known ? growth_[{slot, i}].take(now, record.unknown()) : 0;
        if (!is_known || asked.is_awaited || (record.objects == 0 && !is_counter(asked))) {
            return;
        }
        // A program-defined gauge below 0 has wrapped round.
        const double value = is_counter(asked)   ? static_cast<double>(grown)
                             : asked.is_standard ? static_cast<double>(now)
                                                 : static_cast<double>(static_cast<std::int64_t>(now));
        const bool is_plain = keeps_plain_name(i);
        Figure figure{{}, is_plain ? value : value * unit_of(asked).scale};
        if (slot != kManager) {
            figure.labels.emplace_back("host", host(slot));
        }
        add_object_label(asked.address, figure.labels);
        const std::string name = is_plain ? plain_family_name(asked) : family_name(asked);
        Family& family = by_name[name];
        family.name = name;
        family.type = type_of(asked);
        family.help = help_of(asked, is_plain);
        const auto same = [&](const Figure& each) { return each.labels == figure.labels; };
        if (std::none_of(family.figures.begin(), family.figures.end(), same)) {  // requested twice, in different
                                                                                 // forms
            family.figures.push_back(std::move(figure));
        }
    };
    if (sample.mode == Mode::kReduce) {
        // A sum over fewer hosts than before is not comparable with it.
        for (std::size_t i = 0; sample.coverage.is_whole() && i < std::min(asked_.size(), sample.records.size());
             ++i) {
            add(i, kManager, sample.records[i]);
        }
    }
    for (const SamplePart& part : sample.parts) {
        for (std::size_t i = 0;
             part.part.state != PartState::kHole && i < std::min(asked_.size(), part.records.size()); ++i) {
            add(i, part.part.slot, part.records[i]);
        }
    }
    for (auto& [name, family] : by_name) {
        families.push_back(std::move(family));
    }
}

}  // namespace kymo::ring
