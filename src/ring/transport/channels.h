// One member's end of the service channels: receives frames from any member that has the job's key, and sends
// frames to members.
//
// The interface is all that the ring uses of its transport. The implementation speaks ZeroMQ's protocol with CURVE
// encryption (curve_link.h). It is in a separate library that is loaded on demand (library.h), so that no other
// command of Kymo pays for it; it is never loaded into a measured program.
//
// A channel is one-way, holds a few frames, and loses what an absent member does not take: the protocol expects no
// more. The first frame to a member opens its channel; the channel is closed after it was idle for a while. One
// thread.
#pragma once

#include "ring/members/member.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::ring {

// Of a job: a member that has both may take part. Z85 text; empty: nothing is encrypted (on the loopback only).
struct Keys {
    std::string public_key;
    std::string secret_key;
};

// A member that has not identified itself.
inline constexpr Slot kUnknownPeer = 0xFFFFFFFE;

struct ChannelSettings {
    std::string address;  // to listen at: an IPv4 address, with :PORT unless any port will do
    Keys keys;
    Slot own = kUnknownPeer;    // this member; sent to those that it connects to
    Time idle = 2'000'000'000;  // ns without a frame after which a channel is closed
};

struct ChannelCounts {
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t dropped = 0;          // the receiver did not take them
    std::uint64_t unauthenticated = 0;  // connections refused because they lack the job's keys
    // Processor time, ns, spent on unauthenticated connections; not part of this member's work.
    std::uint64_t unauthenticated_work = 0;
};

// One service channel as seen by this member: what it has sent to `peer`, or received from it.
struct ChannelState {
    Slot peer = kUnknownPeer;
    bool sends = false;
    std::uint32_t open = 0;    // connections open now
    std::uint64_t opened = 0;  // opened in total
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;
    std::uint64_t blocked = 0;           // ns in which frames waited for the kernel or the connection; sends only
    std::uint64_t outstanding = 0;       // frames that wait now
    std::uint64_t most_outstanding = 0;  // maximum of outstanding
    std::uint64_t calls = 0;             // into the kernel
    std::uint64_t dropped = 0;
};

class Channels {
  public:
    Channels() = default;
    Channels(const Channels&) = delete;
    Channels& operator=(const Channels&) = delete;
    virtual ~Channels() = default;

    // Address at which others reach this member: tcp://ADDRESS:PORT.
    [[nodiscard]] virtual std::string endpoint() const = 0;
    // Sets the address of `peer` from now on.
    virtual void connect(Slot peer, const std::string& endpoint) = 0;
    // False: the address of that member is not known. A frame that cannot be sent at once waits a little.
    virtual bool send(Slot to, const Bytes& frame) = 0;
    // Sends all of them; those to one member with one call into the kernel.
    virtual void send_all(const Outbox& out) {
        for (const Outgoing& each : out) {
            send(each.to, each.frame);
        }
    }
    // Waits until `until` (CLOCK_MONOTONIC, ns) for a frame, an answer, or a signal. False: no frame.
    virtual bool receive(Bytes& frame, Time until) = 0;
    // Answers of members that were asked whether they are there, in any order. False: none left.
    bool take_answer(Answer& answer) {
        if (answers_.empty()) {
            return false;
        }
        answer = answers_.back();
        answers_.pop_back();
        return true;
    }
    // A frame that arrived together with a received one; never calls the kernel. False: none left.
    virtual bool take(Bytes& /*frame*/) { return false; }
    [[nodiscard]] virtual ChannelCounts counts() const = 0;
    // One for each direction and peer; empty if the transport does not count.
    [[nodiscard]] virtual std::vector<ChannelState> states() const { return {}; }

  protected:
    std::vector<Answer> answers_;
};

}  // namespace kymo::ring
