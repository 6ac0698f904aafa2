// One connection of a service channel: a socket, the link over it (curve_link.h), and the bytes that the kernel
// has not taken yet. Never blocks. For curve_channels.cpp alone; one thread.
#pragma once

#include "ring/transport/channels.h"
#include "ring/transport/curve_link.h"
#include "ring/transport/poller.h"

#include <span>
#include <string>
#include <vector>

namespace kymo::ring {

class CurveConnection {
  public:
    // Watched by `poller`, which outlives it. Null keys and the identity as for CurveLink.
    CurveConnection(Descriptor socket, CurveLink::Side side, const KeyPair* keys, std::string identity, Slot peer,
                    Poller& poller);

    // Watched by another poller from now on.
    void move_to(Poller& poller);

    // Sends the first bytes of the protocol.
    void begin();

    [[nodiscard]] int number() const { return socket_.number(); }
    [[nodiscard]] bool sends() const { return sends_; }
    [[nodiscard]] Slot peer() const { return peer_; }  // the member that it sends to
    [[nodiscard]] bool is_ready() const { return link_.is_ready(); }
    [[nodiscard]] const std::string& peer_identity() const { return link_.peer_identity(); }

    // False: frames should wait.
    [[nodiscard]] bool has_room() const { return is_ready() && out_.size() - sent_ < kUnsent; }
    // Upper bound of the number of frames that the kernel has not taken completely.
    [[nodiscard]] std::size_t unsent() const { return out_.empty() ? 0 : frames_out_; }

    // Sent by the next flush(). Precondition: is_ready(), and this side sends.
    void put(const Bytes& frame);
    // Queries whether the other side is alive: receive() sees the answer. Also sent by the next flush().
    void ask();
    [[nodiscard]] bool take_answered() { return link_.take_answered(); }
    // What cannot be sent waits until the kernel has room. Errors appear when the socket is read.
    void flush();
    // Receives with one call into the kernel: appends whole messages to `messages`. False: the other side is gone,
    // or must not be talked to any more. The caller counts the call, because only the received bytes may show
    // whose connection it is.
    bool receive(std::span<std::uint8_t> room, std::vector<Bytes>& messages);

    void count_call() const {
        if (state != nullptr) {
            ++state->calls;
        }
    }

    ChannelState* state = nullptr;  // of its channel, once that is known
    Time give_up = kNever;          // if it is not ready by then
    Time spent = 0;                 // processor time of its handshake, ns; of incoming connections
    bool is_refused = false;        // no process listens there

  private:
    static constexpr std::size_t kUnsent = std::size_t{1} << 18U;  // bytes

    Descriptor socket_;
    CurveLink link_;
    bool sends_;
    Slot peer_;
    Poller* poller_;
    Bytes out_;  // not taken by the kernel yet, from sent_ on
    std::size_t sent_ = 0;
    std::size_t frames_out_ = 0;  // frames in it, or when it was last empty
    std::uint32_t events_ = EPOLLIN;
};

}  // namespace kymo::ring
