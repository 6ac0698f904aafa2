#include "cli/ring/switch_option.h"

#include "metrics/description_file.h"
#include "ring/answers/asked_cell.h"

#include <cmath>
#include <cstdlib>

namespace kymo::cli {
namespace {

constexpr std::uint8_t kTask = static_cast<std::uint8_t>(Resource::kTask);

// on, off, or seconds.
bool parse_state(const std::string& text, ring::Switch& what) {
    what.on = text != "off" ? 1 : 0;
    if (text == "on" || text == "off") {
        return true;
    }
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    const double longest = static_cast<double>(ring::kLongestReading) / 1e9;
    if (text.empty() || *end != '\0' || !(seconds > 0 && seconds <= longest)) {
        return false;
    }
    what.period = static_cast<std::uint64_t>(std::llround(seconds * 1e9));
    return true;
}

}  // namespace

Result<std::vector<live::NamedSwitch>> parse_switch(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    ring::Switch what{};
    what.kind = kTask;
    if (equals == std::string::npos || equals == 0 || !parse_state(text.substr(equals + 1), what)) {
        return Error{
            ErrorKind::kUsage, "'" + text + "' does not say what to switch",
            "METRIC=off, METRIC=on or METRIC=SECONDS; a description's FILE.kym stands for all of its metrics"};
    }
    const std::string name = text.substr(0, equals);
    std::vector<std::string> metrics{name};
    if (name.ends_with(".kym")) {
        const auto description = metrics::read_description(name);
        if (!description) {
            return description.error();
        }
        metrics.clear();
        for (const metrics::Metric& metric : description->metrics) {
            if (metric.type != cells::MetricType::kGauge) {
                metrics.push_back(metric.name);
            }
        }
    }
    std::vector<live::NamedSwitch> switches;
    for (const std::string& metric : metrics) {
        what.metric = ring::metric_code(kTask, metric);
        switches.push_back({metric, what});
    }
    return switches;
}

}  // namespace kymo::cli
