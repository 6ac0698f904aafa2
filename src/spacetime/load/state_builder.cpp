#include "spacetime/load/state_builder.h"

#include <algorithm>

namespace kymo::spacetime {
namespace {

// Shares of an amount over pieces of `room` together, in proportion to each one's length, in turn: they add up to the
// amount exactly, and none exceeds its piece. Precondition: amount ≤ room, and room is not 0.
class Spread {
  public:
    Spread(std::uint64_t amount, std::uint64_t room) : amount_(amount), room_(room) {}

    std::uint64_t share(std::uint64_t length) {
        passed_ += length;
        const std::uint64_t given = given_until_now();
        const std::uint64_t share = given - given_;
        given_ = given;
        return share;
    }

  private:
    // Of some seconds, the usual case, the product fits: dividing 128 bits takes several times as long.
    std::uint64_t given_until_now() const {
        if ((amount_ | passed_) >> 32U == 0) {
            return amount_ * passed_ / room_;
        }
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(amount_) * passed_ / room_);
    }

    std::uint64_t amount_;
    std::uint64_t room_;
    std::uint64_t passed_ = 0;
    std::uint64_t given_ = 0;
};

// Hands out as much of the amount as the pieces have room for: room_of(piece), give(piece, share). What is left.
template <typename Pieces, typename Room, typename Give>
std::uint64_t spread(Pieces& pieces, std::uint64_t amount, Room&& room_of, Give&& give) {
    if (amount == 0) {
        return 0;
    }
    std::uint64_t room = 0;
    for (const auto& piece : pieces) {
        room += room_of(piece);
    }
    if (room == 0) {
        return amount;
    }
    Spread shares(std::min(amount, room), room);
    for (auto& piece : pieces) {
        give(piece, shares.share(room_of(piece)));
    }
    return amount - std::min(amount, room);
}

bool are_in_time(std::span<const OffInterval> offs) {
    std::uint64_t taken = 0;
    for (const OffInterval& off : offs) {
        if (off.begin < taken || off.end <= off.begin) {
            return false;
        }
        taken = off.end;
    }
    return true;
}

}  // namespace

void lay_in_time(std::vector<OffInterval>* offs) {
    if (are_in_time(*offs)) {
        return;
    }
    std::stable_sort(offs->begin(), offs->end(),
                     [](const OffInterval& a, const OffInterval& b) { return a.begin < b.begin; });
    std::uint64_t taken = 0;
    for (OffInterval& off : *offs) {
        off.begin = std::max(off.begin, taken);
        taken = std::max(taken, off.end);
    }
    std::erase_if(*offs, [](const OffInterval& off) { return off.end <= off.begin; });
}

StateBuilder::StateBuilder(std::uint64_t begin, std::span<const OffInterval> offs, std::span<const ThreadWait> waits)
    : now_(begin), offs_(offs) {
    if (!are_in_time(offs)) {
        own_offs_.assign(offs.begin(), offs.end());
        lay_in_time(&own_offs_);
        offs_ = own_offs_;
    }
    lay_waits(waits);
}

void StateBuilder::lay_waits(std::span<const ThreadWait> waits) {
    std::vector<std::uint32_t> order(waits.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::uint32_t>(i);
    }
    // Of two that begin together the shorter one is the inner one.
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return waits[a].begin != waits[b].begin ? waits[a].begin < waits[b].begin : waits[a].end > waits[b].end;
    });
    std::vector<std::uint32_t> open;  // the last is the innermost
    std::uint64_t at = 0;
    const auto close_until = [&](std::uint64_t time) {
        while (!open.empty() && at < time) {
            const ThreadWait& inner = waits[open.back()];
            const std::uint64_t end = std::min(time, inner.end);
            if (at < end) {
                covers_.push_back({at, end, open.back(), !is_synchronisation(inner.kind)});
                at = end;
            }
            if (inner.end <= at) {
                open.pop_back();
            }
        }
    };
    for (const std::uint32_t next : order) {
        close_until(waits[next].begin);
        at = waits[next].begin;
        open.push_back(next);
    }
    close_until(~std::uint64_t{0});
}

