// The prefix of names that distinguishes the program's own metrics from other events in a recording.
#pragma once

#include <string_view>

namespace kymo {

inline constexpr std::string_view kMetricEvent = "metric:";

constexpr bool is_metric_event(std::string_view event) {
    return event.starts_with(kMetricEvent);
}

}  // namespace kymo
