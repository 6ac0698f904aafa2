#include "ring/protocol/metric_query.h"

#include <cassert>
#include <cstring>

namespace kymo::ring {
namespace {

constexpr std::uint8_t kLastType = 3;
constexpr std::uint8_t kLastLevel = 3;

bool is_kind(std::uint8_t kind) {
    return kind >= 1 && kind <= 3;
}

bool is_possible(const MetricAsked& asked) {
    return is_kind(asked.kind);
}

bool is_possible(const MetricTold& told) {
    return is_kind(told.kind) && told.type <= kLastType && static_cast<std::uint8_t>(told.total) <= 4 &&
           told.per <= kLastLevel;
}

template <typename Item>
Refusal open(std::span<const std::uint8_t> frame, FrameKind kind, Prefix& prefix, MetricQueryHead& head,
             std::vector<Item>& items) {
    if (const Refusal refusal = open_prefix(frame, prefix); refusal != Refusal::kNone) {
        return refusal;
    }
    if (prefix.kind != kind) {
        return Refusal::kMalformed;
    }
    const std::span<const std::uint8_t> rest = frame.subspan(sizeof prefix);
    if (rest.size() < sizeof head) {
        return Refusal::kTruncated;
    }
    std::memcpy(&head, rest.data(), sizeof head);
    if (head.slot >= kMaxSlots || head.metrics == 0 || head.metrics > kMaxDescribed || head.number == 0) {
        return Refusal::kMalformed;
    }
    const std::size_t wanted = sizeof head + head.metrics * sizeof(Item);
    if (rest.size() != wanted) {
        return rest.size() < wanted ? Refusal::kTruncated : Refusal::kOversized;
    }
    items.resize(head.metrics);
    std::memcpy(items.data(), rest.data() + sizeof head, head.metrics * sizeof(Item));
    for (const Item& item : items) {
        if (!is_possible(item)) {
            return Refusal::kMalformed;
        }
    }
    return Refusal::kNone;
}

template <typename Item>
Bytes make(FrameKind kind, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, MetricQueryHead head,
           const std::vector<Item>& items) {
    assert(!items.empty() && items.size() <= kMaxDescribed);
    head.metrics = static_cast<std::uint16_t>(items.size());
    Bytes frame(sizeof(Prefix) + sizeof head + items.size() * sizeof(Item));
    const Prefix prefix = make_prefix(kind, frame.size(), slots, job, epoch);
    std::memcpy(frame.data(), &prefix, sizeof prefix);
    std::memcpy(frame.data() + sizeof prefix, &head, sizeof head);
    std::memcpy(frame.data() + sizeof prefix + sizeof head, items.data(), items.size() * sizeof(Item));
    return frame;
}

}  // namespace

Refusal open_metric_query(std::span<const std::uint8_t> frame, Prefix& prefix, MetricQuery& query) {
    return open(frame, FrameKind::kMetricQuery, prefix, query.head, query.metrics);
}

Refusal open_descriptions(std::span<const std::uint8_t> frame, Prefix& prefix, Descriptions& descriptions) {
    return open(frame, FrameKind::kDescriptions, prefix, descriptions.head, descriptions.metrics);
}

Bytes make_metric_query(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const MetricQuery& query) {
    return make(FrameKind::kMetricQuery, slots, job, epoch, query.head, query.metrics);
}

Bytes make_descriptions(std::uint32_t slots, std::uint64_t job, std::uint64_t epoch,
                        const Descriptions& descriptions) {
    return make(FrameKind::kDescriptions, slots, job, epoch, descriptions.head, descriptions.metrics);
}

}  // namespace kymo::ring
