// The manager's queries for descriptions of the metrics that programs define.
//
// Queries one agent after the other until one has the metric, starting with agents that have sent a figure of it.
// Skips agents of versions without such queries. A metric that is described is not asked for again. One thread, no
// I/O.
#pragma once

#include "ring/members/member.h"
#include "ring/protocol/metric_query.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace kymo::ring {

class MetricQueries {
  public:
    MetricQueries(const JobSettings& job, std::uint64_t epoch) : job_(job), epoch_(epoch) {}

    // Replaces the previous list; at most kMaxDescribed at a time are asked for.
    void ask(std::vector<MetricAsked> metrics, Time now);
    // A figure of a metric has come from an agent.
    void has(Slot slot, const MetricAsked& metric);

    void send(std::uint32_t slots, Time now, Outbox& out);
    [[nodiscard]] Time next() const { return next_; }

    // A frame of kind kDescriptions.
    Refusal take(std::span<const std::uint8_t> frame, std::uint32_t slots);
    // A heartbeat of that minor version has come.
    void heard(Slot slot, std::uint8_t minor) { minors_[slot] = minor; }

    // The descriptions received so far, in order of arrival.
    [[nodiscard]] const std::vector<MetricTold>& told() const { return told_; }
    // Whether a metric has no description yet.
    [[nodiscard]] bool is_open() const { return !open_.empty(); }
    // Whether all agents that have figures of the metric, or all agents, run a version that describes none.
    [[nodiscard]] bool is_beyond(const MetricAsked& metric) const;

  private:
    [[nodiscard]] bool is_earlier(Slot slot) const;
    [[nodiscard]] Slot next_slot(std::uint32_t slots);

    JobSettings job_;
    std::uint64_t epoch_;
    std::vector<MetricAsked> open_;  // not described yet
    std::vector<MetricTold> told_;
    std::map<std::uint64_t, std::set<Slot>> having_;  // of open ones, by kind and metric
    std::map<Slot, std::uint8_t> minors_;
    std::uint64_t number_ = 0;
    Slot asked_ = kManager;
    Slot cursor_ = 0;
    std::uint32_t slots_ = 0;
    Time next_ = kNever;
};

}  // namespace kymo::ring
