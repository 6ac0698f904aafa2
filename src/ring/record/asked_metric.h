// What is known of a metric that the ring was asked for: its figures in a sample depend on its type.
//
// Standard metrics are known (cells/standard.h). Of any other only its name is: it is taken for a counter, as metrics
// are unless said otherwise.
#pragma once

#include "base/resource.h"
#include "cells/standard.h"
#include "ring/live/service_metrics.h"
#include "ring/protocol/record.h"

namespace kymo::ring {

struct AskedMetric {
    MetricAddress address;  // number: kEvery where all at its level are meant
    cells::MetricType type = cells::MetricType::kCounter;
    bool is_standard = false;
    const char* unit = "";
    const char* description = "";
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
    return asked;
}

// Sums add up; of maxima the largest counts.
inline std::uint64_t figure(const AskedMetric& asked, const Record& record) {
    return asked.type == cells::MetricType::kMaximum ? record.greatest : record.sum_low;
}

}  // namespace kymo::ring
