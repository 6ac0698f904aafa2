#include "ring/protocol/order.h"

#include "ring/protocol/token.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace kymo::ring {
namespace {

bool is_possible(const Switch& each, FrameKind kind) {
    const Entry entry{each.kind, 0, 0, each.metric, 0};
    const bool is_answer = kind == FrameKind::kAnswer;
    return Token::is_valid(entry) && each.on <= 1 && each.period <= kLongestReading && each.obeyed <= each.programs &&
           (is_answer || each.programs == 0);
}

}  // namespace

Refusal open_order(std::span<const std::uint8_t> frame, Prefix& prefix, Order& order) {
    if (const Refusal refusal = open_prefix(frame, prefix); refusal != Refusal::kNone) {
        return refusal;
    }
    if (prefix.kind != FrameKind::kOrder && prefix.kind != FrameKind::kAnswer) {
        return Refusal::kMalformed;
    }
    if (frame.size() < sizeof prefix + sizeof order.head) {
        return Refusal::kTruncated;
    }
    std::memcpy(&order.head, frame.data() + sizeof prefix, sizeof order.head);
    if (order.head.switches > kMaxSwitches || order.head.slot >= kMaxSlots || order.head.number == 0) {
        return Refusal::kMalformed;
    }
    const std::size_t due = sizeof prefix + sizeof order.head + order.head.switches * sizeof(Switch);
    if (frame.size() != due) {
        return frame.size() < due ? Refusal::kTruncated : Refusal::kOversized;
    }
    order.switches.resize(order.head.switches);
    if (!order.switches.empty()) {
        std::memcpy(order.switches.data(), frame.data() + sizeof prefix + sizeof order.head,
                    order.switches.size() * sizeof(Switch));
    }
    const bool possible = std::all_of(order.switches.begin(), order.switches.end(),
                                      [&prefix](const Switch& each) { return is_possible(each, prefix.kind); });
    return possible ? Refusal::kNone : Refusal::kMalformed;
}

Bytes make_order(FrameKind kind, std::uint32_t slots, std::uint64_t job, std::uint64_t epoch, const Order& order) {
    assert(order.switches.size() <= kMaxSwitches);
    OrderHead head = order.head;
    head.switches = static_cast<std::uint16_t>(order.switches.size());
    const std::size_t bytes = sizeof(Prefix) + sizeof head + order.switches.size() * sizeof(Switch);
    const Prefix prefix = make_prefix(kind, bytes, slots, job, epoch);
    Bytes frame(bytes);
    std::memcpy(frame.data(), &prefix, sizeof prefix);
    std::memcpy(frame.data() + sizeof prefix, &head, sizeof head);
    if (!order.switches.empty()) {
        std::memcpy(frame.data() + sizeof prefix + sizeof head, order.switches.data(),
                    order.switches.size() * sizeof(Switch));
    }
    return frame;
}

}  // namespace kymo::ring
