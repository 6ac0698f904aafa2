#include "ring/transport/curve_peer.h"

#include "base/time.h"

#include <algorithm>

namespace kymo::ring {

void CurvePeer::lead_to(Slot slot, const std::string& endpoint, const sockaddr_in& address) {
    endpoint_ = endpoint;
    address_ = address;
    retry_ = 0;
    pause_ = kFirstRetry;
    state_.peer = slot;
    state_.sends = true;
    note_waiting();
}

void CurvePeer::begin_try(Time now) {
    retry_ = now + pause_;
    pause_ = std::min(2 * pause_, kLastRetry);
}

void CurvePeer::set_connection(CurveConnection* connection) {
    connection_ = connection;
    connection_->state = &state_;
}

void CurvePeer::became_ready() {
    pause_ = kFirstRetry;
    state_.open = 1;
    ++state_.opened;
}

// The channel is connected again after a while.
void CurvePeer::lost_connection(Time now) {
    connection_ = nullptr;
    state_.open = 0;
    retry_ = std::max(retry_, now + kFirstRetry);
}

void CurvePeer::give(const Bytes& frame, bool asks, ChannelCounts& counts) {
    connection_->put(frame);
    if (asks) {
        connection_->ask();
    }
    ++counts.sent;
    counts.sent_bytes += frame.size();
    note_message(state_, frame.size());
}

void CurvePeer::wait(const Bytes& frame, bool asks, Time now, ChannelCounts& counts) {
    pending_.push_back({frame, asks, now});
    if (pending_.size() > kPending) {
        drop_first(counts);
    }
    note_waiting();
}

bool CurvePeer::give_pending(Time now, ChannelCounts& counts) {
    bool is_given = false;
    while (!pending_.empty()) {
        if (now > pending_.front().since + kPendingFor) {
            drop_first(counts);
        } else if (has_room()) {
            give(pending_.front().frame, pending_.front().asks, counts);
            is_given = true;
            pending_.pop_front();
        } else {
            break;
        }
    }
    return is_given;
}

void CurvePeer::drop_first(ChannelCounts& counts) {
    pending_.pop_front();
    ++counts.dropped;
    ++state_.dropped;
}

void CurvePeer::flush() {
    connection_->flush();
    note_waiting();
}

void CurvePeer::note_waiting() {
    state_.outstanding = pending_.size() + (connection_ != nullptr ? connection_->unsent() : 0);
    state_.most_outstanding = std::max(state_.most_outstanding, state_.outstanding);
    if (state_.outstanding != 0 && blocked_since_ == 0) {
        blocked_since_ = monotonic_now().ns;
    } else if (state_.outstanding == 0 && blocked_since_ != 0) {
        state_.blocked += monotonic_now().ns - blocked_since_;
        blocked_since_ = 0;
    }
}

ChannelState CurvePeer::state(Time now) const {
    ChannelState state = state_;
    state.blocked += blocked_since_ != 0 ? now - blocked_since_ : 0;
    return state;
}

}  // namespace kymo::ring
