#include "events/names.h"

#include "events/generic.h"
#include "events/pfm.h"
#include "events/suggest.h"

namespace kymo::events {
namespace {

Error no_such_event(const std::string& name, const NamePlaces& places) {
    if (const std::string others = pfm_other_processor(name); !others.empty()) {
        return {ErrorKind::kUnsupported, "event " + name + " is not this processor's; it belongs to " + others,
                "list this machine's events with: kymo doctor --events"};
    }
    const KnownNames known = known_names(places);
    std::vector<std::string> all;
    for (const auto* names : {&known.software, &known.hardware, &known.devices, &known.processor}) {
        all.insert(all.end(), names->begin(), names->end());
    }
    std::string next;
    for (const std::string& name_near : nearest(name, all)) {
        next += (next.empty() ? "did you mean " : " or ") + name_near;
    }
    next += next.empty() ? "list the events with: kymo doctor --events" : "? All events: kymo doctor --events";
    return {ErrorKind::kUnknownEvent, "no such event: " + name, next};
}

Result<SessionEvent> find(const std::string& name, const NamePlaces& places) {
    if (auto event = generic_event(name)) {
        return *event;
    }
    if (auto event = raw_event(name)) {
        return *event;
    }
    if (is_device_form(name)) {
        return device_event(name, places.devices);
    }
    if (auto event = bare_device_event(name, places.devices)) {
        return *event;
    }
    if (auto event = pfm_event(name)) {
        return *event;
    }
    if (is_tracepoint_form(name)) {
        auto event = tracepoint_event(name, places.tracing);
        // EVENT:MASK of another processor looks like a tracepoint too.
        if (!event && !pfm_other_processor(name).empty()) {
            return no_such_event(name, places);
        }
        return event;
    }
    return no_such_event(name, places);
}

}  // namespace

Result<SessionEvent> resolve(const Request& request, const NamePlaces& places) {
    auto event = find(request.name, places);
    if (event) {
        event->mode = request.mode;
        event->value = request.value;
        event->precise = request.precise;
    }
    return event;
}

Result<SessionEvent> parse_event(std::string_view text, const NamePlaces& places) {
    const auto request = parse_request(text);
    if (!request) {
        return request.error();
    }
    return resolve(*request, places);
}

KnownNames known_names(const NamePlaces& places) {
    return {software_event_names(), hardware_event_names(), device_event_names(places.devices), pfm_event_names()};
}

}  // namespace kymo::events
