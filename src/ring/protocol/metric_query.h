// Metric queries and descriptions: what a program-defined metric is, of which the asking side has only the name
// (docs/ring-protocol.md, "Metric queries and descriptions").
//
// Bounded: at most kMaxDescribed metrics per frame. A query may arrive twice.
#pragma once

#include "base/metric_total.h"
#include "ring/protocol/frame.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace kymo::ring {

inline constexpr std::size_t kMaxDescribed = 64;
inline constexpr std::uint8_t kDescriptionsSince = 3;  // minor version

// Of both frames.
struct MetricQueryHead {
    Slot slot;  // of a query: its addressee; of descriptions: their sender
    std::uint16_t metrics;
    std::uint16_t reserved;
    std::uint64_t incarnation;  // of the answering agent; in queries 0
    std::uint64_t number;       // from 1, within an epoch
};
static_assert(sizeof(MetricQueryHead) == 24);

struct MetricAsked {
    std::uint8_t kind;  // Resource
    std::uint8_t reserved[3];
    std::uint32_t metric;  // as in an entry
    bool operator==(const MetricAsked&) const = default;
};
static_assert(sizeof(MetricAsked) == 8);

struct MetricTold {
    std::uint8_t kind;
    std::uint8_t type;  // cells::MetricType; 0: no program of this host has such a metric, and the rest is 0
    MetricTotal total;
    std::uint8_t per;  // ResourceLevel to show beside the total
    std::uint32_t metric;
    std::uint64_t reserved;
    std::array<char, 16> unit;  // these are padded with zeros
    std::array<char, 48> name;
    std::array<char, 48> description;
    [[nodiscard]] bool is_known() const { return type != 0; }
    bool operator==(const MetricTold&) const = default;
};
static_assert(sizeof(MetricTold) == 128);

struct MetricQuery {
    MetricQueryHead head{};
    std::vector<MetricAsked> metrics;
};

struct Descriptions {
    MetricQueryHead head{};
    std::vector<MetricTold> metrics;
};

// A padded text without the zeros.
template <std::size_t kBytes>
std::string_view text_of(const std::array<char, kBytes>& padded) {
    const std::string_view all(padded.data(), kBytes);
    return all.substr(0, all.find('\0'));
}

Refusal open_metric_query(std::span<const std::uint8_t> frame, Prefix& prefix, MetricQuery& query);
Refusal open_descriptions(std::span<const std::uint8_t> frame, Prefix& prefix, Descriptions& descriptions);
// Precondition: 1 to kMaxDescribed metrics.
Bytes make_metric_query(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const MetricQuery& query);
Bytes make_descriptions(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch,
                        const Descriptions& descriptions);

}  // namespace kymo::ring
