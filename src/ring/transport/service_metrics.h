// The metrics of the ring's own channels.
// These are rows of channels in their members' segments, with the standard cells, at all levels of the hierarchy,
// like those of any other channel. Messages of programs are counted separately: a standard channel metric covers
// programs only, and the metrics named here cover service channels only.
#pragma once

#include "cells/standard.h"

#include <string_view>

namespace kymo::ring {

// Follows the standard cells. For a channel to the first slot of a span: total round-trip time of requests (ns),
// and their number.
inline constexpr std::uint32_t kRoundTripCell = cells::kFirstIndexed;
inline constexpr std::uint32_t kTripsCell = cells::kFirstIndexed + 1;
// 1 while the channel is open.
inline constexpr std::uint32_t kOpenCell = cells::kFirstIndexed + 2;

constexpr bool is_service(cells::ChannelDirection direction) {
    return direction == cells::ChannelDirection::kServiceSend ||
           direction == cells::ChannelDirection::kServiceReceive;
}

struct ServiceMetric {
    std::string_view name;
    std::uint32_t cell;
    cells::ChannelDirection direction;
    cells::MetricType type;
    const char* unit;
    const char* description;
    bool is_readers = false;  // from the receiving end only, so that the sum over all members counts each once
};

inline constexpr ServiceMetric kServiceMetrics[] = {
    {"service-sent", cells::index(cells::ChannelCell::kMessages), cells::ChannelDirection::kServiceSend,
     cells::MetricType::kCounter, "", "frames of the ring sent"},
    {"service-received", cells::index(cells::ChannelCell::kMessages), cells::ChannelDirection::kServiceReceive,
     cells::MetricType::kCounter, "", "frames of the ring received"},
    {"service-sent-bytes", cells::index(cells::ChannelCell::kBytes), cells::ChannelDirection::kServiceSend,
     cells::MetricType::kCounter, "bytes", "bytes of frames of the ring sent"},
    {"service-received-bytes", cells::index(cells::ChannelCell::kBytes), cells::ChannelDirection::kServiceReceive,
     cells::MetricType::kCounter, "bytes", "bytes of frames of the ring received"},
    {"service-wait", cells::index(cells::ChannelCell::kBlocked), cells::ChannelDirection::kServiceSend,
     cells::MetricType::kCounter, "ns", "frames of the ring waited to be sent"},
    {"service-outstanding", cells::index(cells::ChannelCell::kOutstanding), cells::ChannelDirection::kServiceSend,
     cells::MetricType::kGauge, "", "frames of the ring that wait to be sent"},
    {"service-open", kOpenCell, cells::ChannelDirection::kServiceSend, cells::MetricType::kGauge, "",
     "channels that an agent has open to send", true},
    {"service-largest", cells::index(cells::ChannelCell::kLargest), cells::ChannelDirection::kServiceSend,
     cells::MetricType::kMaximum, "bytes", "largest frame of the ring sent"},
    {"service-calls", cells::index(cells::ChannelCell::kCalls), cells::ChannelDirection::kServiceSend,
     cells::MetricType::kCounter, "", "calls into the kernel to send frames of the ring"},
    {"service-round-trip", kRoundTripCell, cells::ChannelDirection::kServiceSend, cells::MetricType::kCounter, "ns",
     "requests of a manager on this host took to come home"},
    {"service-trips", kTripsCell, cells::ChannelDirection::kServiceSend, cells::MetricType::kCounter, "",
     "requests of a manager on this host that came home"},
};

// Null: not a service metric.
constexpr const ServiceMetric* service_metric(std::string_view name) {
    for (const ServiceMetric& each : kServiceMetrics) {
        if (each.name == name) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace kymo::ring
