#include "view/page/series.h"

#include "view/metrics.h"

#include <algorithm>
#include <cmath>

namespace kymo::view {
namespace {

using spacetime::MetricOrigin;
using spacetime::MetricType;
using spacetime::RunMetric;

bool is_shown(const RunMetric& metric) {
    const bool channel = metric.kind == Resource::kChannel && !metric.of_ends &&
                         (metric.name == "messages" || metric.name == "bytes" || metric.name == "blocked");
    const bool processor = metric.kind == Resource::kProcessor && metric.name == "busy";
    const bool own = metric.kind == Resource::kTask && metric.origin != MetricOrigin::kStandard;
    // For metrics of hosts the page has no threads that would show these.
    const bool of_hosts = metric.kind == Resource::kTask && !metric.objects.empty() &&
                          metric.objects.front().is_all_of_host() &&
                          (metric.name == "user" || metric.name == "system" || metric.name == "wait");
    return (own || of_hosts || channel || processor) &&
           std::any_of(metric.bins.begin(), metric.bins.end(), [](double value) { return value > 0; });
}

nlohmann::ordered_json shown(const std::vector<double>& bins) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const double value : bins) {
        all.push_back(std::isfinite(value) && value > 0 ? value : 0);
    }
    return all;
}

}  // namespace

nlohmann::ordered_json page_series(const spacetime::RunMetrics& run, std::uint64_t begin) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const RunMetric& metric : run.metrics) {
        if (!is_shown(metric) || all.size() == kMostSeries) {
            continue;
        }
        nlohmann::ordered_json hosts = nlohmann::ordered_json::array();
        for (std::size_t host = 0; run.is_by_ring() && host < std::min(metric.host_bins.size(), kMostHosts); ++host) {
            hosts.push_back(shown(metric.host_bins[host]));
        }
        all.push_back({{"kind", name_of(metric.kind)},
                       {"name", metric.name},
                       {"unit", metric.unit},
                       {"description", metric.description},
                       {"total", json_total(metric, metric.aggregate(ResourceLevel::kSystem, 0))},
                       {"total_is", rule_name(metric.rule())},
                       {"counter", metric.type == MetricType::kCounter},
                       {"begin", static_cast<std::int64_t>(run.begin - begin)},
                       {"end", static_cast<std::int64_t>(run.end - begin)},
                       {"bins", shown(metric.bins)},
                       {"hosts", std::move(hosts)}});
    }
    return all;
}

nlohmann::ordered_json page_hosts(const spacetime::RunMetrics& run, std::uint64_t begin) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (std::size_t i = 0; run.is_by_ring() && i < std::min(run.hosts.size(), kMostHosts); ++i) {
        const spacetime::RunHost& host = run.hosts[i];
        nlohmann::ordered_json gaps = nlohmann::ordered_json::array();
        for (const spacetime::RunHost::Gap& gap : host.gaps) {
            gaps.push_back(
                {static_cast<std::int64_t>(gap.begin - begin), static_cast<std::int64_t>(gap.end - begin)});
        }
        all.push_back({{"name", host.name},
                       {"clock_error", host.clock_error_ns ? nlohmann::ordered_json(*host.clock_error_ns)
                                                           : nlohmann::ordered_json(nullptr)},
                       {"gaps", std::move(gaps)}});
    }
    return all;
}

}  // namespace kymo::view
