// The gate of a member: its listener, and connections that have not proved who they are. So many at a time, all
// together for a hundredth of a processor; while they have used up what they may, it is shut. Those that come to be
// proved use up nothing, so that many members may come at once. For curve_channels.cpp alone; one thread.
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
    // Of those inside it.
    [[nodiscard]] Poller& poller() { return poller_; }
    [[nodiscard]] int number() const { return poller_.descriptor().number(); }

    [[nodiscard]] bool is_full() const { return inside_ >= kMost; }
    [[nodiscard]] bool is_empty() const { return inside_ == 0; }
    void came() { ++inside_; }
    void left() { --inside_; }

    // They have used so much of the processor.
    void spend(Time spent, Time now) {
        allowance_.spend(spent);
        allowance_.save(now);
        if (!allowance_.is_left()) {
            outer_.change(poller_.descriptor(), 0);
            opens_ = allowance_.again();
        }
    }
    // One of them is proved: what it has used is not held against the rest.
    void give_back(Time spent) { allowance_.give_back(spent); }
    // When it opens again; kNever: it is open.
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
