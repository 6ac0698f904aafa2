// The manager's question what metrics of programs' own are: which, of whom, and what was told.
//
// Agents are asked one after the other until one knows a metric; those first of which a figure has come. Whoever is
// of a version that knows no such queries is not asked. What one agent has told is not asked again. One thread, no
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

    // Instead of what was asked before; at most kMaxDescribed at a time are asked for.
    void ask(std::vector<MetricAsked> metrics, Time now);
    // A figure of a metric has come from an agent.
    void has(Slot slot, const MetricAsked& metric);

    void send(std::uint32_t slots, Time now, Outbox& out);
    [[nodiscard]] Time next() const { return next_; }

    // A frame of kind kDescriptions.
    Refusal take(std::span<const std::uint8_t> frame, std::uint32_t slots);
    // A heartbeat of that minor version has come.
    void heard(Slot slot, std::uint8_t minor) { minors_[slot] = minor; }

    // What is known so far, in the order in which it was told.
    [[nodiscard]] const std::vector<MetricTold>& told() const { return told_; }
    // Whether all who have figures of the metric, or all that there are, are of a version that describes none.
    [[nodiscard]] bool is_open() const { return !open_.empty(); }
    [[nodiscard]] bool is_beyond(const MetricAsked& metric) const;

  private:
    [[nodiscard]] bool is_earlier(Slot slot) const;
    [[nodiscard]] Slot next_slot(std::uint32_t slots);

    JobSettings job_;
    std::uint64_t epoch_;
    std::vector<MetricAsked> open_;  // not told yet
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
