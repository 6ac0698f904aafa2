#include "ring/transport/curve_connection.h"

#include <cerrno>
#include <sys/socket.h>

namespace kymo::ring {

CurveConnection::CurveConnection(Descriptor socket, CurveLink::Side side, const KeyPair* keys, std::string identity,
                                 Slot peer, Poller& poller)
    : socket_(std::move(socket)),
      link_(side, keys, std::move(identity)),
      sends_(side == CurveLink::Side::kSends),
      peer_(peer),
      poller_(&poller) {
    poller_->add(socket_, events_);
}

void CurveConnection::move_to(Poller& poller) {
    poller_->forget(socket_);
    poller_ = &poller;
    poller_->add(socket_, events_);
}

void CurveConnection::begin() {
    link_.begin(out_);
    flush();
}

void CurveConnection::put(const Bytes& frame) {
    link_.seal(frame, out_);
    ++frames_out_;
}

void CurveConnection::ask() {
    link_.seal_ping(out_);
}

void CurveConnection::flush() {
    while (sent_ < out_.size()) {
        const ssize_t sent =
            ::send(socket_.number(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
        count_call();
        if (sent <= 0) {
            is_refused |= sent < 0 && errno == ECONNREFUSED;
            break;
        }
        sent_ += static_cast<std::size_t>(sent);
    }
    if (sent_ == out_.size()) {
        out_.clear();
        sent_ = 0;
        frames_out_ = 0;
    } else if (sent_ > kUnsent) {
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
        sent_ = 0;
    }
    const std::uint32_t events = EPOLLIN | (out_.empty() ? 0U : EPOLLOUT);
    if (events != events_) {
        events_ = events;
        poller_->change(socket_, events_);
    }
}

bool CurveConnection::receive(std::span<std::uint8_t> room, std::vector<Bytes>& messages) {
    const ssize_t got = recv(socket_.number(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    is_refused |= got < 0 && errno == ECONNREFUSED;
    const std::size_t before = out_.size();
    if (got <= 0 || !link_.take(room.first(static_cast<std::size_t>(got)), out_, messages)) {
        return false;
    }
    if (!sends_ && out_.size() > kUnsent) {
        return false;  // the other side sends requests without reading the answers
    }
    if (out_.size() != before) {
        flush();  // answers
    }
    return true;
}

}  // namespace kymo::ring
