// A requested metric; the meaning of its figures in a sample depends on its type.
//
// Standard metrics are built in (cells/standard.h). Any other has only a name until an agent describes it
// (protocol/metric_query.h). An agent of an earlier version never does: the metric then counts as a counter, the
// default type.
#pragma once

#include "base/resource.h"
#include "cells/standard.h"
#include "ring/answers/asked_cell.h"
#include "ring/protocol/metric_query.h"
#include "ring/protocol/record.h"
#include "ring/transport/service_metrics.h"

#include <span>
#include <string>

namespace kymo::ring {

struct AskedMetric {
    MetricAddress address;  // number: kEvery for all objects at its level
    cells::MetricType type = cells::MetricType::kCounter;
    bool is_standard = false;
    std::string unit;
    std::string description;
    MetricTotal total = MetricTotal::kOfType;
    ResourceLevel per = ResourceLevel::kObject;
    bool is_described = false;  // by an agent
    bool is_awaited = false;    // waits for its description; until then no figure has a meaning

    // Whether its figures only grow.
    [[nodiscard]] bool grows() const {
        return type == cells::MetricType::kCounter && (total == MetricTotal::kOfType || total == MetricTotal::kSum);
    }
};

inline AskedMetric asked_metric(const MetricAddress& address) {
    AskedMetric asked;
    asked.address = address;
    for (const cells::StandardMetric& each : cells::kStandardMetrics) {
        if (static_cast<int>(each.kind) == static_cast<int>(address.kind) && address.metric == each.name) {
            asked.type = each.type;
            asked.is_standard = true;
            asked.unit = each.unit;
            asked.description = each.description;
        }
    }
    if (const ServiceMetric* const own = service_metric(address.metric);
        own != nullptr && address.kind == Resource::kChannel) {
        asked.type = own->type;
        asked.is_standard = true;
        asked.unit = own->unit;
        asked.description = own->description;
    }
    asked.is_awaited = !asked.is_standard;
    return asked;
}

inline MetricAsked asked_of(const AskedMetric& metric) {
    const auto kind = static_cast<std::uint8_t>(metric.address.kind);
    return {kind, {}, metric_code(kind, metric.address.metric)};
}

// Applies descriptions to metrics that had none. True: to at least one.
inline bool describe(std::span<AskedMetric> asked, std::span<const MetricTold> told) {
    bool is_new = false;
    for (AskedMetric& metric : asked) {
        for (const MetricTold& each : told) {
            if (metric.is_standard || metric.is_described ||
                asked_of(metric) != MetricAsked{each.kind, {}, each.metric}) {
                continue;
            }
            metric.type = static_cast<cells::MetricType>(each.type);
            metric.unit = text_of(each.unit);
            metric.description = text_of(each.description);
            metric.total = each.total;
            metric.per = static_cast<ResourceLevel>(each.per);
            metric.is_described = is_new = true;
            metric.is_awaited = false;
        }
    }
    return is_new;
}

// Sums add up; of maxima the largest counts; program-defined metrics define how values make a total.
inline std::uint64_t figure(const AskedMetric& asked, const Record& record) {
    switch (asked.total) {
        case MetricTotal::kMean:  // a program-defined gauge below 0 has wrapped round
            return record.known == 0 ? 0
                                     : static_cast<std::uint64_t>(static_cast<std::int64_t>(record.sum_low) /
                                                                  static_cast<std::int64_t>(record.known));
        case MetricTotal::kMinimum:
            return record.least;
        case MetricTotal::kMaximum:
            return record.greatest;
        case MetricTotal::kSum:
            return record.sum_low;
        case MetricTotal::kOfType:
            break;
    }
    return asked.type == cells::MetricType::kMaximum ? record.greatest : record.sum_low;
}

}  // namespace kymo::ring
