// Which of a few watched slots are silent.
//
// A slot counts as there from when it is first watched, for a heartbeat; then as long as it was heard within one.
// Incarnations only grow: what an earlier one says is not heard. Cost: a binary search among the watched.
#pragma once

#include "ring/members/member.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kymo::ring {

class Watch {
  public:
    explicit Watch(Time heartbeat) : heartbeat_(heartbeat) {}

    // Exactly these from now on, ascending; those that were watched already keep what is known of them.
    void set(const std::vector<Slot>& slots, Time now) {
        std::vector<Watched> next;
        next.reserve(slots.size());
        auto known = watched_.begin();
        for (const Slot slot : slots) {
            known = std::find_if(known, watched_.end(), [slot](const Watched& each) { return each.slot >= slot; });
            next.push_back(known != watched_.end() && known->slot == slot ? *known : Watched{slot, 0, now, false});
        }
        watched_ = std::move(next);
    }

    // False: an earlier incarnation. One that is not watched is of no interest.
    bool heard(Slot slot, std::uint64_t incarnation, Time now) {
        Watched* const each = find(slot);
        if (each == nullptr) {
            return true;
        }
        if (incarnation < each->incarnation) {
            return false;
        }
        *each = {slot, incarnation, now, false};
        return true;
    }

    void gone(Slot slot, std::uint64_t incarnation) {
        Watched* const each = find(slot);
        if (each != nullptr && incarnation >= each->incarnation) {
            each->gone = true;
        }
    }

    // Nothing can have been heard: all count from now.
    void begin_anew(Time now) {
        for (Watched& each : watched_) {
            each.heard = now;
        }
    }

    [[nodiscard]] bool is_silent(Slot slot, Time now) const {
        const Watched* const each = find(slot);
        return each != nullptr && is_silent(*each, now);
    }

    [[nodiscard]] std::vector<Slot> silent(Time now) const {
        std::vector<Slot> silent;
        for (const Watched& each : watched_) {
            if (is_silent(each, now)) {
                silent.push_back(each.slot);
            }
        }
        return silent;
    }

    // When the next one will be silent, if it is not heard before.
    [[nodiscard]] Time next(Time now) const {
        Time next = kNever;
        for (const Watched& each : watched_) {
            if (!each.gone && each.heard + heartbeat_ > now) {
                next = std::min(next, each.heard + heartbeat_);
            }
        }
        return next;
    }

  private:
    struct Watched {
        Slot slot;
        std::uint64_t incarnation;
        Time heard;
        bool gone;
    };
    [[nodiscard]] bool is_silent(const Watched& each, Time now) const {
        return each.gone || now >= each.heard + heartbeat_;
    }
    [[nodiscard]] const Watched* find(Slot slot) const {
        const auto at = std::lower_bound(watched_.begin(), watched_.end(), slot,
                                         [](const Watched& each, Slot wanted) { return each.slot < wanted; });
        return at != watched_.end() && at->slot == slot ? &*at : nullptr;
    }
    Watched* find(Slot slot) { return const_cast<Watched*>(std::as_const(*this).find(slot)); }

    Time heartbeat_;
    std::vector<Watched> watched_;  // by slot
};

}  // namespace kymo::ring
