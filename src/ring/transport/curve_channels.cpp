#include "ring/transport/curve_channels.h"

#include "base/line_words.h"
#include "base/time.h"
#include "ring/transport/allowance.h"
#include "ring/transport/curve_connection.h"

#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <sodium.h>
#include <unordered_map>
#include <vector>

namespace kymo::ring {
namespace {

constexpr std::size_t kPending = 16;           // frames that wait for a channel that is being made
constexpr Time kPendingFor = 1'000'000'000;    // ns
constexpr Time kHandshakeFor = 2'000'000'000;  // and a connection for its being made
constexpr Time kGiveUpEvery = 250'000'000;
constexpr Time kFirstRetry = 50'000'000;
constexpr Time kLastRetry = 1'000'000'000;
// Connections that have not proved who they are: so many at a time, each for kHandshakeFor and the bytes of a
// handshake (curve_link.h), all together for a hundredth of a processor.
constexpr std::size_t kStrangers = 256;
constexpr std::size_t kStrangersBytes = 2048;  // read at once
constexpr int kLetInAtOnce = 8;
constexpr Time kStrangersParts = 100;
constexpr Time kStrangersAtOnce = 100'000'000;  // ns: some three hundred handshakes
constexpr std::size_t kReadAtOnce = std::size_t{1} << 16U;
constexpr int kEventsAtOnce = 64;

Time now() {
    return monotonic_now().ns;
}

struct Pending {
    Bytes frame;
    Time since;
};

struct Peer {
    std::string endpoint;
    sockaddr_in address{};
    CurveConnection* connection = nullptr;
    Time retry = 0;
    Time pause = kFirstRetry;
    std::deque<Pending> pending;
    ChannelState state;
    Time blocked_since = 0;  // frames wait; 0: none does
};

// As members tell each other who they are.
std::string to_identity(Slot slot) {
    return slot == kManager ? "manager" : slot == kUnknownPeer ? "" : std::to_string(slot);
}

Slot parse_identity(std::string_view text) {
    Slot slot = kUnknownPeer;
    return text == "manager" ? kManager : parse_decimal(text, slot, kMaxSlots - 1) ? slot : kUnknownPeer;
}

class CurveChannels : public Channels {
  public:
    CurveChannels(const KeyPair& keys, bool plain, Slot own, Descriptor listener)
        : keys_(keys), plain_(plain), own_(own), listener_(std::move(listener)) {
        gate_.add(listener_, EPOLLIN);
        poller_.add(gate_.descriptor(), EPOLLIN);
        read_.resize(kReadAtOnce);
    }
    ~CurveChannels() override { sodium_memzero(&keys_, sizeof keys_); }

    [[nodiscard]] bool is_good() const { return poller_.is_good() && gate_.is_good(); }

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
            forget(peer.connection->number());
        }
        peer.endpoint = endpoint;
        peer.address = *address;
        peer.retry = 0;
        peer.pause = kFirstRetry;
        peer.pending.clear();
        peer.state.peer = slot;
        peer.state.sends = true;
        note_waiting(peer);
        open(slot, peer, now());
    }

    bool send(Slot to, const Bytes& frame) override {
        const bool is_known = put(to, frame);
        flush_given();
        return is_known;
    }

    void send_all(const Outbox& out) override {
        for (const Outgoing& each : out) {
            put(each.to, each.frame);
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

    [[nodiscard]] std::vector<ChannelState> states() const override {
        std::vector<ChannelState> all;
        const Time time = now();
        for (const auto& [slot, peer] : peers_) {
            if (!peer.endpoint.empty()) {
                all.push_back(peer.state);
                all.back().blocked += peer.blocked_since != 0 ? time - peer.blocked_since : 0;
            }
        }
        for (const auto& [slot, state] : received_) {
            all.push_back(state);
        }
        return all;
    }

  private:
    // False: it is not known where that member is. What can go at once does so by flush_given().
    bool put(Slot to, const Bytes& frame) {
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
            drop_first(peer);
        }
        note_waiting(peer);
        next_care_ = std::min(next_care_, time + kPendingFor);
        return true;
    }

    static bool has_room(const Peer& peer) { return peer.connection != nullptr && peer.connection->has_room(); }

    void give(Peer& peer, const Bytes& frame) {
        peer.connection->put(frame);
        ++counts_.sent;
        counts_.sent_bytes += frame.size();
        note(peer.state, frame.size());
        if (given_.empty() || given_.back() != &peer) {
            given_.push_back(&peer);
        }
    }

    void flush_given() {
        for (Peer* const peer : given_) {
            peer->connection->flush();
            note_waiting(*peer);
        }
        given_.clear();
    }

    static void note(ChannelState& state, std::size_t bytes) {
        ++state.messages;
        state.bytes += bytes;
        state.largest = std::max<std::uint64_t>(state.largest, bytes);
    }

    // The clock is asked only when frames begin to wait, and when none does any more.
    static void note_waiting(Peer& peer) {
        peer.state.outstanding = peer.pending.size() + (peer.connection != nullptr ? peer.connection->unsent() : 0);
        peer.state.most_outstanding = std::max(peer.state.most_outstanding, peer.state.outstanding);
        if (peer.state.outstanding != 0 && peer.blocked_since == 0) {
            peer.blocked_since = now();
        } else if (peer.state.outstanding == 0 && peer.blocked_since != 0) {
            peer.state.blocked += now() - peer.blocked_since;
            peer.blocked_since = 0;
        }
    }

    void drop_first(Peer& peer) {
        peer.pending.pop_front();
        ++counts_.dropped;
        ++peer.state.dropped;
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
        peer.connection->state = &peer.state;
        peer.connection->begin();
    }

    CurveConnection* add(Descriptor socket, CurveLink::Side side, Slot peer, Time time) {
        auto made =
            std::make_unique<CurveConnection>(std::move(socket), side, plain_ ? nullptr : &keys_, to_identity(own_),
                                              peer, side == CurveLink::Side::kSends ? poller_ : gate_);
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
            if (number == gate_.descriptor().number()) {
                serve_strangers();
            } else if (const auto found = connections_.find(number); found != connections_.end()) {
                serve(*found->second, events[i].events);
            }
        }
        return count >= 0;
    }

