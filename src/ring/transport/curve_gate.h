// The gate of a member: its listener and the unauthenticated connections.
// Their number is bounded, and together they get a hundredth of a processor; while that is used up, the gate is
// shut. Connections that are later authenticated do not use up the allowance, so that many members may connect at
// once. For curve_channels.cpp alone; one thread.
#pragma once

#include "ring/transport/allowance.h"
#include "ring/transport/poller.h"

#include <cstddef>
#include <utility>

namespace kymo::ring {

class CurveGate {
  public:
    // Watched by `outer`, which outlives it.
    CurveGate(Descriptor listener, Poller& outer) : listener_(std::move(listener)), outer_(outer) {
        poller_.add(listener_, EPOLLIN);
        outer_.add(poller_.descriptor(), EPOLLIN);
    }

    [[nodiscard]] bool is_good() const { return poller_.is_good(); }
    [[nodiscard]] const Descriptor& listener() const { return listener_; }
    // Polls the connections inside the gate.
    [[nodiscard]] Poller& poller() { return poller_; }
    [[nodiscard]] int number() const { return poller_.descriptor().number(); }

    [[nodiscard]] bool is_full() const { return inside_ >= kMost; }
    [[nodiscard]] bool is_empty() const { return inside_ == 0; }
    void came() { ++inside_; }
    void left() { --inside_; }

    // The connections inside have used that much processor time.
    void spend(Time spent, Time now) {
        allowance_.spend(spent);
        allowance_.save(now);
        if (!allowance_.is_left()) {
            outer_.change(poller_.descriptor(), 0);
            opens_ = allowance_.again();
        }
    }
    // One of them is authenticated: its time is not charged to the rest.
    void give_back(Time spent) { allowance_.give_back(spent); }
    // When the gate opens again; kNever: it is open.
    [[nodiscard]] Time opens() const { return opens_; }
    void open_if_due(Time now) {
        if (now >= opens_) {
            allowance_.save(now);
            opens_ = kNever;
            outer_.change(poller_.descriptor(), EPOLLIN);
        }
    }

  private:
    static constexpr std::size_t kMost = 256;
    static constexpr Time kParts = 100;
    static constexpr Time kAtOnce = 100'000'000;  // ns: some three hundred handshakes

    Descriptor listener_;
    Poller poller_;
    Poller& outer_;
    Allowance allowance_{kParts, kAtOnce};
    Time opens_ = kNever;
    std::size_t inside_ = 0;
};

}  // namespace kymo::ring
