#include "ring/members/detail_queries.h"

#include <algorithm>
#include <utility>

namespace kymo::ring {
namespace {

constexpr std::uint32_t kSilentAfter = 2;   // heartbeats
constexpr std::uint32_t kEarlierAgain = 4;  // heartbeats; the agent may have been restarted with a later version

}  // namespace

void DetailQueries::ask(Slot slot, std::vector<AskedTable> tables, Time now) {
    if (slot != query_.head.slot || tables != query_.tables) {
        rows_.reset();
    }
    if (slot != query_.head.slot) {
        is_earlier_ = false;
    }
    query_.head.slot = slot;
    query_.tables = std::move(tables);
    ++query_.head.number;
    is_open_ = true;
    is_sent_ = false;
    asked_ = next_ = now;
}

void DetailQueries::end() {
    is_open_ = false;
    next_ = kNever;
    rows_.reset();
    query_.tables.clear();
}

void DetailQueries::send(std::uint32_t slots, Time now, Outbox& out) {
    if (now < next_) {
        return;
    }
    const Slot slot = query_.head.slot;
    next_ = now + (is_earlier_ ? kEarlierAgain * job_.heartbeat : job_.heartbeat / kHeartbeatsInSilence);
    if (slot >= slots) {
        return;  // it may join
    }
    out.push_back({slot, make_detail_query(slots, job_.job, epoch_, query_)});
    if (is_sent_) {
        out.push_back(
            {slot, make_heartbeat(FrameKind::kProbe, slots, job_.job, epoch_, {kManager, 0, epoch_, now, 0, 0, 0})});
    }
    is_sent_ = true;
}

bool DetailQueries::fits(const Rows& rows) const {
    return rows.tables.size() == query_.tables.size() &&
           std::equal(rows.tables.begin(), rows.tables.end(), query_.tables.begin(),
                      [](const ToldTable& told, const AskedTable& asked) {
                          return told.head.kind == asked.head.kind && told.head.level == asked.head.level &&
                                 told.head.process == asked.head.process && told.head.order == asked.head.order &&
                                 told.head.metrics == asked.metrics.size() && told.head.rows <= asked.head.rows;
                      });
}

Refusal DetailQueries::take(std::span<const std::uint8_t> frame, std::uint32_t slots, Time now) {
    Prefix prefix{};
    Rows rows;
    if (const Refusal refusal = open_rows(frame, prefix, rows); refusal != Refusal::kNone) {
        return refusal;
    }
    if (rows.head.slot >= slots) {
        return Refusal::kMisrouted;
    }
    if (prefix.epoch != epoch_ || rows.head.number != query_.head.number || query_.tables.empty()) {
        return Refusal::kStale;
    }
    if (rows.head.slot != query_.head.slot) {
        return Refusal::kMisrouted;
    }
    std::uint64_t& incarnation = incarnations_[rows.head.slot];
    if (rows.head.incarnation < incarnation) {
        return Refusal::kStale;
    }
    if (!is_open_) {
        return Refusal::kRepeated;
    }
    if (!fits(rows)) {
        return Refusal::kMalformed;
    }
    incarnation = rows.head.incarnation;
    rows_ = std::move(rows);
    is_open_ = false;
    is_earlier_ = false;
    asked_ = now;
    next_ = kNever;
    return Refusal::kNone;
}

void DetailQueries::heard(Slot slot, std::uint8_t minor) {
    if (slot == query_.head.slot && is_open_) {
        is_earlier_ = minor < kDetailsSince;
    }
}

DetailQueries::State DetailQueries::state(Time now) const {
    if (query_.tables.empty()) {
        return State::kNothing;
    }
    if (is_open_ && is_earlier_) {
        return State::kEarlier;
    }
    if (is_open_ && now >= asked_ + kSilentAfter * job_.heartbeat) {
        return State::kSilent;
    }
    return rows_ ? State::kTold : State::kAsked;
}

}  // namespace kymo::ring
