#include "ring/transport/curve_channels.h"

#include "base/line_words.h"
#include "base/time.h"
#include "net/sockets.h"
#include "ring/transport/curve_connection.h"
#include "ring/transport/curve_gate.h"
#include "ring/transport/curve_peer.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <sodium.h>
#include <unordered_map>
#include <vector>

namespace kymo::ring {
namespace {

constexpr Time kHandshakeFor = 2'000'000'000;  // ns, to establish a connection
constexpr Time kGiveUpEvery = 250'000'000;
// Of unauthenticated connections (curve_gate.h): each buffers the bytes of one handshake (curve_link.h).
constexpr std::size_t kUnauthenticatedBytes = 2048;  // read at once
constexpr int kLetInAtOnce = 8;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 16U;
constexpr int kEventsAtOnce = 64;

Time now() {
    return monotonic_now().ns;
}

// The identity of a member as ZMTP sends it.
std::string to_identity(Slot slot) {
    return slot == kManager ? "manager" : slot == kUnknownPeer ? "" : std::to_string(slot);
}

Slot parse_identity(std::string_view text) {
    Slot slot = kUnknownPeer;
    return text == "manager" ? kManager : parse_decimal(text, slot, kMaxSlots - 1) ? slot : kUnknownPeer;
}

class CurveChannels : public Channels {
  public:
    CurveChannels(const KeyPair& keys, bool plain, Slot own, Time idle, Descriptor listener)
        : keys_(keys), plain_(plain), own_(own), idle_(idle), gate_(std::move(listener), poller_) {
        read_.resize(kReadAtOnce);
    }
    ~CurveChannels() override { sodium_memzero(&keys_, sizeof keys_); }

    [[nodiscard]] bool is_good() const { return poller_.is_good() && gate_.is_good(); }

    [[nodiscard]] std::string endpoint() const override {
        return "tcp://" + net::to_text(net::own_address(gate_.listener()));
    }

    void connect(Slot slot, const std::string& endpoint) override {
        CurvePeer& peer = peers_[slot];
        if (peer.endpoint() == endpoint) {
            return;
        }
        constexpr std::string_view kScheme = "tcp://";
        const auto address = endpoint.starts_with(kScheme)
                                 ? net::parse_socket_address(std::string_view(endpoint).substr(kScheme.size()))
                                 : std::nullopt;
        if (!address) {
            return;
        }
        if (peer.connection() != nullptr) {
            forget(peer.connection()->number());
        }
        peer.lead_to(slot, endpoint, *address);
        if (const Time time = now(); peer.is_wanted(time)) {
            open(slot, peer, time);
        }
    }

    bool send(Slot to, const Bytes& frame) override {
        const bool is_known = put(to, frame, false, now());
        flush_given();
        return is_known;
    }

    void send_all(const Outbox& out) override {
        const Time time = out.empty() ? 0 : now();
        for (const Outgoing& each : out) {
            put(each.to, each.frame, each.asks, time);
        }
        flush_given();
    }

    bool take(Bytes& frame) override {
        if (next_message_ >= messages_.size()) {
            return false;
        }
        frame = std::move(messages_[next_message_++]);
        ++counts_.received;
        counts_.received_bytes += frame.size();
        return true;
    }

    bool receive(Bytes& frame, Time until) override {
        for (bool first = true;; first = false) {
            if (take(frame)) {
                return true;
            }
            messages_.clear();
            next_message_ = 0;
            if (!answers_.empty()) {
                return false;
            }
            const Time time = now();
            if (time >= next_care_) {
                take_care(time);
            }
            if (!first && time >= until) {
                return false;
            }
            if (!wait(std::min(until, next_care_), time)) {
                return false;  // interrupted by a signal
            }
        }
    }

    [[nodiscard]] ChannelCounts counts() const override { return counts_; }

    [[nodiscard]] std::vector<ChannelState> states() const override {
        std::vector<ChannelState> all;
        const Time time = now();
        for (const auto& [slot, peer] : peers_) {
            if (peer.is_known()) {
                all.push_back(peer.state(time));
            }
        }
        for (const auto& [slot, state] : received_) {
            all.push_back(state);
        }
        return all;
    }

  private:
    // False: the address of that member is not known. flush_given() sends what can be sent at once.
    bool put(Slot to, const Bytes& frame, bool asks, Time time) {
        const auto found = peers_.find(to);
        if (found == peers_.end() || !found->second.is_known()) {
            ++counts_.dropped;
            return false;
        }
        CurvePeer& peer = found->second;
        peer.use(asks, time + idle_);
        if (!peer.has_pending() && peer.has_room()) {
            peer.give(frame, asks, counts_);
            note_given(peer);
            return true;
        }
        peer.wait(frame, asks, time, counts_);
        next_care_ = std::min(next_care_, peer.too_old());
        if (peer.connection() == nullptr && time >= peer.retry()) {
            open(to, peer, time);
        }
        return true;
    }

