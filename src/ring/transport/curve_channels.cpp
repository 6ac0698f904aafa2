#include "ring/transport/curve_channels.h"

#include "base/time.h"
#include "ring/transport/curve_link.h"
#include "ring/transport/sockets.h"

#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <poll.h>
#include <sodium.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unordered_map>
#include <vector>

namespace kymo::ring {
namespace {

constexpr std::size_t kPending = 16;           // frames that wait for a channel that is being made
constexpr Time kPendingFor = 1'000'000'000;    // ns
constexpr Time kHandshakeFor = 2'000'000'000;  // and a connection for its being made
constexpr Time kFirstRetry = 50'000'000;
constexpr Time kLastRetry = 1'000'000'000;
constexpr std::size_t kStrangers = 256;                 // connections that have not proved who they are, at a time
constexpr std::size_t kUnsent = std::size_t{1} << 18U;  // bytes in a connection, beyond which frames wait
constexpr std::size_t kReadAtOnce = std::size_t{1} << 16U;
constexpr int kEventsAtOnce = 64;

Time now() {
    return monotonic_now().ns;
}

struct Connection {
    Connection(Descriptor socket, CurveLink::Side side, const KeyPair* keys, Slot peer)
        : socket(std::move(socket)), link(side, keys), sends(side == CurveLink::Side::kSends), peer(peer) {}

    Descriptor socket;
    CurveLink link;
    bool sends;
    Slot peer;  // that it sends to
    Bytes out;  // from `sent` on not taken by the kernel yet
    std::size_t sent = 0;
    Time give_up = kNever;  // where it is not ready
    std::uint32_t events = 0;
};

struct Pending {
    Bytes frame;
    Time since;
};

struct Peer {
    std::string endpoint;
    sockaddr_in address{};
    Connection* connection = nullptr;
    Time retry = 0;
    Time pause = kFirstRetry;
    std::deque<Pending> pending;
};

class CurveChannels : public Channels {
  public:
    CurveChannels(const KeyPair& keys, bool plain, Descriptor listener)
        : keys_(keys), plain_(plain), listener_(std::move(listener)), poll_(epoll_create1(EPOLL_CLOEXEC)) {
        epoll_event event{EPOLLIN, {.fd = listener_.number()}};
        epoll_ctl(poll_.number(), EPOLL_CTL_ADD, listener_.number(), &event);
        read_.resize(kReadAtOnce);
    }
    ~CurveChannels() override { sodium_memzero(&keys_, sizeof keys_); }

    [[nodiscard]] bool is_good() const { return static_cast<bool>(poll_); }

    [[nodiscard]] std::string endpoint() const override { return "tcp://" + to_text(own_address(listener_)); }

    void connect(Slot slot, const std::string& endpoint) override {
        Peer& peer = peers_[slot];
        if (peer.endpoint == endpoint) {
            return;
        }
        constexpr std::string_view kScheme = "tcp://";
        const auto address = endpoint.starts_with(kScheme)
                                 ? parse_socket_address(std::string_view(endpoint).substr(kScheme.size()))
                                 : std::nullopt;
        if (!address) {
            return;
        }
        if (peer.connection != nullptr) {
            forget(peer.connection->socket.number());
        }
        peer = Peer{endpoint, *address, nullptr, 0, kFirstRetry, {}};
        open(slot, peer, now());
    }

    bool send(Slot to, const Bytes& frame) override {
        const auto found = peers_.find(to);
        if (found == peers_.end() || found->second.endpoint.empty()) {
            ++counts_.dropped;
            return false;
        }
        Peer& peer = found->second;
        if (peer.pending.empty() && has_room(peer)) {
            give(peer, frame);
            return true;
        }
        const Time time = now();
        peer.pending.push_back({frame, time});
        if (peer.pending.size() > kPending) {
            peer.pending.pop_front();
            ++counts_.dropped;
        }
        next_care_ = std::min(next_care_, time + kPendingFor);
        return true;
    }

    bool receive(Bytes& frame, Time until) override {
        for (bool first = true;; first = false) {
            if (next_message_ < messages_.size()) {
                frame = std::move(messages_[next_message_++]);
                ++counts_.received;
                counts_.received_bytes += frame.size();
                return true;
            }
            messages_.clear();
            next_message_ = 0;
            const Time time = now();
            if (time >= next_care_) {
                take_care(time);
            }
            if (!first && time >= until) {
                return false;
            }
            if (!wait(std::min(until, next_care_), time)) {
                return false;  // a signal
            }
        }
    }

