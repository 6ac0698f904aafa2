// Which members that may get a token are alive, and which of them to query.
//
// A member watches a few slots of each span that it sends tokens into, in order, and queries only the first: one
// channel per span. Once that one has left two requests unanswered, the member also queries those behind it. They
// get as long to answer as the first has left, so that those that fail together fall silent at one time. A
// slot that is not queried counts as alive. Incarnations only grow: messages of an earlier one are ignored. Cost:
// a check of each watched slot, a few per span.
#pragma once

#include "ring/members/member.h"
#include "ring/members/spans.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace kymo::ring {

class Watch {
  public:
    explicit Watch(Time heartbeat) : heartbeat_(heartbeat) {}

    // Watches exactly these from now on, ascending; slots that were watched already keep their state.
    void set(std::span<const Span> groups, Time now) {
        std::vector<Watched> next;
        auto known = watched_.begin();
        for (const Span& group : groups) {
            for (Slot slot = group.first; slot < group.end; ++slot) {
                known =
                    std::find_if(known, watched_.end(), [slot](const Watched& each) { return each.slot >= slot; });
                next.push_back(known != watched_.end() && known->slot == slot ? *known : Watched{.slot = slot});
                next.back().is_first = slot == group.first;
                if (next.back().is_first && next.back().since == kNotAsked) {
                    next.back().since = now;  // it is asked at once, and its time to answer starts now
                }
            }
        }
        watched_ = std::move(next);
    }

    // Slots to ask now. The others need not answer any more.
    std::vector<Slot> ask(Time now) {
        std::vector<Slot> asked;
        bool further = true;
        Time since = now;  // when the time to answer starts for those behind: as for the suspect before them
        for (Watched& each : watched_) {
            if (each.is_first) {
                further = true;
                since = now;
            }
            if (!further) {
                each.since = kNotAsked;
                each.is_gone = false;
                continue;
            }
            if (each.since == kNotAsked) {
                each.since = since;
            }
            asked.push_back(each.slot);
            if (!is_silent(each, now)) {
                further = now >= each.since + suspicion();
                since = std::min(since, each.since);
            }
        }
        return asked;
    }

    // It has answered.
    void answered(Slot slot, Time now) {
        Watched* const each = find(slot);
        if (each != nullptr && each->since != kNotAsked) {
            each->since = now;
            each->is_gone = false;
        }
    }

    // A frame of its own shows that it is there. False: the frame is of an earlier incarnation.
    bool heard(Slot slot, std::uint64_t incarnation, Time now) {
        Watched* const each = find(slot);
        if (each == nullptr) {
            return true;
        }
        if (incarnation < each->incarnation) {
            return false;
        }
        each->incarnation = incarnation;
        answered(slot, now);
        return true;
    }

    // No process listens at its address. True: this is new.
    bool refused(Slot slot) {
        Watched* const each = find(slot);
        return each != nullptr && each->since != kNotAsked && !std::exchange(each->is_gone, true);
    }

    // The member itself has announced it.
    void gone(Slot slot, std::uint64_t incarnation) {
        Watched* const each = find(slot);
        if (each != nullptr && incarnation >= each->incarnation) {
            refused(slot);
        }
    }

    // Nothing can have been received: all times start now.
    void begin_anew(Time now) {
        for (Watched& each : watched_) {
            if (each.since != kNotAsked) {
                each.since = now;
            }
        }
    }

    [[nodiscard]] bool is_silent(Slot slot, Time now) const {
        const Watched* const each = find(slot);
        return each != nullptr && is_silent(*each, now);
    }

    // When the next member falls silent if it does not answer before.
    [[nodiscard]] Time next(Time now) const {
        Time next = kNever;
        for (const Watched& each : watched_) {
            if (each.since != kNotAsked && !each.is_gone && each.since + heartbeat_ > now) {
                next = std::min(next, each.since + heartbeat_);
            }
        }
        return next;
    }

  private:
    static constexpr Time kNotAsked = kNever;
    struct Watched {
        Slot slot = 0;
        bool is_first = false;  // of its span
        bool is_gone = false;
        std::uint64_t incarnation = 0;
        Time since = kNotAsked;  // last received frame, or start of its time to answer
    };
    // Two requests and half the time to the third.
    [[nodiscard]] Time suspicion() const { return heartbeat_ * 3 / (2 * kHeartbeatsInSilence); }
    [[nodiscard]] bool is_silent(const Watched& each, Time now) const {
        return each.since != kNotAsked && (each.is_gone || now >= each.since + heartbeat_);
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
