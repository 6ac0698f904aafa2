#include "ring/members/agent.h"

#include <utility>

namespace kymo::ring {
namespace {

constexpr Time kOnTimeWithin = 1'000'000;
constexpr std::size_t kMostWaiting = 16;

}  // namespace

Agent::Agent(const AgentSettings& settings, Read read, Time now, Obey obey, Tell tell, Describe describe)
    : settings_(settings),
      read_(std::move(read)),
      obey_(std::move(obey)),
      tell_(std::move(tell)),
      describe_(std::move(describe)),
      successors_(settings.job.heartbeat),
      next_heartbeat_(now),
      last_call_(now) {
    take_span(0, 0, settings.slots, now);
}

void Agent::on_frame(Bytes frame, Time now, Outbox& out) {
    notice_pause(now);
    Prefix prefix{};
    if (const Refusal refusal = open_prefix(frame, prefix); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    if (prefix.job != settings_.job.job) {
        return refuse(Refusal::kForeign);
    }
    if (prefix.kind == FrameKind::kToken) {
        on_token(std::move(frame), now, out);
    } else if (prefix.kind == FrameKind::kOrder) {
        on_order(frame, out);
    } else if (prefix.kind == FrameKind::kDetailQuery) {
        on_detail_query(frame, out);
    } else if (prefix.kind == FrameKind::kMetricQuery) {
        on_metric_query(frame, out);
    } else {
        on_heartbeat(frame, now, out);
    }
}

void Agent::on_heartbeat(std::span<const std::uint8_t> frame, Time now, Outbox& out) {
    Prefix prefix{};
    Heartbeat heartbeat{};
    if (const Refusal refusal = open_heartbeat(frame, prefix, heartbeat); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    seen_slots_ = std::max(seen_slots_, prefix.slots);
    if (prefix.kind != FrameKind::kFarewell && prefix.epoch > epoch_ && heartbeat.slot == kManager) {
        begin_epoch(prefix.epoch);
    }
    if (prefix.epoch == epoch_ && heartbeat.first <= settings_.slot && settings_.slot < heartbeat.end) {
        take_span(heartbeat.sequence, heartbeat.first, heartbeat.end, now);
    }
    if (prefix.kind == FrameKind::kFarewell) {
        successors_.gone(heartbeat.slot, heartbeat.incarnation);
    } else if (prefix.kind == FrameKind::kProbe) {
        out.push_back({heartbeat.slot, this->heartbeat(FrameKind::kHeartbeat, now)});
        if (prefix.minor < kAnswersSince && waiting_.size() < kMostWaiting) {
            waiting_.insert(heartbeat.slot);
        }
    } else if (!successors_.heard(heartbeat.slot, heartbeat.incarnation, now)) {
        refuse(Refusal::kStale);
    }
}

// An order is repeated until it is answered, and occasionally after that, because programs come and go.
void Agent::on_order(std::span<const std::uint8_t> frame, Outbox& out) {
    Prefix prefix{};
    Order order;
    if (const Refusal refusal = open_order(frame, prefix, order); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    if (order.head.slot != settings_.slot) {
        return refuse(Refusal::kMisrouted);
    }
    if (prefix.epoch > epoch_) {
        begin_epoch(prefix.epoch);
    }
    if (prefix.epoch < epoch_ || order.head.number < order_) {
        return refuse(Refusal::kStale);
    }
    order_ = order.head.number;
    ++counts_.orders;
    if (obey_) {
        obey_(order.switches);
    }
    order.head.incarnation = settings_.incarnation;
    out.push_back({kManager, make_order(FrameKind::kAnswer, std::max(settings_.slots, seen_slots_), settings_.job.job,
                                        epoch_, order)});
}

void Agent::on_token(Bytes frame, Time now, Outbox& out) {
    Token token;
    Refusal refusal = Token::open(std::move(frame), token);
    if (refusal == Refusal::kNone) {
        refusal = admit(token);
    }
    if (refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    ++counts_.received;
    learn_clock(token.header(), now);
    take_span(token.header().sequence, token.header().first, token.header().end, now);
    const Latch& latch = latched_for(token, now);
    const ClockRelation::Estimate clock = clock_.at(now);
    Part part{};
    const bool on_time =
        latch.due && *latch.at < *latch.due + kOnTimeWithin && *latch.at + kOnTimeWithin > *latch.due;
    part.state = on_time ? PartState::kOnTime : PartState::kOffTime;
    counts_.off_time += on_time ? 0 : 1;
    part.slot = settings_.slot;
    part.incarnation = settings_.incarnation;
    part.received = now;
    part.latched = *latch.at;
    part.offset = clock.offset;
    part.clock_error = clock.error;
    token.skip_to(settings_.slot);
    token.contribute(part, part.latched - static_cast<std::uint64_t>(clock.offset), latch.records);
    token.note_work(work_);
    latches_.erase(token.header().sequence);
    schedule(token, now);
    hand_on(token, now, out);
}

Refusal Agent::admit(const Token& token) {
    const TokenHeader& header = token.header();
    if (token.prefix().epoch < epoch_) {
        return Refusal::kStale;
    }
    if (settings_.slot < header.first || settings_.slot >= header.end) {
        return Refusal::kMisrouted;
    }
    if (token.prefix().epoch > epoch_) {
        begin_epoch(token.prefix().epoch);
    }
    seen_slots_ = std::max(seen_slots_, token.prefix().slots);
    forget_before(header.oldest);
    if (header.sequence < oldest_) {
        return Refusal::kStale;
    }
    if (is_done(header.sequence)) {
        return Refusal::kRepeated;
    }
    if (settings_.slot < header.next) {  // earlier members have reported that this one was passed over
        return Refusal::kMisrouted;
    }
    done_ |= std::uint64_t{1} << (header.sequence - oldest_);
    return Refusal::kNone;
}

// A token's sequence is less than its oldest plus the window, and that oldest is at most oldest_ once the token
// has been examined.
bool Agent::is_done(std::uint64_t sequence) const {
    return sequence >= oldest_ && sequence - oldest_ < kWindow && (done_ >> (sequence - oldest_) & 1U) != 0;
}

void Agent::begin_epoch(std::uint64_t epoch) {
    epoch_ = epoch;
    oldest_ = 1;
    done_ = 0;
    latches_.clear();
    kept_.clear();
    forwarded_ = {};
    span_sequence_ = 0;
    order_ = 0;
    query_ = 0;
    waiting_.clear();
    clock_ = {};  // another manager may run on another host
}

void Agent::forget_before(std::uint64_t oldest) {
    if (oldest <= oldest_) {
        return;
    }
    done_ = oldest - oldest_ < kWindow ? done_ >> (oldest - oldest_) : 0;
    oldest_ = oldest;
    latches_.erase(latches_.begin(), latches_.lower_bound(oldest));
    std::erase_if(kept_, [oldest](const Kept& kept) { return kept.sequence < oldest; });
}

void Agent::take_span(std::uint64_t sequence, Slot first, Slot end, Time now) {
    if (sequence < span_sequence_) {
        return;
    }
    span_sequence_ = sequence;
    if (first == first_ && end == end_) {
        return;
    }
    first_ = first;
    end_ = end;
    const Slot behind = settings_.slot + 1;
    const Span watched{behind, std::clamp(end, behind, behind + settings_.job.reach)};
    successors_.set({&watched, 1}, now);
    next_heartbeat_ = std::min(next_heartbeat_, now);  // pass it on to the next member
}

void Agent::learn_clock(const TokenHeader& header, Time now) {
    if (header.clock != 0 && header.clock == settings_.clock) {
        clock_.same();
        return;
    }
    clock_.came(header.sent, now);
    const Forwarded& home = forwarded_[header.returned % kWindow];
    if (header.returned != 0 && home.sequence == header.returned && home.first == header.first) {
        const double hops = static_cast<double>(home.end - home.first) + 1;
        clock_.came_home(home.at, header.returned_at, (static_cast<double>(settings_.slot - home.first) + 1) / hops);
    }
}

void Agent::do_latch(Latch& latch, std::span<const Entry> entries, Time now) {
    latch.at = now;
    latch.entries.assign(entries.begin(), entries.end());
    latch.records.assign(entries.size(), Record{});
    read_(entries, latch.records);
}

Agent::Latch& Agent::latched_for(const Token& token, Time now) {
    Latch& latch = latches_[token.header().sequence];
    // Its own timer may run slightly late, and the request may have changed since it was announced.
    if (!latch.at || !token.asks(latch.entries)) {
        do_latch(latch, token.entries(), now);
    }
    return latch;
}

void Agent::schedule(const Token& token, Time now) {
    const TokenHeader& header = token.header();
    if (header.announced == 0 || is_done(header.announced) || latches_.contains(header.announced)) {
        return;
    }
    const ClockRelation::Estimate clock = clock_.at(now);
    Latch& latch = latches_[header.announced];
    latch.due = header.announced_at + static_cast<std::uint64_t>(clock.offset);
    latch.entries = token.entries();
    next_latch_ = std::min(next_latch_, *latch.due);
    while (latches_.size() > kWindow) {
        latches_.erase(latches_.begin());
    }
}

// The next slot that is there; slots that are not watched count as there.
Slot Agent::next_of(Slot end, Time now) const {
    for (Slot slot = settings_.slot + 1; slot < std::min(end, settings_.slots); ++slot) {
        if (!successors_.is_silent(slot, now)) {
            return slot;
        }
    }
    return kManager;
}

void Agent::hand_on(Token& token, Time now, Outbox& out) {
    const TokenHeader& header = token.header();
    const Slot to = next_of(header.end, now);
    forwarded_[header.sequence % kWindow] = {header.sequence, header.first, header.end, now};
    Bytes frame = token.send();
    if (to != kManager) {
        kept_.push_back({header.sequence, header.end, to, frame});
    }
    ++counts_.sent;
    out.push_back({to, std::move(frame)});
}

void Agent::pass_the_silent(Time now, Outbox& out) {
    for (Kept& kept : kept_) {
        if (successors_.is_silent(kept.to, now)) {
            kept.to = next_of(kept.end, now);
            ++counts_.resent;
            out.push_back({kept.to, kept.frame});
        }
    }
    std::erase_if(kept_, [](const Kept& kept) { return kept.to == kManager; });
}

void Agent::latch_what_is_due(Time now) {
    next_latch_ = kNever;
    for (auto& [sequence, latch] : latches_) {
        if (latch.due && !latch.at && now >= *latch.due) {
            const std::vector<Entry> entries = latch.entries;
            do_latch(latch, entries, now);
        } else if (latch.due && !latch.at) {
            next_latch_ = std::min(next_latch_, *latch.due);
        }
    }
}

void Agent::on_timer(Time now, Outbox& out) {
    notice_pause(now);
    if (now >= next_latch_) {
        latch_what_is_due(now);
    }
    pass_the_silent(now, out);
    if (now >= next_heartbeat_) {
        send_heartbeats(now, out);
        next_heartbeat_ = now + settings_.job.heartbeat / kHeartbeatsInSilence;
    }
}

void Agent::on_answer(const Answer& answer, Time now, Outbox& out) {
    notice_pause(now);
    if (!answer.is_refused) {
        return successors_.answered(answer.from, now);
    }
    waiting_.erase(answer.from);
    if (successors_.refused(answer.from)) {
        next_heartbeat_ = std::min(next_heartbeat_, now);  // the member behind it must be asked
        pass_the_silent(now, out);
    }
}

Time Agent::next_timer(Time now) const {
    const Time next = std::min(next_heartbeat_, next_latch_);
    return kept_.empty() ? next : std::min(next, successors_.next(now));
}

Bytes Agent::heartbeat(FrameKind kind, Time now) const {
    const bool has_span = span_sequence_ != 0;
    return make_heartbeat(
        kind, std::max(settings_.slots, seen_slots_), settings_.job.job, epoch_,
        {settings_.slot, 0, settings_.incarnation, now, span_sequence_, has_span ? first_ : 0, has_span ? end_ : 0});
}

// Sends to the next member and, if that is silent, to those that may take its place. The last agent sends to the
// manager, which need not be there.
void Agent::send_heartbeats(Time now, Outbox& out) {
    const Bytes frame = heartbeat(FrameKind::kHeartbeat, now);
    for (const Slot slot : successors_.ask(now)) {
        // Members before 1.5 answer a probe but not a heartbeat.
        out.push_back({slot, successors_.is_silent(slot, now) ? heartbeat(FrameKind::kProbe, now) : frame, true});
    }
    if (next_of(end_, now) == kManager) {
        out.push_back({kManager, frame});
    }
    for (const Slot slot : waiting_) {
        out.push_back({slot, frame, true});  // retried until it is refused
    }
}

// This member did not run for longer than the time between two heartbeats, so silence does not mean that others
// are gone.
void Agent::notice_pause(Time now) {
    if (now > last_call_ + settings_.job.heartbeat / 2) {
        successors_.begin_anew(now);
    }
    last_call_ = now;
}

}  // namespace kymo::ring
