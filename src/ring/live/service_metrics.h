// The metrics of the ring's own channels. They are channels like any other: rows of channels in their members'
// segments, with the standard cells, at all levels of the hierarchy. What programs send one another is counted apart:
// a metric of channels is of the programs' alone, and these, by their own names, of the service channels alone.
#pragma once

#include "cells/standard.h"

#include <string_view>

namespace kymo::ring {

// Behind the standard cells: of a channel to the first of a span, ns that requests took to come home, and how many
// did.
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
    bool is_readers = false;  // of who reads alone: added up over all members, each counts once
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

// Null: it is none.
constexpr const ServiceMetric* service_metric(std::string_view name) {
    for (const ServiceMetric& each : kServiceMetrics) {
        if (each.name == name) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace kymo::ring
