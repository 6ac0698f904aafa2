// The manager's orders: which agents still need one, and what agents have answered.
//
// Each agent gets the order twice per heartbeat until it answers, and every four heartbeats after that, because an
// agent may have been restarted, and programs come and go.
#pragma once

#include "ring/members/member.h"
#include "ring/protocol/order.h"

#include <algorithm>
#include <map>
#include <vector>

namespace kymo::ring {

class Orders {
  public:
    Orders(const JobSettings& job, std::uint64_t epoch) : job_(job), epoch_(epoch) {}

    // Adds to the earlier orders, or replaces them. Switches beyond kMaxSwitches are left out.
    void begin(std::vector<Switch> switches, Time now) {
        for (const Switch& each : switches) {
            const auto known = std::find_if(order_.switches.begin(), order_.switches.end(), [&each](const Switch& k) {
                return k.kind == each.kind && k.metric == each.metric;
            });
            if (known != order_.switches.end()) {
                *known = each;
            } else if (order_.switches.size() < kMaxSwitches) {
                order_.switches.push_back(each);
            }
        }
        ++order_.head.number;
        answered_.clear();
        next_ = again_ = now;
    }

    void send(std::uint32_t slots, Time now, Outbox& out) {
        if (now < next_) {
            return;
        }
        const bool all = now >= again_;
        for (Slot slot = 0; slot < slots; ++slot) {
            if (all || !answered_.contains(slot)) {
                order_.head.slot = slot;
                out.push_back({slot, make_order(FrameKind::kOrder, slots, job_.job, epoch_, order_)});
            }
        }
        again_ = all ? now + 4 * job_.heartbeat : again_;
        next_ = now + job_.heartbeat / 2;
    }

    // `slots`: the number of slots.
    Refusal take(const Order& answer, std::uint32_t slots) {
        if (answer.head.slot >= slots) {
            return Refusal::kMisrouted;
        }
        if (answer.head.number != order_.head.number) {
            return Refusal::kStale;
        }
        const bool fits =
            answer.switches.size() == order_.switches.size() &&
            std::equal(answer.switches.begin(), answer.switches.end(), order_.switches.begin(),
                       [](const Switch& a, const Switch& b) {
                           return a.kind == b.kind && a.metric == b.metric && a.on == b.on && a.period == b.period;
                       });
        if (!fits) {
            return Refusal::kMalformed;
        }
        answered_[answer.head.slot] = answer.switches;
        return Refusal::kNone;
    }

    [[nodiscard]] Time next() const { return next_; }
    [[nodiscard]] const std::vector<Switch>& switches() const { return order_.switches; }
    [[nodiscard]] std::size_t answered() const { return answered_.size(); }

    // The ordered switches, with the programs of all hosts that have answered.
    [[nodiscard]] std::vector<Switch> state() const {
        std::vector<Switch> all = order_.switches;
        for (const auto& [slot, answer] : answered_) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                all[i].programs += answer[i].programs;
                all[i].obeyed += answer[i].obeyed;
            }
        }
        return all;
    }

  private:
    JobSettings job_;
    std::uint64_t epoch_;
    Order order_;
    std::map<Slot, std::vector<Switch>> answered_;
    Time next_ = kNever;
    Time again_ = kNever;
};

}  // namespace kymo::ring
