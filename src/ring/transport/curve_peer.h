// One outgoing channel: the address of its member, the connection to it, and the frames that wait for that
// connection. For curve_channels.cpp alone; one thread.
#pragma once

#include "ring/transport/channels.h"
#include "ring/transport/curve_connection.h"

#include <deque>
#include <netinet/in.h>
#include <string>

namespace kymo::ring {

class CurvePeer {
  public:
    // False: no address yet.
    [[nodiscard]] bool is_known() const { return !endpoint_.empty(); }
    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
    [[nodiscard]] const sockaddr_in& address() const { return address_; }
    // Sets a new address: frames that waited for the previous one are dropped.
    void lead_to(Slot slot, const std::string& endpoint, const sockaddr_in& address);

    [[nodiscard]] CurveConnection* connection() const { return connection_; }
    // A connection attempt that begins now; null: it failed at once.
    void begin_try(Time now);
    void set_connection(CurveConnection* connection);
    void became_ready();
    void lost_connection(Time now);
    // When to try again without a connection.
    [[nodiscard]] Time retry() const { return retry_; }
    // Whether it needs a connection: frames wait for it, or were sent on it within the idle time.
    [[nodiscard]] bool is_wanted(Time now) const { return !pending_.empty() || now < wanted_until_; }
    [[nodiscard]] Time wanted_until() const { return wanted_until_; }
    void use(bool asks, Time until) {
        is_asked_ |= asks;
        wanted_until_ = until;
    }
    // Whether the member has ever asked if this one is there.
    [[nodiscard]] bool is_asked() const { return is_asked_; }
    [[nodiscard]] bool is_idle() const {
        return pending_.empty() && (connection_ == nullptr || connection_->unsent() == 0);
    }

    [[nodiscard]] bool has_room() const { return connection_ != nullptr && connection_->has_room(); }
    [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
    // Sent by the connection's next flush. Precondition: has_room().
    void give(const Bytes& frame, bool asks, ChannelCounts& counts);
    // Waits for the connection; if there are too many, the oldest is dropped.
    void wait(const Bytes& frame, bool asks, Time now, ChannelCounts& counts);
    // Sends the waiting frames as far as there is room, and drops those that have waited for too long. False: none
    // was sent.
    bool give_pending(Time now, ChannelCounts& counts);
    // When the oldest of them will have waited for too long.
    [[nodiscard]] Time too_old() const { return pending_.front().since + kPendingFor + 1; }

    void flush();
    // Reads the clock only when frames begin to wait, and when none waits any more.
    void note_waiting();
    // The present state of the channel.
    [[nodiscard]] ChannelState state(Time now) const;

  private:
    static constexpr std::size_t kPending = 16;         // frames that wait while the channel connects
    static constexpr Time kPendingFor = 1'000'000'000;  // ns
    static constexpr Time kFirstRetry = 50'000'000;
    static constexpr Time kLastRetry = 500'000'000;

    struct Pending {
        Bytes frame;
        bool asks;
        Time since;
    };
    void drop_first(ChannelCounts& counts);

    std::string endpoint_;
    sockaddr_in address_{};
    CurveConnection* connection_ = nullptr;
    Time retry_ = 0;
    Time pause_ = kFirstRetry;
    Time wanted_until_ = 0;
    bool is_asked_ = false;
    std::deque<Pending> pending_;
    ChannelState state_;
    Time blocked_since_ = 0;  // frames wait; 0: none does
};

// A message of `bytes` bytes was sent or received.
inline void note_message(ChannelState& state, std::size_t bytes) {
    ++state.messages;
    state.bytes += bytes;
    state.largest = std::max<std::uint64_t>(state.largest, bytes);
}

}  // namespace kymo::ring
