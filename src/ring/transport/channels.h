// One member's end of the service channels: frames come in from anybody who has the job's key, and go out to members.
//
// The interface is all that the ring knows of its transport. The one there is speaks ZeroMQ's protocol with CURVE
// encryption (curve_link.h). It lies in a library of its own that is loaded when it is needed (library.h), so that no
// other verb of Kymo pays for it; it is never loaded into a measured program. A channel is one-way, holds a few
// frames, and loses what a member that is gone does not take: the protocol expects no more. It is opened by the first
// frame that goes to a member and closed when none has gone for a while. One thread.
#pragma once

#include "ring/members/member.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kymo::ring {

// Of a job: who has both may take part. Z85 text; empty: nothing is encrypted (on the loopback only).
struct Keys {
    std::string public_key;
    std::string secret_key;
};

// A member that has not said who it is.
inline constexpr Slot kUnknownPeer = 0xFFFFFFFE;

struct ChannelSettings {
    std::string address;  // to listen at: an IPv4 address, and :PORT where it may not be any
    Keys keys;
    Slot own = kUnknownPeer;    // who this is: told to those that it sends to
    Time idle = 2'000'000'000;  // ns without a frame after which a channel is closed
};

struct ChannelCounts {
    std::uint64_t sent = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t dropped = 0;          // the receiver did not take them
    std::uint64_t unauthenticated = 0;  // connections refused: without the job's keys
    // Processor time, ns, for connections that have not proved who they are: not work of this member's.
    std::uint64_t unauthenticated_work = 0;
};

// One service channel, as far as it is this member's: what it has sent to `peer`, or received from it.
struct ChannelState {
    Slot peer = kUnknownPeer;
    bool sends = false;
    std::uint32_t open = 0;    // connections that it has now
    std::uint64_t opened = 0;  // and has had
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;
    std::uint64_t blocked = 0;           // ns in which frames waited for the kernel or the connection; sends only
    std::uint64_t outstanding = 0;       // frames that wait now
    std::uint64_t most_outstanding = 0;  // at a time
    std::uint64_t calls = 0;             // into the kernel
    std::uint64_t dropped = 0;
};

class Channels {
  public:
    Channels() = default;
    Channels(const Channels&) = delete;
    Channels& operator=(const Channels&) = delete;
    virtual ~Channels() = default;

    // Where others reach this member: tcp://ADDRESS:PORT.
    [[nodiscard]] virtual std::string endpoint() const = 0;
    // Where `peer` is to be reached from now on.
    virtual void connect(Slot peer, const std::string& endpoint) = 0;
    // False: it is not known where that member is. A frame that cannot go at once waits a little.
    virtual bool send(Slot to, const Bytes& frame) = 0;
    // All of them, those to one member by one call into the kernel.
    virtual void send_all(const Outbox& out) {
        for (const Outgoing& each : out) {
            send(each.to, each.frame);
        }
    }
    // Waits until `until` (CLOCK_MONOTONIC, ns) for a frame, an answer, or a signal. False: there is no frame.
    virtual bool receive(Bytes& frame, Time until) = 0;
    // From those who were asked whether they are there, in any order. False: there is none (any more).
    bool take_answer(Answer& answer) {
        if (answers_.empty()) {
            return false;
        }
        answer = answers_.back();
        answers_.pop_back();
        return true;
    }
    // One that came together with one that was received; never asks the kernel. False: there is none.
    virtual bool take(Bytes& /*frame*/) { return false; }
    [[nodiscard]] virtual ChannelCounts counts() const = 0;
    // Each for itself, by direction and peer; a transport that does not know has none.
    [[nodiscard]] virtual std::vector<ChannelState> states() const { return {}; }

  protected:
    std::vector<Answer> answers_;
};

}  // namespace kymo::ring
