#include "hunt/event_choice.h"

#include "events/attributes.h"
#include "events/names.h"

#include <linux/perf_event.h>

namespace kymo::hunt {

namespace {
constexpr std::uint64_t kUsualRate = 2000;  // samples a second, of events that are too frequent to inspect each
}

void choose_rate(events::SessionEvent& event) {
    if (event.samples()) {
        return;
    }
    if (event.type == PERF_TYPE_SOFTWARE && !events::is_clock(event)) {
        event.mode = events::Mode::kPeriod;
        event.value = 1;
    } else {
        event.mode = events::Mode::kFrequency;
        event.value = kUsualRate;
    }
}

void choose_precision(events::SessionEvent& event, events::CounterOpener& opener) {
    if (event.precise != 0 || event.type == PERF_TYPE_SOFTWARE || event.type == PERF_TYPE_TRACEPOINT) {
        return;
    }
    for (std::uint8_t precise = 3; precise > 0; --precise) {
        events::SessionEvent tried = event;
        tried.precise = precise;
        tried.user_only = true;
        perf_event_attr attr = events::make_attributes(tried, false);
        if (const int counter = opener.open(attr, 0, -1, -1); counter >= 0) {
            opener.close(counter);
            event.precise = precise;
            return;
        }
    }
}

}  // namespace kymo::hunt
