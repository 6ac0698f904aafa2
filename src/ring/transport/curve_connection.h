// One connection of a service channel: a socket, the link over it (curve_link.h), and what the kernel has not taken
// of that yet. Never blocks. For curve_channels.cpp alone; one thread.
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

    // Says what is to be said first.
    void begin();

    [[nodiscard]] int number() const { return socket_.number(); }
    [[nodiscard]] bool sends() const { return sends_; }
    [[nodiscard]] Slot peer() const { return peer_; }  // that it sends to
    [[nodiscard]] bool is_ready() const { return link_.is_ready(); }
    [[nodiscard]] const std::string& peer_identity() const { return link_.peer_identity(); }

    // False: frames had better wait.
    [[nodiscard]] bool has_room() const { return is_ready() && out_.size() - sent_ < kUnsent; }
    // Frames of which the kernel has not taken all: at most so many.
    [[nodiscard]] std::size_t unsent() const { return out_.empty() ? 0 : frames_out_; }

    // Goes by the next flush(). Precondition: is_ready(), and it sends.
    void put(const Bytes& frame);
    // Whether the other side is there: receive() sees the answer. Goes by the next flush(), too.
    void ask();
    [[nodiscard]] bool take_answered() { return link_.take_answered(); }
    // What cannot go waits until the kernel says that it can. Errors show when it is read.
    void flush();
    // Takes what has come, by one call into the kernel: whole messages go to the end of `messages`. False: the other
    // side is gone, or is not to be talked to any more. The call is the caller's to count: by what has come it may
    // become known whose it was.
    bool receive(std::span<std::uint8_t> room, std::vector<Bytes>& messages);

    void count_call() const {
        if (state != nullptr) {
            ++state->calls;
        }
    }

    ChannelState* state = nullptr;  // of its channel, once it is known which that is
    Time give_up = kNever;          // where it is not ready
    Time spent = 0;                 // processor time of its handshake, ns; of those that are let in
    bool is_refused = false;        // nobody listens there

  private:
    static constexpr std::size_t kUnsent = std::size_t{1} << 18U;  // bytes

    Descriptor socket_;
    CurveLink link_;
    bool sends_;
    Slot peer_;
    Poller* poller_;
    Bytes out_;  // from sent_ on not taken by the kernel yet
    std::size_t sent_ = 0;
    std::size_t frames_out_ = 0;  // that are in it, or were when it was last empty
    std::uint32_t events_ = EPOLLIN;
};

}  // namespace kymo::ring
