#include "ring/members/metric_queries.h"

#include <algorithm>
#include <utility>

namespace kymo::ring {
namespace {

std::uint64_t key_of(std::uint8_t kind, std::uint32_t metric) {
    return std::uint64_t{kind} << 32U | metric;
}

}  // namespace

void MetricQueries::ask(std::vector<MetricAsked> metrics, Time now) {
    open_ = std::move(metrics);
    told_.clear();
    having_.clear();
    cursor_ = 0;
    next_ = open_.empty() ? kNever : now;
}

void MetricQueries::has(Slot slot, const MetricAsked& metric) {
    if (std::find(open_.begin(), open_.end(), metric) != open_.end()) {
        having_[key_of(metric.kind, metric.metric)].insert(slot);
    }
}

bool MetricQueries::is_earlier(Slot slot) const {
    const auto known = minors_.find(slot);
    return known != minors_.end() && known->second < kDescriptionsSince;
}

bool MetricQueries::is_beyond(const MetricAsked& metric) const {
    bool all = slots_ != 0;
    for (Slot slot = 0; all && slot < slots_; ++slot) {
        all = is_earlier(slot);
    }
    const auto having = having_.find(key_of(metric.kind, metric.metric));
    return all || (having != having_.end() && std::all_of(having->second.begin(), having->second.end(),
                                                          [this](Slot slot) { return is_earlier(slot); }));
}

// A slot that has a figure, or else the next of all.
Slot MetricQueries::next_slot(std::uint32_t slots) {
    for (const auto& [metric, having] : having_) {
        const auto may_tell = std::find_if(having.upper_bound(asked_ == kManager ? 0 : asked_), having.end(),
                                           [&](Slot slot) { return slot < slots && !is_earlier(slot); });
        if (may_tell != having.end()) {
            return *may_tell;
        }
        const auto first =
            std::find_if(having.begin(), having.end(), [&](Slot slot) { return slot < slots && !is_earlier(slot); });
        if (first != having.end()) {
            return *first;
        }
    }
    for (std::uint32_t i = 0; i < slots; ++i) {
        const Slot slot = cursor_++ % slots;
        if (!is_earlier(slot)) {
            return slot;
        }
    }
    return kManager;
}

void MetricQueries::send(std::uint32_t slots, Time now, Outbox& out) {
    slots_ = slots;
    if (now < next_) {
        return;
    }
    if (open_.empty()) {
        next_ = kNever;
        return;
    }
    next_ = now + job_.heartbeat / kHeartbeatsInSilence;
    const Slot slot = slots == 0 ? kManager : next_slot(slots);
    if (slot == kManager) {
        return;
    }
    asked_ = slot;
    // An agent of an earlier version would count a query as malformed; its heartbeat contains its version.
    if (minors_.find(slot) == minors_.end()) {
        out.push_back(
            {slot, make_heartbeat(FrameKind::kProbe, slots, job_.job, epoch_, {kManager, 0, epoch_, now, 0, 0, 0})});
        return;
    }
    MetricQuery query;
    query.head.slot = slot;
    query.head.number = ++number_;
    const auto count = static_cast<std::ptrdiff_t>(std::min(open_.size(), kMaxDescribed));
    query.metrics.assign(open_.begin(), open_.begin() + count);
    std::rotate(open_.begin(), open_.begin() + count, open_.end());  // the others next time
    out.push_back({slot, make_metric_query(slots, job_.job, epoch_, query)});
}

Refusal MetricQueries::take(std::span<const std::uint8_t> frame, std::uint32_t slots) {
    Prefix prefix{};
    Descriptions descriptions;
    if (const Refusal refusal = open_descriptions(frame, prefix, descriptions); refusal != Refusal::kNone) {
        return refusal;
    }
    if (descriptions.head.slot >= slots) {
        return Refusal::kMisrouted;
    }
    if (prefix.epoch != epoch_ || descriptions.head.number > number_) {
        return Refusal::kStale;
    }
    for (const MetricTold& told : descriptions.metrics) {
        const MetricAsked asked{told.kind, {}, told.metric};
        const auto place = std::find(open_.begin(), open_.end(), asked);
        if (told.is_known() && place != open_.end()) {
            open_.erase(place);
            having_.erase(key_of(told.kind, told.metric));
            told_.push_back(told);
        }
    }
    return Refusal::kNone;
}

}  // namespace kymo::ring