    [[nodiscard]] ChannelCounts counts() const override { return counts_; }

  private:
    static bool has_room(const Peer& peer) {
        const Connection* const connection = peer.connection;
        return connection != nullptr && connection->link.is_ready() &&
               connection->out.size() - connection->sent < kUnsent;
    }

    void give(Peer& peer, const Bytes& frame) {
        peer.connection->link.seal(frame, peer.connection->out);
        ++counts_.sent;
        counts_.sent_bytes += frame.size();
        flush(*peer.connection);
    }

    void open(Slot slot, Peer& peer, Time time) {
        Descriptor socket = connect_to(peer.address);
        peer.retry = time + peer.pause;
        peer.pause = std::min(2 * peer.pause, kLastRetry);
        next_care_ = std::min(next_care_, peer.retry);
        if (!socket) {
            return;
        }
        peer.connection = add(std::move(socket), CurveLink::Side::kSends, slot, time);
        peer.connection->link.begin(peer.connection->out);
        flush(*peer.connection);
    }

    Connection* add(Descriptor socket, CurveLink::Side side, Slot peer, Time time) {
        const int number = socket.number();
        auto made = std::make_unique<Connection>(std::move(socket), side, plain_ ? nullptr : &keys_, peer);
        made->give_up = time + kHandshakeFor;
        next_care_ = std::min(next_care_, made->give_up);
        Connection* const connection = made.get();
        connections_[number] = std::move(made);
        connection->events = EPOLLIN;
        epoll_event event{connection->events, {.fd = number}};
        epoll_ctl(poll_.number(), EPOLL_CTL_ADD, number, &event);
        return connection;
    }

    // What cannot go waits until the kernel says that it can. Errors show when it is read.
    void flush(Connection& connection) {
        while (connection.sent < connection.out.size()) {
            const ssize_t sent = ::send(connection.socket.number(), connection.out.data() + connection.sent,
                                        connection.out.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent <= 0) {
                break;
            }
            connection.sent += static_cast<std::size_t>(sent);
        }
        if (connection.sent == connection.out.size()) {
            connection.out.clear();
            connection.sent = 0;
        } else if (connection.sent > kUnsent) {
            connection.out.erase(connection.out.begin(),
                                 connection.out.begin() + static_cast<std::ptrdiff_t>(connection.sent));
            connection.sent = 0;
        }
        const std::uint32_t events = EPOLLIN | (connection.out.empty() ? 0U : EPOLLOUT);
        if (events != connection.events) {
            connection.events = events;
            epoll_event event{events, {.fd = connection.socket.number()}};
            epoll_ctl(poll_.number(), EPOLL_CTL_MOD, connection.socket.number(), &event);
        }
    }

    // False: a signal.
    bool wait(Time until, Time time) {
        const Time left = until > time ? until - time : 0;
        const timespec rest{static_cast<time_t>(left / 1'000'000'000U), static_cast<long>(left % 1'000'000'000U)};
        epoll_event events[kEventsAtOnce];
        const int count = wait_for_events(events, until == kNever ? nullptr : &rest);
        for (int i = 0; i < count; ++i) {
            const int number = events[i].data.fd;
            if (number == listener_.number()) {
                let_in();
            } else if (const auto found = connections_.find(number); found != connections_.end()) {
                serve(*found->second, events[i].events);
            }
        }
        return count >= 0;
    }

    // epoll counts in milliseconds where the kernel is older than 5.11; cells are latched to microseconds.
    int wait_for_events(epoll_event* events, const timespec* rest) {
        if (!has_no_pwait2_) {
            const int count = epoll_pwait2(poll_.number(), events, kEventsAtOnce, rest, nullptr);
            if (count >= 0 || (errno != ENOSYS && errno != EPERM)) {
                return count;
            }
            has_no_pwait2_ = true;
        }
        pollfd item{poll_.number(), POLLIN, 0};
        const int ready = ppoll(&item, 1, rest, nullptr);
        return ready <= 0 ? ready : epoll_wait(poll_.number(), events, kEventsAtOnce, 0);
    }

    void let_in() {
        const Time time = now();
        while (Descriptor socket = accept_one(listener_)) {
            if (unproved_ >= kStrangers) {
                ++counts_.strangers;
                continue;  // it is closed
            }
            ++unproved_;
            Connection* const connection = add(std::move(socket), CurveLink::Side::kReceives, kManager, time);
            connection->link.begin(connection->out);
            flush(*connection);
        }
    }

