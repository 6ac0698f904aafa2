#include "view/page/series.h"

#include <algorithm>
#include <cmath>

namespace kymo::view {
namespace {

using spacetime::MetricOrigin;
using spacetime::MetricType;
using spacetime::RunMetric;

bool is_shown(const RunMetric& metric) {
    const bool channel = metric.kind == Resource::kChannel &&
                         (metric.name == "messages" || metric.name == "bytes" || metric.name == "blocked");
    const bool processor = metric.kind == Resource::kProcessor && metric.name == "busy";
    const bool own = metric.kind == Resource::kTask && metric.origin != MetricOrigin::kStandard;
    return (own || channel || processor) &&
           std::any_of(metric.bins.begin(), metric.bins.end(), [](double value) { return value > 0; });
}

}  // namespace

nlohmann::ordered_json page_series(const spacetime::RunMetrics& run, std::uint64_t begin) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const RunMetric& metric : run.metrics) {
        if (!is_shown(metric) || all.size() == kMostSeries) {
            continue;
        }
        nlohmann::ordered_json bins = nlohmann::ordered_json::array();
        for (const double value : metric.bins) {
            bins.push_back(std::isfinite(value) && value > 0 ? value : 0);
        }
        all.push_back({{"kind", name_of(metric.kind)},
                       {"name", metric.name},
                       {"unit", metric.unit},
                       {"description", metric.description},
                       {"counter", metric.type == MetricType::kCounter},
                       {"begin", static_cast<std::int64_t>(run.begin - begin)},
                       {"end", static_cast<std::int64_t>(run.end - begin)},
                       {"bins", std::move(bins)}});
    }
    return all;
}

}  // namespace kymo::view