void StateBuilder::cut(std::uint64_t end) {
    pieces_.clear();
    for (std::uint64_t at = now_; at < end;) {
        while (next_off_ < offs_.size() && offs_[next_off_].end <= at) {
            ++next_off_;
        }
        while (next_cover_ < covers_.size() && covers_[next_cover_].end <= at) {
            ++next_cover_;
        }
        // In place: a copy of what was just written in parts waits until the parts are in memory.
        Piece& piece = pieces_.emplace_back();
        piece.begin = at;
        std::uint64_t until = end;
        if (next_off_ < offs_.size()) {
            const OffInterval& off = offs_[next_off_];
            piece.is_off = off.begin <= at;
            piece.is_ready = piece.is_off && off.is_ready;
            until = std::min(until, piece.is_off ? off.end : off.begin);
        }
        if (next_cover_ < covers_.size()) {
            const Cover& cover = covers_[next_cover_];
            const bool is_inside = cover.begin <= at;
            piece.wait = is_inside ? cover.wait : kNone;
            piece.is_call = is_inside && cover.is_call;
            until = std::min(until, is_inside ? cover.end : cover.begin);
        }
        piece.length = until - at;
        at = until;
    }
}

void StateBuilder::place_off(std::uint64_t off) {
    const auto give = [](Piece& piece, std::uint64_t share) { piece.off += share; };
    const auto length_if = [](const Piece& piece, bool is_meant) { return is_meant ? piece.length : 0; };
    off = spread(pieces_, off, [&](const Piece& piece) { return length_if(piece, piece.is_off); }, give);
    off = spread(
        pieces_, off, [&](const Piece& piece) { return length_if(piece, !piece.is_off && piece.wait != kNone); },
        give);
    spread(
        pieces_, off, [&](const Piece& piece) { return length_if(piece, !piece.is_off && piece.wait == kNone); },
        give);
}

void StateBuilder::place_system(std::uint64_t system) {
    const auto rank = [](const Piece& piece) { return piece.is_call ? 0 : piece.wait != kNone ? 1 : 2; };
    for (const int which : {0, 1, 2}) {
        system = spread(
            pieces_, system, [&](const Piece& piece) { return rank(piece) == which ? piece.length - piece.off : 0; },
            [](Piece& piece, std::uint64_t share) { piece.system += share; });
    }
}

std::uint64_t StateBuilder::on_in_calls() const {
    std::uint64_t sum = 0;
    for (const Piece& piece : pieces_) {
        sum += piece.is_call ? piece.length - piece.off : 0;
    }
    return sum;
}

// Of so much time on a processor, the system's.
std::uint64_t StateBuilder::settle(std::uint64_t by_tick, std::uint64_t least, std::uint64_t on) {
    constexpr std::int64_t kMostOwed = 1'000'000'000;  // ns: what is older belongs to another part of the run
    balance_ += static_cast<std::int64_t>(by_tick);
    const std::int64_t given = std::clamp(balance_, static_cast<std::int64_t>(least), static_cast<std::int64_t>(on));
    balance_ = std::max(balance_ - given, -kMostOwed);
    return static_cast<std::uint64_t>(given);
}

void StateBuilder::put(std::uint64_t length, ThreadState state, std::uint32_t wait) {
    if (length == 0) {
        return;
    }
    out_.push_back({.begin = now_, .end = now_ + length, .state = state, .wait = wait});
    now_ += length;
}

std::span<const StateInterval> StateBuilder::add(const Split& split) {
    out_.clear();
    // Time off the processor before measurement went on looks the same as waiting.
    put(static_cast<std::uint64_t>(split.paused), ThreadState::kPaused, kNone);
    const auto off = static_cast<std::uint64_t>(split.off_cpu);
    const auto on = static_cast<std::uint64_t>(split.user + split.system);
    auto system = static_cast<std::uint64_t>(split.system);
    const std::uint64_t end = now_ + on + off;
    if ((next_off_ == offs_.size() || offs_[next_off_].begin >= end) &&
        (next_cover_ == covers_.size() || covers_[next_cover_].begin >= end)) {
        // Nothing but the amounts: most intervals.
        system = split.by_tick ? settle(system, 0, on) : system;
        put(off, ThreadState::kOff, kNone);
        put(system, ThreadState::kSystem, kNone);
        put(on - system, ThreadState::kUser, kNone);
        return out_;
    }
    cut(end);
    place_off(off);
    place_system(split.by_tick ? settle(system, on_in_calls(), on) : system);
    for (const Piece& piece : pieces_) {
        const ThreadState why = piece.is_ready        ? ThreadState::kReady
                                : piece.wait != kNone ? ThreadState::kWaiting
                                                      : ThreadState::kOff;
        put(piece.off, why, piece.wait);
        put(piece.system, ThreadState::kSystem, piece.wait);
        put(piece.length - piece.off - piece.system,
            piece.wait != kNone ? ThreadState::kSpinning : ThreadState::kUser, piece.wait);
    }
    return out_;
}

}  // namespace kymo::spacetime