    void serve(Connection& connection, std::uint32_t events) {
        const int number = connection.socket.number();
        if ((events & EPOLLOUT) != 0) {
            flush(connection);
        }
        if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
            const ssize_t got = recv(number, read_.data(), read_.size(), MSG_DONTWAIT);
            if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
                return;
            }
            const bool was_ready = connection.link.is_ready();
            if (got <= 0 ||
                !connection.link.take({read_.data(), static_cast<std::size_t>(got)}, connection.out, messages_)) {
                return forget(number);
            }
            if (!was_ready) {
                flush(connection);
                if (connection.link.is_ready()) {
                    became_ready(connection);
                }
            }
        }
        if (connection.sends && connection.link.is_ready()) {
            send_pending(peers_[connection.peer], now());
        }
    }

    void became_ready(Connection& connection) {
        connection.give_up = kNever;
        if (connection.sends) {
            peers_[connection.peer].pause = kFirstRetry;
        } else {
            --unproved_;
        }
    }

    void send_pending(Peer& peer, Time time) {
        while (!peer.pending.empty()) {
            if (time > peer.pending.front().since + kPendingFor) {
                ++counts_.dropped;
            } else if (has_room(peer)) {
                give(peer, peer.pending.front().frame);
            } else {
                break;
            }
            peer.pending.pop_front();
        }
    }

    // The channel is made anew after a while; who knocked and was not let in is counted.
    void forget(int number) {
        const auto found = connections_.find(number);
        const Connection& connection = *found->second;
        if (connection.sends) {
            Peer& peer = peers_[connection.peer];
            peer.connection = nullptr;
            peer.retry = std::max(peer.retry, now() + kFirstRetry);
            next_care_ = std::min(next_care_, peer.retry);
        } else if (!connection.link.is_ready()) {
            --unproved_;
            ++counts_.strangers;
        }
        connections_.erase(found);
    }

    // What time does: connections that are not ready in time are given up, channels are made again, frames that wait
    // for one grow too old.
    void take_care(Time time) {
        next_care_ = kNever;
        std::vector<int> late;
        for (const auto& [number, connection] : connections_) {
            if (time >= connection->give_up) {
                late.push_back(number);
            } else {
                next_care_ = std::min(next_care_, connection->give_up);
            }
        }
        for (const int number : late) {
            forget(number);
        }
        for (auto& [slot, peer] : peers_) {
            send_pending(peer, time);
            if (!peer.pending.empty()) {
                next_care_ = std::min(next_care_, peer.pending.front().since + kPendingFor + 1);
            }
            if (peer.connection == nullptr && !peer.endpoint.empty()) {
                if (time >= peer.retry) {
                    open(slot, peer, time);
                }
                next_care_ = std::min(next_care_, peer.retry);
            }
        }
    }

    KeyPair keys_;
    bool plain_;
    Descriptor listener_;
    Descriptor poll_;
    bool has_no_pwait2_ = false;
    std::unordered_map<int, std::unique_ptr<Connection>> connections_;  // by descriptor
    std::map<Slot, Peer> peers_;
    std::size_t unproved_ = 0;
    Time next_care_ = kNever;
    Bytes read_;
    std::vector<Bytes> messages_;  // that came and were not asked for yet, from next_message_ on
    std::size_t next_message_ = 0;
    ChannelCounts counts_;
};

}  // namespace

Channels* open_curve_channels(const ChannelSettings& settings, std::string& why) {
    const bool plain = settings.keys.public_key.empty();
    const auto address = parse_socket_address(settings.address);
    const auto public_key = parse_z85(settings.keys.public_key);
    const auto secret_key = parse_z85(settings.keys.secret_key);
    if (!address || (!plain && (!public_key || !secret_key))) {
        why = address ? "the job's keys are none" : "it is not an IPv4 address";
        return nullptr;
    }
    Descriptor listener = listen_at(*address);
    if (!listener) {
        why = std::strerror(errno);
        return nullptr;
    }
    const KeyPair keys = plain ? KeyPair() : KeyPair{*public_key, *secret_key};
    auto channels = std::make_unique<CurveChannels>(keys, plain, std::move(listener));
    if (!channels->is_good()) {
        why = std::strerror(errno);
        return nullptr;
    }
    return channels.release();
}

}  // namespace kymo::ring
