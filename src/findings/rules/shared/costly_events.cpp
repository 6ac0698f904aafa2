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
    if (counter(*subject.evidence, feature.name) == kNoNode || has_own_rule(feature.name)) {
        return nullptr;
    }
    const spacetime::EventClass& known = spacetime::event_class(feature.name);
    return known.meaning == spacetime::EventMeaning::kWork ? nullptr : &known;
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
