// Orders and their answers: which metrics of descriptions the programs of all hosts count, and how often their
// figures are read (docs/ring-protocol.md, "Orders and answers").
//
// An order names metrics and sets their state from now on; metrics that it does not name keep theirs. An order may
// therefore arrive twice. Bounded: at most kMaxSwitches of them.
#pragma once

#include "ring/protocol/frame.h"

#include <span>
#include <vector>

namespace kymo::ring {

inline constexpr std::size_t kMaxSwitches = 64;
inline constexpr std::uint64_t kLongestReading = 86'400'000'000'000;  // ns: a day

struct Switch {
    std::uint8_t kind;  // Resource
    std::uint8_t on;    // 0 or 1
    std::uint16_t reserved;
    std::uint32_t metric;    // as in an entry of a request
    std::uint64_t period;    // ns: age at which figures are read again; 0: read each time
    std::uint32_t programs;  // in answers: programs of this host that have such a metric of a description
    std::uint32_t obeyed;    // of them, those that have applied it
    bool operator==(const Switch&) const = default;
};
static_assert(sizeof(Switch) == 24);

struct OrderHead {
    Slot slot;  // of an order: its addressee; of an answer: its sender
    std::uint16_t switches;
    std::uint16_t reserved;
    std::uint64_t incarnation;  // of the answering agent; in orders 0
    std::uint64_t number;       // from 1, within an epoch
};
static_assert(sizeof(OrderHead) == 24);

struct Order {
    OrderHead head{};
    std::vector<Switch> switches;
};

// An order or an answer.
Refusal open_order(std::span<const std::uint8_t> frame, Prefix& prefix, Order& order);
// Precondition: at most kMaxSwitches.
Bytes make_order(FrameKind kind, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const Order& order);

}  // namespace kymo::ring
