#include "spacetime/metrics/run_metrics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kymo::spacetime {

MetricTotal RunMetric::rule() const {
    if (total_by != MetricTotal::kOfType) {
        return total_by;
    }
    return type == MetricType::kMaximum ? MetricTotal::kMaximum : MetricTotal::kSum;
}

std::uint64_t RunMetric::total_of(const Aggregate& some) const {
    switch (rule()) {
        case MetricTotal::kMean:
            return static_cast<std::uint64_t>(std::llround(some.mean));
        case MetricTotal::kMinimum:
            return some.minimum;
        case MetricTotal::kMaximum:
            return some.maximum;
        case MetricTotal::kOfType:
        case MetricTotal::kSum:
            break;
    }
    return some.sum;
}

std::vector<RunMetric::Part> RunMetric::parts() const {
    std::map<std::uint64_t, std::vector<Observed>> by_number;
    for (const MetricOfObject& object : objects) {
        const Observed one{object.number, object.pid, object.host, object.value};
        const std::uint64_t number = per == ResourceLevel::kObject    ? by_number.size()  // numbers come again
                                     : per == ResourceLevel::kProcess ? object.pid
                                     : per == ResourceLevel::kHost    ? object.host
                                                                      : 0;
        by_number[number].push_back(one);
    }
    std::vector<Part> all;
    for (const auto& [number, some] : by_number) {
        all.push_back({per == ResourceLevel::kObject ? some.front().object : number,
                       kymo::aggregate(some, ResourceLevel::kSystem, 0, type == MetricType::kGauge)});
    }
    std::stable_sort(all.begin(), all.end(), [this](const Part& a, const Part& b) {
        const std::uint64_t of_a = total_of(a.figures);
        const std::uint64_t of_b = total_of(b.figures);
        return type == MetricType::kGauge ? static_cast<std::int64_t>(of_a) > static_cast<std::int64_t>(of_b)
                                          : of_a > of_b;
    });
    return all;
}

Aggregate RunMetric::aggregate(ResourceLevel level, std::uint64_t number) const {
    std::vector<Observed> observed;
    observed.reserve(objects.size());
    for (const MetricOfObject& object : objects) {
        observed.push_back({object.number, object.pid, object.host, object.value});
    }
    return kymo::aggregate(observed, level, number, type == MetricType::kGauge);
}

const RunMetric* RunMetrics::find(Resource kind, std::string_view name) const {
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const RunMetric& each) { return each.kind == kind && each.name == name; });
    return found == metrics.end() ? nullptr : &*found;
}

}  // namespace kymo::spacetime