    // Reports whether `slot` is there, if the member asked for that.
    void tell(Slot slot, const CurvePeer& peer, bool is_refused) {
        if (peer.is_asked()) {
            answers_.push_back({slot, is_refused});
        }
    }

    void note_given(CurvePeer& peer) {
        if (given_.empty() || given_.back() != &peer) {
            given_.push_back(&peer);
        }
    }

    void flush_given() {
        for (CurvePeer* const peer : given_) {
            peer->flush();
        }
        given_.clear();
    }

    void open(Slot slot, CurvePeer& peer, Time time) {
        Descriptor socket = net::connect_to(peer.address());
        peer.begin_try(time);
        next_care_ = std::min(next_care_, peer.retry());
        if (!socket) {
            if (errno == ECONNREFUSED) {
                tell(slot, peer, true);
            }
            return;
        }
        peer.set_connection(add(std::move(socket), CurveLink::Side::kSends, slot, time));
        peer.connection()->begin();
    }

    CurveConnection* add(Descriptor socket, CurveLink::Side side, Slot peer, Time time) {
        auto made =
            std::make_unique<CurveConnection>(std::move(socket), side, plain_ ? nullptr : &keys_, to_identity(own_),
                                              peer, side == CurveLink::Side::kSends ? poller_ : gate_.poller());
        made->give_up = time + kHandshakeFor;
        if (side == CurveLink::Side::kReceives) {
            made->give_up += kGiveUpEvery - made->give_up % kGiveUpEvery;  // many at once
        }
        next_care_ = std::min(next_care_, made->give_up);
        CurveConnection* const connection = made.get();
        connections_[connection->number()] = std::move(made);
        return connection;
    }

    // False: a signal.
    bool wait(Time until, Time time) {
        const Time left = until > time ? until - time : 0;
        const timespec rest{static_cast<time_t>(left / 1'000'000'000U), static_cast<long>(left % 1'000'000'000U)};
        epoll_event events[kEventsAtOnce];
        const int count = poller_.wait(events, until == kNever ? nullptr : &rest);
        for (int i = 0; i < count; ++i) {
            const int number = events[i].data.fd;
            if (number == gate_.number()) {
                serve_unauthenticated();
            } else if (const auto found = connections_.find(number); found != connections_.end()) {
                serve(*found->second, events[i].events);
            }
        }
        return count >= 0;
    }

    // These are behind a gate of their own, which is shut while their allowance is used up.
    void serve_unauthenticated() {
        const Time before = read_clock(CLOCK_THREAD_CPUTIME_ID).ns;
        epoll_event events[kLetInAtOnce];
        const timespec at_once{};
        const int count = gate_.poller().wait(events, &at_once);
        Time last = before;
        Time proved = 0;
        for (int i = 0; i < count; ++i) {
            const int number = events[i].data.fd;
            if (number == gate_.listener().number()) {
                let_in();
            } else if (const auto found = connections_.find(number); found != connections_.end()) {
                serve(*found->second, events[i].events);
            }
            const Time time = read_clock(CLOCK_THREAD_CPUTIME_ID).ns;
            if (const auto still = connections_.find(number); still != connections_.end()) {
                still->second->spent += time - last;
                proved += still->second->is_ready() ? still->second->spent : 0;
            }
            last = time;
        }
        counts_.unauthenticated_work += last - before;
        gate_.give_back(proved);
        gate_.spend(last - before, now());
        next_care_ = std::min(next_care_, gate_.opens());
    }

    void let_in() {
        const Time time = now();
        for (int i = 0; i < kLetInAtOnce; ++i) {
            Descriptor socket = net::accept_one(gate_.listener());
            if (!socket) {
                return;
            }
            if (gate_.is_full()) {
                forget(longest_unproved());
            }
            gate_.came();
            add(std::move(socket), CurveLink::Side::kReceives, kManager, time)->begin();
        }
    }

    // An honest client needs only two round trips, so the connection that has had the most time is closed.
    [[nodiscard]] int longest_unproved() const {
        const CurveConnection* longest = nullptr;
        for (const auto& [number, connection] : connections_) {
            if (!connection->sends() && !connection->is_ready() &&
                (longest == nullptr || connection->give_up < longest->give_up)) {
                longest = connection.get();
            }
        }
        return longest->number();
    }

    void serve(CurveConnection& connection, std::uint32_t events) {
        if ((events & EPOLLOUT) != 0) {
            connection.flush();
            if (connection.sends()) {
                peers_[connection.peer()].note_waiting();
            }
        }
        if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
            const bool was_ready = connection.is_ready();
            const std::size_t had = messages_.size();
            const std::span<std::uint8_t> room(read_);
            if (!connection.receive(was_ready || connection.sends() ? room : room.first(kUnauthenticatedBytes),
                                    messages_)) {
                return forget(connection.number());
            }
            if (!was_ready && connection.is_ready()) {
                if (connection.sends() && is_another(connection)) {
                    connection.is_refused = true;
                    return forget(connection.number());
                }
                became_ready(connection);
            }
            connection.count_call();
            if (connection.sends() && connection.take_answered()) {
                tell(connection.peer(), peers_[connection.peer()], false);
            }
            for (std::size_t i = had; i < messages_.size(); ++i) {
                note_message(*connection.state, messages_[i].size());
            }
        }
        if (connection.sends() && connection.is_ready()) {
            send_pending(peers_[connection.peer()], now());
        }
    }

