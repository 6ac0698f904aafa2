// One connection of a service channel as bytes: ZMTP 3.0 with the CURVE mechanism (ZeroMQ RFCs 23 and 26), so that
// libzmq is a valid peer. No I/O of its own.
//
// The member that sends connects and is CURVE's client (a PUSH socket); the one that receives is its server
// (PULL). All members of a job have one key pair: the client must prove that it has the secret key before any of
// its data is accepted, and the server before anything is sent to it. Each direction has keys of this connection
// alone, and each message the number after the last one's: no message can be forged, changed, left out or
// replayed. Bounded: a frame has at most 1 KiB until both sides are authenticated, then at most the ring's limit.
// Messages in parts and whatever else the ring does not send are refused. One thread. Cost: some 2 µs per KiB and
// message.
#pragma once

#include "ring/protocol/frame.h"
#include "ring/transport/z85.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kymo::ring {

struct KeyPair {
    Key public_key{};
    Key secret_key{};
};

class CurveLink {
  public:
    static constexpr std::size_t kMaxIdentity = 16;
    enum class Side : std::uint8_t { kReceives, kSends };

    // Null keys: no encryption and no authentication. The keys outlive this object. `identity` is sent to the
    // other side, at most kMaxIdentity characters.
    CurveLink(Side side, const KeyPair* keys, std::string identity = {});
    CurveLink(const CurveLink&) = delete;
    CurveLink& operator=(const CurveLink&) = delete;
    ~CurveLink();

    // The first bytes to send.
    void begin(Bytes& out) const;

    // Takes received bytes: appends answers to `out` and whole messages to `messages`. False: the other side must
    // not be talked to any more; this object is then useless.
    bool take(std::span<const std::uint8_t> bytes, Bytes& out, std::vector<Bytes>& messages);

    // Both sides are authenticated.
    [[nodiscard]] bool is_ready() const { return state_ == State::kReady; }

    // The other side's identity, once both are authenticated; empty: it sent none.
    [[nodiscard]] const std::string& peer_identity() const { return peer_identity_; }

    // Adds a message to `out`. Precondition: is_ready(), and this side sends.
    void seal(std::span<const std::uint8_t> message, Bytes& out) { seal_text(0, message, out); }

    // Adds ZMTP's PING (RFC 37), which take() answers at the other side. Precondition as for seal().
    void seal_ping(Bytes& out);
    // An answer has come since the last call.
    bool take_answered() { return std::exchange(is_answered_, false); }

  private:
    enum class State : std::uint8_t { kGreeting, kHello, kWelcome, kInitiate, kMetadata, kReady };
    enum class Took : std::uint8_t { kMore, kOne, kRefused };

    struct Frame {
        bool is_command = false;
        std::span<const std::uint8_t> body;
        std::size_t bytes = 0;  // with its head; 0: not complete yet
    };

    bool find_frame(std::span<const std::uint8_t> bytes, Frame& frame) const;
    Took take_one(std::span<const std::uint8_t> bytes, std::size_t& taken, Bytes& out, std::vector<Bytes>& messages);
    bool take_greeting(std::span<const std::uint8_t> greeting, Bytes& out);
    bool take_hello(std::span<const std::uint8_t> body, Bytes& out);
    bool take_welcome(std::span<const std::uint8_t> body, Bytes& out);
    bool take_initiate(std::span<const std::uint8_t> body, Bytes& out);
    bool take_ready(std::span<const std::uint8_t> body);
    bool take_message(const Frame& frame, Bytes& out, std::vector<Bytes>& messages);
    void take_command(std::span<const std::uint8_t> body, Bytes& out);
    void seal_text(std::uint8_t flags, std::span<const std::uint8_t> text, Bytes& out);
    [[nodiscard]] Bytes metadata() const;
    void read_metadata(std::span<const std::uint8_t> bytes);
    [[nodiscard]] const char* message_prefix(bool own) const;

    Side side_;
    const KeyPair* keys_;
    std::string identity_;
    std::string peer_identity_;
    State state_ = State::kGreeting;
    KeyPair own_;  // of this connection alone
    Key peer_{};   // the other side's
    Key shared_{};
    std::array<std::uint8_t, 96> cookie_{};
    std::uint64_t own_number_ = 1;
    std::uint64_t peer_number_ = 0;
    bool is_answered_ = false;
    Bytes begun_;  // the received part of an incomplete frame
};

}  // namespace kymo::ring
