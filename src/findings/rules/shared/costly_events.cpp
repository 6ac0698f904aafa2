#include "findings/rules/shared/costly_events.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace kymo::findings {
namespace {

// What rules of their own tell, with what they know besides the count.
bool has_own_rule(std::string_view event) {
    static constexpr std::array<std::string_view, 4> kOwn = {"page-faults", "minor-faults", "context-switches",
                                                             "cpu-migrations"};
    return std::any_of(kOwn.begin(), kOwn.end(), [&](std::string_view name) { return event.starts_with(name); });
}

}  // namespace

const spacetime::EventClass* class_of(const Case& subject, const Feature& feature) {
    if (counter(*subject.evidence, feature.name) == kNone || has_own_rule(feature.name)) {
        return nullptr;
    }
    const spacetime::EventClass& known = spacetime::event_class(feature.name);
    return known.meaning == spacetime::EventMeaning::kWork ? nullptr : &known;
}

const Feature* clearest_event(const Case& subject, double longer) {
    const auto found = std::find_if(subject.features.begin(), subject.features.end(), [&](const Feature& feature) {
        const spacetime::EventClass* known = class_of(subject, feature);
        if (known == nullptr || feature.effect < kLargeEffect || feature.bad < kLeastEvents ||
            feature.bad < kMoreOften * longer * feature.good || !subject.differs(feature.name, kMoreOften)) {
            return false;
        }
        const double most = (feature.bad - feature.good) * static_cast<double>(subject.bad.count) * known->most_ns;
        return known->most_ns == 0 || most >= kLeastCovered * static_cast<double>(subject.excess.total());
    });
    return found != subject.features.end() ? &*found : nullptr;
}

std::string cause_words(const spacetime::EventClass& known) {
    return known.cause.empty() ? "" : " " + std::string(known.cause) + ".";
}

void say_what_to_do(const spacetime::EventClass& known, std::string_view event, Claim* claim) {
    claim->direction =
        known.remedy.empty()
            ? fmt::format("look at what raises {} here: its lines are found by kymo hunt -e {}", event, event)
            : std::string(known.remedy);
}

}  // namespace kymo::findings
