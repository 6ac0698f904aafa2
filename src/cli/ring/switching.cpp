#include "cli/ring/switching.h"

#include "cli/description_file.h"
#include "ring/answers/answer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

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

Result<std::vector<NamedSwitch>> parse_switch(const std::string& text) {
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
        const auto description = read_description(name);
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
    std::vector<NamedSwitch> switches;
    for (const std::string& metric : metrics) {
        what.metric = ring::metric_code(kTask, metric);
        switches.push_back({metric, what});
    }
    return switches;
}

Result<void> Switching::add(std::vector<NamedSwitch> more, ring::Manager& manager, std::uint64_t now) {
    std::vector<NamedSwitch> all = known_;
    std::vector<ring::Switch> ordered;
    for (NamedSwitch& each : more) {
        ordered.push_back(each.what);
        const auto same = std::find_if(all.begin(), all.end(), [&each](const NamedSwitch& known) {
            return known.what.metric == each.what.metric;
        });
        if (same == all.end()) {
            all.push_back(std::move(each));
        }
    }
    if (all.size() > ring::kMaxSwitches) {
        return Error{ErrorKind::kUsage, fmt::format("more than {} metrics are to be switched", ring::kMaxSwitches),
                     "switch the others by an agent's next manager"};
    }
    known_ = std::move(all);
    manager.order(std::move(ordered), now);
    return {};
}

std::vector<live::RingSwitch> Switching::state(const ring::Orders& orders) const {
    std::vector<live::RingSwitch> all;
    for (const ring::Switch& each : orders.state()) {
        for (const NamedSwitch& known : known_) {
            if (known.what.metric == each.metric) {
                all.push_back({known.metric, each, orders.answered()});
            }
        }
    }
    return all;
}

void LinesIn::take(const std::function<void(const std::string&)>& line) {
    pollfd in{STDIN_FILENO, POLLIN, 0};
    while (!ended_ && poll(&in, 1, 0) > 0) {
        char bytes[512];
        const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got <= 0) {
            ended_ = true;
            break;
        }
        begun_.append(bytes, static_cast<std::size_t>(got));
        for (std::size_t end = begun_.find('\n'); end != std::string::npos; end = begun_.find('\n')) {
            if (end > 0) {
                line(begun_.substr(0, end));
            }
            begun_.erase(0, end + 1);
        }
        if (begun_.size() > kLongest) {
            begun_.clear();
        }
    }
}

}  // namespace kymo::cli
