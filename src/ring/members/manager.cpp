#include "ring/members/manager.h"

#include <cassert>
#include <utility>

namespace kymo::ring {
namespace {

constexpr std::uint32_t kRoundsToJudge = 8;
constexpr std::uint32_t kJudgementsToRest = 32;

bool same_request(const Token& token, Mode mode, const std::vector<Entry>& entries) {
    return token.header().mode == mode && token.asks(entries);
}

}  // namespace

Manager::Manager(const ManagerSettings& settings, std::vector<Entry> request, Time now)
    : settings_(settings),
      request_(std::move(request)),
      pace_(settings.period, settings.longest_period, settings.budget),
      watch_(settings.job.heartbeat),
      orders_(settings.job, settings.epoch),
      queries_(settings.job, settings.epoch),
      metrics_(settings.job, settings.epoch),
      next_round_(now),
      last_call_(now) {
    settings_.in_flight = std::clamp<std::uint32_t>(settings.in_flight, 1, kWindow / 2);
    set_slots(settings.slots, now);
}

void Manager::set_slots(std::uint32_t slots, Time now) {
    settings_.slots = std::clamp<std::uint32_t>(slots, settings_.slots, kMaxSlots);
    if (spans_.set(settings_.slots, settings_.segments != 0 ? settings_.segments : std::max(spans_.segments(), 1U))) {
        watch(now);
    }
}

void Manager::set_period(Time period) {
    settings_.period = period;
    pace_ = Pace(period, settings_.longest_period, settings_.budget);
}

// Watches the first slots of each span.
void Manager::watch(Time now) {
    std::vector<Span> watched = spans_.all();
    for (Span& span : watched) {
        span.end = std::min(span.end, span.first + settings_.job.reach);
    }
    watch_.set(watched, now);
    next_silence_ = now;
    next_heartbeat_ = std::min(next_heartbeat_, now);  // pass it on to them
}

// The manager itself was stopped, so silence does not mean that others are gone.
void Manager::notice_pause(Time now) {
    if (now > last_call_ + settings_.job.heartbeat / 2) {
        watch_.begin_anew(now);
    }
    last_call_ = now;
}

void Manager::on_frame(Bytes frame, Time now, Outbox& out) {
    notice_pause(now);
    Prefix prefix{};
    if (const Refusal refusal = open_prefix(frame, prefix); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    if (prefix.job != settings_.job.job) {
        return refuse(Refusal::kForeign);
    }
    seen_slots_ = std::max(seen_slots_, prefix.slots);
    if (prefix.kind == FrameKind::kToken) {
        on_token(std::move(frame), now);
        return on_timer(now, out);
    }
    if (prefix.kind == FrameKind::kAnswer) {
        return on_obeyed(frame);
    }
    if (prefix.kind == FrameKind::kRows) {
        const Refusal refusal = queries_.take(frame, settings_.slots, now);
        return refusal == Refusal::kNone ? void() : refuse(refusal);
    }
    if (prefix.kind == FrameKind::kDescriptions) {
        const Refusal refusal = metrics_.take(frame, settings_.slots);
        return refusal == Refusal::kNone ? void() : refuse(refusal);
    }
    Heartbeat heartbeat{};
    if (const Refusal refusal = open_heartbeat(frame, prefix, heartbeat); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    queries_.heard(heartbeat.slot, prefix.minor);
    metrics_.heard(heartbeat.slot, prefix.minor);
    if (prefix.kind == FrameKind::kFarewell) {
        watch_.gone(heartbeat.slot, heartbeat.incarnation);
        next_silence_ = now;
    } else if (!watch_.heard(heartbeat.slot, heartbeat.incarnation, now)) {
        refuse(Refusal::kStale);
    }
}

void Manager::on_answer(const Answer& answer, Time now, Outbox& out) {
    notice_pause(now);
    if (!answer.is_refused) {
        return watch_.answered(answer.from, now);
    }
    if (watch_.refused(answer.from)) {
        next_heartbeat_ = std::min(next_heartbeat_, now);  // the member behind it must be asked
        pass_the_silent(now, out);
    }
}

void Manager::on_obeyed(std::span<const std::uint8_t> frame) {
    Prefix prefix{};
    Order answer;
    Refusal refusal = open_order(frame, prefix, answer);
    if (refusal == Refusal::kNone) {
        refusal = prefix.epoch == settings_.epoch ? orders_.take(answer, settings_.slots) : Refusal::kStale;
    }
    if (refusal != Refusal::kNone) {
        refuse(refusal);
    }
}

void Manager::on_token(Bytes frame, Time now) {
    Token token;
    if (const Refusal refusal = Token::open(std::move(frame), token); refusal != Refusal::kNone) {
        return refuse(refusal);
    }
    const TokenHeader& header = token.header();
    if (token.prefix().epoch != settings_.epoch || header.sequence > sequence_) {
        return refuse(Refusal::kStale);
    }
    const auto round = rounds_.find(header.sequence);
    if (round == rounds_.end()) {
        const auto ended = ended_.find(header.sequence);
        if (ended != ended_.end() && ended->second.contains(header.first)) {
            return refuse(Refusal::kRepeated);
        }
        ++counts_.late;
        return learn_round_trip(now - std::min(header.sent, now));
    }
    std::vector<Sent>& tokens = round->second.tokens;
    const auto sent = std::lower_bound(tokens.begin(), tokens.end(), header.first,
                                       [](const Sent& each, Slot first) { return each.first < first; });
    if (sent == tokens.end() || sent->first != header.first || sent->end != header.end) {
        return refuse(Refusal::kMisrouted);
    }
    if (sent->home) {
        return refuse(Refusal::kRepeated);
    }
    if (!same_request(token, round->second.mode, round->second.entries) || header.sent != round->second.started) {
        return refuse(Refusal::kMalformed);
    }
    ++counts_.received;
    Home& home = home_[header.first];
    home = {header.sequence, now, home.trips + 1, home.trips_ns + (now - header.sent)};
    learn_round_trip(now - header.sent);
    sent->home = true;
    sent->token = std::move(token);
    if (--round->second.awaited == 0) {
        end_round(round->first, now);
    }
}

void Manager::learn_round_trip(Time round_trip) {
    round_trip_ = round_trip_ == 0 ? round_trip : (7 * round_trip_ + round_trip) / 8;
}

void Manager::on_timer(Time now, Outbox& out) {
    notice_pause(now);
    if (now >= next_silence_) {
        pass_the_silent(now, out);
        next_silence_ = watch_.next(now);
    }
    send_heartbeats(now, out);
    orders_.send(settings_.slots, now, out);
    queries_.send(settings_.slots, now, out);
    metrics_.send(settings_.slots, now, out);
    while (!rounds_.empty() && now >= rounds_.begin()->second.give_up) {
        end_round(rounds_.begin()->first, now);
    }
    // Tokens that are already due are sent together: agents have latched what was announced for each, and forward
    // them together.
    while (now >= next_round_ && rounds_.size() < settings_.in_flight) {
        start_round(now, out);
    }
}

Time Manager::next_timer() const {
    Time next = std::min({next_heartbeat_, orders_.next(), queries_.next(), metrics_.next(),
                          rounds_.size() < settings_.in_flight ? next_round_ : kNever});
    if (!rounds_.empty()) {
        next = std::min({next, rounds_.begin()->second.give_up, next_silence_});
    }
    return next;
}

// A gap is closed within a heartbeat and a round trip; a token that is not back well after that is lost.
Time Manager::time_allowed() const {
    return settings_.job.heartbeat * 5 / 4 + (round_trip_ == 0 ? settings_.job.heartbeat : 4 * round_trip_);
}

Slot Manager::next_of(Slot first, Slot end, Time now) const {
    for (Slot slot = first; slot < end; ++slot) {
        if (!watch_.is_silent(slot, now)) {
            return slot;
        }
    }
    return kManager;
}

void Manager::start_round(Time now, Outbox& out) {
    ++sequence_;
    ++counts_.rounds;
    TokenHeader header{};
    header.sequence = sequence_;
    header.oldest = rounds_.empty() ? sequence_ : rounds_.begin()->first;
    header.sent = now;
    header.clock = settings_.clock;
    header.mode = settings_.mode;
    Round& round = rounds_[sequence_];
    round.started = now;
    round.give_up = now + time_allowed();
    round.mode = settings_.mode;
    round.entries = request_;
    if (const auto own = deadlines_.find(sequence_); own != deadlines_.end()) {
        round.deadline = own->second;
        deadlines_.erase(own);
    } else {
        round.deadline = 0;
    }
    announce(header, now);
    for (const Span& span : spans_.all()) {
        header.first = span.first;
        header.end = span.end;
        const auto home = home_.find(span.first);
        header.returned = home == home_.end() ? 0 : home->second.sequence;
        header.returned_at = home == home_.end() ? 0 : home->second.at;
        Token token = Token::make(settings_.slots, settings_.job.job, settings_.epoch, header, round.entries);
        Sent sent{span.first, span.end, next_of(span.first, span.end, now), {}, false, {}};
        if (sent.to == kManager) {  // no member could take it
            token.skip_to(span.end);
            sent.home = true;
            sent.token = std::move(token);
        } else {
            sent.frame = token.send();
            ++counts_.sent;
            ++round.awaited;
            out.push_back({sent.to, sent.frame});
        }
        round.tokens.push_back(std::move(sent));
    }
    const auto next = deadlines_.find(sequence_ + 1);
    next_round_ = next != deadlines_.end() ? next->second : now + pace_.period();
    if (round.awaited == 0) {
        end_round(sequence_, now);
    }
}

// Far enough ahead that all agents receive the announcement in time.
void Manager::announce(TokenHeader& header, Time now) {
    const Time period = pace_.period();
    const std::uint64_t ahead = std::min<std::uint64_t>(1 + round_trip_ / std::max<Time>(period, 1), kWindow / 2);
    header.announced = sequence_ + ahead;
    const Time after_last = deadlines_.empty() ? now + ahead * period : deadlines_.rbegin()->second + period;
    const auto [place, is_new] = deadlines_.emplace(header.announced, std::max(after_last, now + round_trip_ + 1));
    header.announced_at = place->second;
}

void Manager::pass_the_silent(Time now, Outbox& out) {
    for (auto& [sequence, round] : rounds_) {
        for (Sent& sent : round.tokens) {
            if (sent.home || sent.to == kManager || !watch_.is_silent(sent.to, now)) {
                continue;
            }
            sent.to = next_of(sent.first, sent.end, now);
            if (sent.to != kManager) {
                ++counts_.resent;
                out.push_back({sent.to, sent.frame});
            }
        }
    }
}

// Sends to the first member of each span and, if that is silent, to those that may take its place.
void Manager::send_heartbeats(Time now, Outbox& out) {
    if (now < next_heartbeat_) {
        return;
    }
    next_heartbeat_ = now + settings_.job.heartbeat / kHeartbeatsInSilence;
    auto span = spans_.all().begin();
    for (const Slot slot : watch_.ask(now)) {
        while (slot >= span->end) {
            ++span;
        }
        const Heartbeat heartbeat{kManager,
                                  0,
                                  settings_.epoch,
                                  now,
                                  sequence_,
                                  sequence_ == 0 ? 0 : span->first,
                                  sequence_ == 0 ? 0 : span->end};
        // Agents before 1.5 answer a probe but not a heartbeat.
        const FrameKind kind = watch_.is_silent(slot, now) ? FrameKind::kProbe : FrameKind::kHeartbeat;
        out.push_back(
            {slot, make_heartbeat(kind, settings_.slots, settings_.job.job, settings_.epoch, heartbeat), true});
    }
    next_silence_ = std::min(next_silence_, watch_.next(now));  // including members that were not asked before
}

void Manager::end_round(std::uint64_t sequence, Time now) {
    const auto node = rounds_.extract(sequence);
    const Round& round = node.mapped();
    Sample sample;
    sample.sequence = sequence;
    sample.mode = round.mode;
    sample.sent = round.started;
    sample.deadline = round.deadline;
    sample.home = now;
    sample.entries = round.entries;
    sample.records.resize(round.entries.size());
    std::set<Slot>& home = ended_[sequence];
    std::vector<Slot> lost;
    for (const Sent& sent : round.tokens) {
        sample.coverage.slots += sent.end - sent.first;
        ++sample.tokens;
        if (sent.home) {
            home.insert(sent.first);
            sample.join(sent.token);
        } else {
            ++sample.tokens_lost;
            sample.coverage.add_hole(sent.first, sent.end);
            lost.push_back(sent.first);
        }
    }
    while (ended_.size() > kWindow) {
        ended_.erase(ended_.begin());
    }
    counts_.lost += lost.size();
    bool other_spans = false;
    for (const Sent& sent : round.tokens) {
        if (sent.home) {
            spans_.succeeded(sent.first);
        }
    }
    for (const Slot first : lost) {
        other_spans |= spans_.failed(first);
    }
    if (other_spans) {
        watch(now);
    }
    if (lost.empty()) {
        pace_.take(sample.moved, sample.work);
        judge(sample, now);
    }
    if (sequence < newest_) {
        ++counts_.overtaken;
        return;
    }
    newest_ = sequence;
    note_metrics(sample);
    samples_.push_back(std::move(sample));
}

// Notes which agents have a metric, to ask them for its description.
void Manager::note_metrics(const Sample& sample) {
    for (const SamplePart& part : sample.parts) {
        for (std::size_t i = 0; metrics_.is_open() && i < std::min(sample.entries.size(), part.records.size()); ++i) {
            if (part.records[i].known != 0) {
                metrics_.has(part.part.slot, {sample.entries[i].kind, {}, sample.entries[i].metric});
            }
        }
    }
}

// Checks the spans after a fixed number of rounds without a loss.
void Manager::judge(const Sample& sample, Time now) {
    if (++good_rounds_ < kRoundsToJudge) {
        return;
    }
    good_rounds_ = 0;
    bool others = false;
    if (!sample.coverage.holes_untold) {
        others = spans_.mend([&](Slot slot) {
            return std::any_of(
                sample.coverage.holes.begin(), sample.coverage.holes.end(),
                [slot](const HoleRange& hole) { return slot >= hole.first && slot - hole.first < hole.count; });
        });
    }
    if (settings_.segments == 0 && token_cost_ > 0 && sample.coverage.is_whole()) {
        others |= follow_costs();
    }
    if (others) {
        watch(now);
    }
}

// Adapts the number of segments to the measured costs. True: it has changed. It at most doubles, since every new
// segment opens channels, and reverts if round trips have not become shorter: members that share processors do not
// work in parallel.
bool Manager::follow_costs() {
    const std::uint32_t segments = spans_.segments();
    if (const std::uint32_t before = std::exchange(segments_before_, 0);
        before != 0 && before < segments && round_trip_ > round_trip_before_ / 10 * 9) {
        rest_ = kJudgementsToRest;
        return spans_.set(settings_.slots, before);
    }
    if (rest_ > 0) {
        --rest_;
        return false;
    }
    // Time that tokens spend queued at the manager is part of the round trip, but not of a hop.
    const auto spans = static_cast<double>(spans_.all().size());
    const double hops = static_cast<double>(settings_.slots) / spans + 1;
    const double round_trip = static_cast<double>(round_trip_);
    const double hop = std::max(round_trip - spans * token_cost_ / 2, round_trip / 10) / hops;
    const std::uint32_t best = best_segments(settings_.slots, hop, token_cost_);
    const double change = static_cast<double>(best) / static_cast<double>(segments);
    if (change <= 1.5 && change >= 0.67) {
        return false;
    }
    segments_before_ = segments;
    round_trip_before_ = round_trip_;
    return spans_.set(settings_.slots, std::min(best, 2 * segments));
}

}  // namespace kymo::ring
