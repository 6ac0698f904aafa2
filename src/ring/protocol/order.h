// Orders and their answers: which metrics of descriptions the programs of all hosts are to count, and how often their
// figures are to be read (docs/ring-protocol.md, "Orders and answers").
//
// An order names metrics and says what is to be so from now on; what it does not name stays as it is. So it may come
// twice. Bounded: at most kMaxSwitches of them.
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
    std::uint64_t period;    // ns: figures are read anew when they are as old; 0: each time
    std::uint32_t programs;  // in answers: those on this host that have such a metric of a description
    std::uint32_t obeyed;    // of them, those that do so
    bool operator==(const Switch&) const = default;
};
static_assert(sizeof(Switch) == 24);

struct OrderHead {
    Slot slot;  // of an order whom it is for, of an answer whose it is
    std::uint16_t switches;
    std::uint16_t reserved;
    std::uint64_t incarnation;  // of the agent that answers; in orders 0
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