    // Behind a gate of their own, which is shut while they have used up what they may.
    void serve_strangers() {
        const Time before = read_clock(CLOCK_THREAD_CPUTIME_ID).ns;
        epoll_event events[kLetInAtOnce];
        const timespec at_once{};
        const int count = gate_.wait(events, &at_once);
        for (int i = 0; i < count; ++i) {
            const int number = events[i].data.fd;
            if (number == listener_.number()) {
                let_in();
            } else if (const auto found = connections_.find(number); found != connections_.end()) {
                serve(*found->second, events[i].events);
            }
        }
        const Time spent = read_clock(CLOCK_THREAD_CPUTIME_ID).ns - before;
        counts_.stranger_work += spent;
        allowance_.spend(spent);
        allowance_.save(now());
        if (!allowance_.is_left()) {
            poller_.change(gate_.descriptor(), 0);
            gate_opens_ = allowance_.again();
            next_care_ = std::min(next_care_, gate_opens_);
        }
    }

    void let_in() {
        const Time time = now();
        for (int i = 0; i < kLetInAtOnce; ++i) {
            Descriptor socket = accept_one(listener_);
            if (!socket) {
                return;
            }
            if (unproved_ >= kStrangers) {
                forget(longest_unproved());
            }
            ++unproved_;
            add(std::move(socket), CurveLink::Side::kReceives, kManager, time)->begin();
        }
    }

    // Who is honest needs two round trips only: the one that has had the most time goes.
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
                note_waiting(peers_[connection.peer()]);
            }
        }
        if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
            const bool was_ready = connection.is_ready();
            const std::size_t had = messages_.size();
            const std::span<std::uint8_t> room(read_);
            if (!connection.receive(was_ready || connection.sends() ? room : room.first(kStrangersBytes),
                                    messages_)) {
                return forget(connection.number());
            }
            if (!was_ready && connection.is_ready()) {
                became_ready(connection);
            }
            connection.count_call();
            for (std::size_t i = had; i < messages_.size(); ++i) {
                note(*connection.state, messages_[i].size());
            }
        }
        if (connection.sends() && connection.is_ready()) {
            send_pending(peers_[connection.peer()], now());
        }
    }

    void became_ready(CurveConnection& connection) {
        connection.give_up = kNever;
        if (connection.sends()) {
            peers_[connection.peer()].pause = kFirstRetry;
        } else {
            --unproved_;
            connection.move_to(poller_);
            const Slot from = parse_identity(connection.peer_identity());
            connection.state = &received_[from];
            connection.state->peer = from;
        }
    }

    void send_pending(Peer& peer, Time time) {
        while (!peer.pending.empty()) {
            if (time > peer.pending.front().since + kPendingFor) {
                drop_first(peer);
            } else if (has_room(peer)) {
                give(peer, peer.pending.front().frame);
                peer.pending.pop_front();
            } else {
                break;
            }
        }
        flush_given();
        note_waiting(peer);
    }

    // The channel is made anew after a while; who knocked and was not let in is counted.
    void forget(int number) {
        const auto found = connections_.find(number);
        const CurveConnection& connection = *found->second;
        if (connection.sends()) {
            Peer& peer = peers_[connection.peer()];
            peer.connection = nullptr;
            peer.retry = std::max(peer.retry, now() + kFirstRetry);
            next_care_ = std::min(next_care_, peer.retry);
        } else if (!connection.is_ready()) {
            --unproved_;
            ++counts_.strangers;
        }
        connections_.erase(found);
    }

    void give_up_late(Time time) {
        const bool has_strangers = unproved_ != 0;
        const Time before = has_strangers ? read_clock(CLOCK_THREAD_CPUTIME_ID).ns : 0;
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
        if (has_strangers) {
            counts_.stranger_work += read_clock(CLOCK_THREAD_CPUTIME_ID).ns - before;
        }
    }

    // What time does: connections that are not ready in time are given up, channels are made again, frames that wait
    // for one grow too old.
    void take_care(Time time) {
        next_care_ = gate_opens_;
        if (time >= gate_opens_) {
            allowance_.save(time);
            gate_opens_ = next_care_ = kNever;
            poller_.change(gate_.descriptor(), EPOLLIN);
        }
        give_up_late(time);
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
    Slot own_;
    Descriptor listener_;
    Poller poller_;
    Poller gate_;  // the listener and who has not proved who he is
    Allowance allowance_{kStrangersParts, kStrangersAtOnce};
    Time gate_opens_ = kNever;  // it is shut until then; kNever: it is open
    std::unordered_map<int, std::unique_ptr<CurveConnection>> connections_;  // by descriptor
    std::map<Slot, Peer> peers_;
    std::vector<Peer*> given_;  // that were given frames which are still to be flushed; their connections stand
    std::map<Slot, ChannelState> received_;  // by who sends
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
    auto channels = std::make_unique<CurveChannels>(keys, plain, settings.own, std::move(listener));
    if (!channels->is_good()) {
        why = std::strerror(errno);
        return nullptr;
    }
    return channels.release();
}

}  // namespace kymo::ring
