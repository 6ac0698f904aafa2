#include "zmq/zmq_channels.h"

#include <array>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <poll.h>
#include <vector>
#include <zmq.hpp>

namespace kymo::ring {
namespace {

constexpr std::size_t kPending = 16;         // frames that wait for a channel that is being made
constexpr Time kPendingFor = 1'000'000'000;  // ns
constexpr Time kRetryAfter = 2'000'000;

Time now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<Time>(time.tv_sec) * 1'000'000'000U + static_cast<Time>(time.tv_nsec);
}

// zmq_poll counts in milliseconds, cells are latched to microseconds; and it asks the kernel twice for each wait. So
// the sockets' own descriptors are waited for: one is readable when something may have changed, until what there is
// was taken to its end; and not before somebody has tried to take the first.
class Wait {
  public:
    void add(zmq::socket_t& socket) { items_.push_back({socket.get(zmq::sockopt::fd), POLLIN, 0}); }
    // False: a signal.
    bool until(Time at, Time now) {
        const Time left = at > now ? at - now : 0;
        const timespec time{static_cast<time_t>(left / 1'000'000'000U), static_cast<long>(left % 1'000'000'000U)};
        return ppoll(items_.data(), items_.size(), at == kNever ? nullptr : &time, nullptr) >= 0;
    }
    [[nodiscard]] bool has_changed(std::size_t place) const { return items_[place].revents != 0; }

  private:
    std::vector<pollfd> items_;
};

class ZmqChannels : public Channels {
  public:
    explicit ZmqChannels(const ChannelSettings& settings)
        : keys_(settings.keys),
          gate_(context_, zmq::socket_type::rep),
          in_(context_, zmq::socket_type::pull),
          door_(context_, zmq::socket_type::pair) {
        gate_.set(zmq::sockopt::linger, 0);
        gate_.bind("inproc://zeromq.zap.01");
        in_.set(zmq::sockopt::linger, 0);
        in_.set(zmq::sockopt::rcvhwm, 1000);
        in_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(kMaxFrameBytes));
        in_.set(zmq::sockopt::handshake_ivl, 2000);
        if (is_encrypted()) {
            in_.set(zmq::sockopt::curve_server, true);
            in_.set(zmq::sockopt::curve_secretkey, keys_.secret_key);
            in_.set(zmq::sockopt::zap_domain, "kymo");
            zmq_z85_decode(own_key_.data(), keys_.public_key.c_str());
        }
        constexpr int kRefusedAtTheDoor = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                          ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
        if (zmq_socket_monitor(in_.handle(), kDoor, kRefusedAtTheDoor) != 0) {
            throw zmq::error_t();
        }
        door_.set(zmq::sockopt::linger, 0);
        door_.connect(kDoor);
        const bool has_port = settings.address.find(':') != std::string::npos;
        in_.bind("tcp://" + settings.address + (has_port ? "" : ":*"));
        endpoint_ = in_.get(zmq::sockopt::last_endpoint);
        for (zmq::socket_t* const socket : {&in_, &gate_, &door_}) {  // as the places say
            wait_.add(*socket);
        }
        while (answer_gate()) {
        }
        watch_door();
    }

    [[nodiscard]] std::string endpoint() const override { return endpoint_; }