    // Another member listens at the port that `connection.peer()` had.
    static bool is_another(const CurveConnection& connection) {
        const Slot slot = parse_identity(connection.peer_identity());
        return slot != kUnknownPeer && slot != connection.peer();
    }

    void became_ready(CurveConnection& connection) {
        connection.give_up = kNever;
        if (connection.sends()) {
            peers_[connection.peer()].became_ready();
        } else {
            gate_.left();
            connection.move_to(poller_);
            const Slot from = parse_identity(connection.peer_identity());
            connection.state = &received_[from];
            connection.state->peer = from;
            ++connection.state->open;
            ++connection.state->opened;
        }
    }

    void send_pending(CurvePeer& peer, Time time) {
        if (peer.give_pending(time, counts_)) {
            note_given(peer);
        }
        flush_given();
        peer.note_waiting();
    }

    // The channel is connected again after a while; refused connections are counted.
    void forget(int number) {
        const auto found = connections_.find(number);
        const CurveConnection& connection = *found->second;
        if (connection.sends()) {
            CurvePeer& peer = peers_[connection.peer()];
            peer.lost_connection(now());
            next_care_ = std::min(next_care_, peer.retry());
            if (connection.is_refused) {
                tell(connection.peer(), peer, true);
            }
        } else if (!connection.is_ready()) {
            gate_.left();
            ++counts_.unauthenticated;
        } else if (connection.state != nullptr) {
            --connection.state->open;
        }
        connections_.erase(found);
    }

    void give_up_late(Time time) {
        const bool has_unauthenticated = !gate_.is_empty();
        const Time before = has_unauthenticated ? read_clock(CLOCK_THREAD_CPUTIME_ID).ns : 0;
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
        if (has_unauthenticated) {
            counts_.unauthenticated_work += read_clock(CLOCK_THREAD_CPUTIME_ID).ns - before;
        }
    }

    // Timed work: gives up connections that are not ready in time, reconnects or closes channels, drops waiting
    // frames that are too old.
    void take_care(Time time) {
        gate_.open_if_due(time);
        next_care_ = gate_.opens();
        give_up_late(time);
        for (auto& [slot, peer] : peers_) {
            send_pending(peer, time);
            if (peer.has_pending()) {
                next_care_ = std::min(next_care_, peer.too_old());
            }
            if (!peer.is_wanted(time)) {
                if (peer.connection() != nullptr && peer.is_idle()) {
                    forget(peer.connection()->number());
                } else if (peer.connection() != nullptr) {
                    next_care_ = std::min(next_care_, time + kGiveUpEvery);
                }
                continue;
            }
            if (peer.connection() == nullptr) {
                if (time >= peer.retry()) {
                    open(slot, peer, time);
                }
                next_care_ = std::min(next_care_, peer.retry());
            }
            next_care_ = std::min(next_care_, std::max(peer.wanted_until(), time + 1));
        }
    }

    KeyPair keys_;
    bool plain_;
    Slot own_;
    Time idle_;
    Poller poller_;
    CurveGate gate_;
    std::unordered_map<int, std::unique_ptr<CurveConnection>> connections_;  // by descriptor
    std::map<Slot, CurvePeer> peers_;
    std::vector<CurvePeer*> given_;          // peers with frames that are still to be flushed; they have a connection
    std::map<Slot, ChannelState> received_;  // by sender
    Time next_care_ = kNever;
    Bytes read_;
    std::vector<Bytes> messages_;  // received and not fetched yet, from next_message_ on
    std::size_t next_message_ = 0;
    ChannelCounts counts_;
};

}  // namespace

Channels* open_curve_channels(const ChannelSettings& settings, std::string& why) {
    const bool plain = settings.keys.public_key.empty();
    const auto address = net::parse_socket_address(settings.address);
    const auto public_key = parse_z85(settings.keys.public_key);
    const auto secret_key = parse_z85(settings.keys.secret_key);
    if (!address || (!plain && (!public_key || !secret_key))) {
        why = address ? "the job's keys are none" : "it is not an IPv4 address";
        return nullptr;
    }
    Descriptor listener = net::listen_at(*address);
    if (!listener) {
        why = std::strerror(errno);
        return nullptr;
    }
    const KeyPair keys = plain ? KeyPair() : KeyPair{*public_key, *secret_key};
    auto channels = std::make_unique<CurveChannels>(keys, plain, settings.own, settings.idle, std::move(listener));
    if (!channels->is_good()) {
        why = std::strerror(errno);
        return nullptr;
    }
    return channels.release();
}

}  // namespace kymo::ring
