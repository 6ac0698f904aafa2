// A session's events as rows of the recording's event table (recording/tables/events.h, which this layer does not
// see: Row is recording::Event). Usable in the monitor.
#pragma once

#include "events/attributes.h"
#include "events/session.h"

#include <cstdint>

namespace kymo::events {

template <typename Row, typename Append>
void for_each_event_row(const Session& session, const Append& append) {
    for (std::size_t i = 0; i < session.event_count; ++i) {
        const SessionEvent& event = session.events[i];
        Row row;
        row.index = i;
        row.name = event.name;
        row.unit = event.nanoseconds ? "ns" : "";
        row.mode = static_cast<std::uint64_t>(event.mode);
        row.value = event.value;
        row.kernel_type = event.type;
        row.kernel_config = event.config;
        row.precise = event.precise;
        row.user_only = event.user_only || (event.samples() && !is_clock(event));
        append(row);
    }
}

}  // namespace kymo::events