    void connect(Slot peer, const std::string& endpoint) override {
        std::unique_ptr<Peer>& known = peers_[peer];
        if (known && known->endpoint == endpoint) {
            return;
        }
        known = std::make_unique<Peer>(Peer{endpoint, zmq::socket_t(context_, zmq::socket_type::push), {}});
        zmq::socket_t& out = known->out;
        out.set(zmq::sockopt::linger, 0);
        out.set(zmq::sockopt::sndhwm, 64);
        out.set(zmq::sockopt::immediate, true);
        out.set(zmq::sockopt::heartbeat_ivl, 500);
        out.set(zmq::sockopt::heartbeat_timeout, 10'000);
        out.set(zmq::sockopt::reconnect_ivl, 50);
        out.set(zmq::sockopt::reconnect_ivl_max, 1000);
        out.set(zmq::sockopt::handshake_ivl, 2000);
        if (is_encrypted()) {
            out.set(zmq::sockopt::curve_serverkey, keys_.public_key);
            out.set(zmq::sockopt::curve_publickey, keys_.public_key);
            out.set(zmq::sockopt::curve_secretkey, keys_.secret_key);
        }
        out.connect(endpoint);
    }

    bool send(Slot to, const Bytes& frame) override {
        const auto peer = peers_.find(to);
        if (peer == peers_.end()) {
            ++counts_.dropped;
            return false;
        }
        std::deque<Pending>& pending = peer->second->pending;
        if (!pending.empty() || !try_send(*peer->second, frame)) {
            pending.push_back({frame, now()});
            if (pending.size() > kPending) {
                pending.pop_front();
                ++counts_.dropped;
            }
            has_pending_ = true;
        }
        return true;
    }

    // libzmq's own heartbeats close the connection to a member that is silent. So one that takes frames is there.
    void send_all(const Outbox& out) override {
        for (const Outgoing& each : out) {
            const auto peer = peers_.find(each.to);
            if (send(each.to, each.frame) && each.asks && peer->second->pending.empty()) {
                answers_.push_back({each.to, false});
            }
        }
    }

    bool receive(Bytes& frame, Time until) override {
        for (bool first = true;; first = false) {
            if (has_pending_) {
                send_pending();
            }
            if (take(frame)) {
                return true;
            }
            if (!answers_.empty()) {
                return false;
            }
            if (!first && now() >= until) {
                return false;
            }
            const Time begin = now();
            if (!wait_.until(has_pending_ ? std::min(until, begin + kRetryAfter) : until, begin)) {
                return false;  // a signal
            }
            while (wait_.has_changed(kGate) && answer_gate()) {
            }
            if (wait_.has_changed(kDoorPlace)) {
                watch_door();
            }
        }
    }

    [[nodiscard]] ChannelCounts counts() const override { return counts_; }

  private:
    struct Pending {
        Bytes frame;
        Time since;
    };
    struct Peer {
        std::string endpoint;
        zmq::socket_t out;
        std::deque<Pending> pending;
    };

    [[nodiscard]] bool is_encrypted() const { return !keys_.public_key.empty(); }

    bool try_send(Peer& peer, const Bytes& frame) {
        if (!peer.out.send(zmq::buffer(frame), zmq::send_flags::dontwait)) {
            return false;
        }
        ++counts_.sent;
        counts_.sent_bytes += frame.size();
        return true;
    }

    void send_pending() {
        has_pending_ = false;
        for (auto& [slot, peer] : peers_) {
            std::deque<Pending>& pending = peer->pending;
            while (!pending.empty()) {
                if (now() > pending.front().since + kPendingFor) {
                    ++counts_.dropped;
                } else if (!try_send(*peer, pending.front().frame)) {
                    break;
                }
                pending.pop_front();
            }
            has_pending_ |= !pending.empty();
        }
    }

    bool take(Bytes& frame) {
        zmq::message_t message;
        if (!in_.recv(message, zmq::recv_flags::dontwait)) {
            return false;
        }
        const auto* bytes = message.data<std::uint8_t>();
        frame.assign(bytes, bytes + message.size());
        // A frame is one message; of one in parts the rest is refused by its length.
        while (message.more() && in_.recv(message, zmq::recv_flags::dontwait)) {
            frame.push_back(0);
        }
        ++counts_.received;
        counts_.received_bytes += frame.size();
        return true;
    }

    // RFC 27/ZAP: version, request id, domain, address, identity, mechanism, credentials.
    // False: nobody asks.
    bool answer_gate() {
        std::vector<std::string> parts;
        zmq::message_t message;
        do {
            if (!gate_.recv(message, zmq::recv_flags::dontwait)) {
                return false;
            }
            parts.push_back(message.to_string());
        } while (message.more());
        const bool known = parts.size() == 7 && parts[5] == "CURVE" && parts[6].size() == own_key_.size() &&
                           std::memcmp(parts[6].data(), own_key_.data(), own_key_.size()) == 0;
        const std::array<std::string, 6> reply{
            "1.0", parts.size() > 1 ? parts[1] : "", known ? "200" : "400", known ? "OK" : "no key of this job", "",
            ""};
        for (std::size_t i = 0; i < reply.size(); ++i) {
            gate_.send(zmq::buffer(reply[i]),
                       i + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
        }
        return true;
    }

    // Each event is two parts: what, and where.
    void watch_door() {
        zmq::message_t message;
        while (door_.recv(message, zmq::recv_flags::dontwait)) {
            counts_.unauthenticated += message.more() ? 1 : 0;
        }
    }

    static constexpr const char* kDoor = "inproc://door";
    enum Place : std::size_t { kIn, kGate, kDoorPlace };

    Keys keys_;
    std::array<std::uint8_t, 32> own_key_{};
    zmq::context_t context_;
    zmq::socket_t gate_;
    zmq::socket_t in_;
    zmq::socket_t door_;
    Wait wait_;
    std::string endpoint_;
    std::map<Slot, std::unique_ptr<Peer>> peers_;
    bool has_pending_ = false;
    ChannelCounts counts_;
};

}  // namespace

std::unique_ptr<Channels> open_zmq_channels(const ChannelSettings& settings) {
    return std::make_unique<ZmqChannels>(settings);
}

}  // namespace kymo::ring
