#include "live/asked_metrics.h"

#include "base/time.h"

#include <algorithm>
#include <utility>

namespace kymo::live {

AskedMetrics::AskedMetrics(const std::vector<Asked>& asked) {
    all_.reserve(asked.size());
    for (const Asked& each : asked) {
        all_.push_back(ring::asked_metric(each.address));
    }
}

void AskedMetrics::begin(ring::Manager& manager) const {
    std::vector<ring::MetricAsked> own;
    for (const ring::AskedMetric& each : all_) {
        if (const ring::MetricAsked asked = ring::asked_of(each);
            each.is_awaited && std::find(own.begin(), own.end(), asked) == own.end()) {
            own.push_back(asked);
        }
    }
    manager.describe(std::move(own), monotonic_now().ns);
}

bool AskedMetrics::learn(const ring::Manager& manager) {
    bool is_new = ring::describe(all_, manager.metrics().told());
    for (ring::AskedMetric& each : all_) {
        if (each.is_awaited && manager.metrics().is_beyond(ring::asked_of(each))) {
            each.is_awaited = false;
            is_new = true;
        }
    }
    return is_new;
}

}  // namespace kymo::live
