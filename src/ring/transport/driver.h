// Runs a member of the ring over channels: the loop that passes frames and the time to it.
//
// Members find one another by their Place, which is checked periodically and when the member has received slots
// that it cannot map. The cost of a token in this process is measured and passed to the member. One thread, the
// caller's; turn() returns when the caller's own time has come.
#pragma once

#include "base/time.h"
#include "ring/members/agent.h"
#include "ring/members/manager.h"
#include "ring/transport/place.h"

#include <ctime>
#include <memory>

namespace kymo::ring {

// Identifies the clock of a member: it differs between hosts and time namespaces. 0: not known.
std::uint64_t own_clock();

// How often the place is checked. A new manager waits this long before its first round, so that all agents can
// find it.
inline constexpr Time kReadPlaceEvery = 500'000'000;
inline constexpr Time kHeardOf = kReadPlaceEvery + 200'000'000;

// An agent connects to no member farther than this many times its reach; the manager cuts out a wider gap.
inline constexpr std::uint32_t kFar = 4;

template <typename Member>
class Driver {
  public:
    Driver(Member& member, Slot slot, std::uint32_t reach, Channels& channels, const Place& place)
        : member_(member), slot_(slot), reach_(reach), channels_(channels), place_(place) {}

    // Handles what has arrived, and one timer. Returns at `until` at the latest, or at a signal.
    void turn(Time until) {
        Time now = monotonic_now().ns;
        if (now >= next_reading_) {
            look(now);
        }
        Bytes frame;
        Outbox out;
        const Time timer = next_timer(now);
        const Time before = begin_turn();
        const Time end = std::min({until, next_reading_, timer});
        gather(now, end);
        const bool came = channels_.receive(frame, end);
        now = monotonic_now().ns;
        for (Answer answer; channels_.take_answer(answer);) {
            member_.on_answer(answer, now, out);
        }
        for (bool more = came; more; more = channels_.take(frame)) {
            member_.on_frame(std::move(frame), now, out);
        }
        if (now >= timer) {
            member_.on_timer(now, out);
        }
        deliver(out);
        took(before);
        if (member_.wants_roster()) {
            next_reading_ = std::min(next_reading_, now + kReadPlaceEvery / 10);
        }
    }

    void deliver(const Outbox& out) { channels_.send_all(out); }

    [[nodiscard]] const Place::Roster& roster() const { return roster_; }

  private:
    Time next_timer(Time now) const {
        if constexpr (std::is_same_v<Member, Manager>) {
            return member_.next_timer();
        } else {
            return member_.next_timer(now);
        }
    }

    // A wake-up and two calls into the kernel are most of what a token costs the manager, so several tokens share
    // them.
    void gather(Time now, Time end) const {
        if constexpr (std::is_same_v<Member, Manager>) {
            const Time rest = std::min(end, now + member_.may_gather());
            if (rest > now) {
                const std::uint64_t here = rest + static_cast<std::uint64_t>(monotonic_shift);
                const timespec at{static_cast<time_t>(here / 1'000'000'000U),
                                  static_cast<long>(here % 1'000'000'000U)};
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
            }
        }
    }

    // Excludes unauthenticated connections from this member's work; otherwise a flood of them would slow the ring
    // down.
    Time own_work() const {
        return read_clock(CLOCK_PROCESS_CPUTIME_ID).ns - channels_.counts().unauthenticated_work;
    }

    // Reading processor time is a call into the kernel, so only one in this many of the manager's turns is
    // measured.
    static constexpr std::uint32_t kSampledTurns = 8;
    static constexpr std::uint32_t kCosted = 4;
    Time begin_turn() {
        if constexpr (std::is_same_v<Member, Manager>) {
            if (++turns_ % kSampledTurns == 0) {
                tokens_ = member_.counts().received;
                return own_work();
            }
        }
        return 0;
    }

    // An agent's: the processor time of this whole process since the previous token, including heartbeats. The
    // manager's: the cost of a turn that takes a token.
    void took(Time before) {
        if constexpr (std::is_same_v<Member, Agent>) {
            const std::uint64_t tokens = member_.counts().received;
            if (tokens != tokens_) {
                const Time spent = own_work();
                member_.set_work((spent - spent_) / (tokens - tokens_));
                spent_ = spent;
                tokens_ = tokens;
            }
        } else {
            if (before == 0 || member_.counts().received == tokens_) {
                return;
            }
            cost_ +=
                static_cast<double>(own_work() - before) / static_cast<double>(member_.counts().received - tokens_);
            if (++costed_ == kCosted) {
                member_.set_token_cost(cost_ / kCosted);
                costed_ = 0;
                cost_ = 0;
            }
        }
    }

    void look(Time now) {
        next_reading_ = now + kReadPlaceEvery;
        const std::uint64_t version = place_.version();
        if (version == version_) {
            return;
        }
        version_ = version;
        roster_ = place_.roster();
        if constexpr (std::is_same_v<Member, Manager>) {
            member_.set_slots(std::max(roster_.slots, 1U), now);
        } else {
            member_.set_slots(roster_.slots);
            if (roster_.manager) {
                channels_.connect(kManager, roster_.manager->endpoint);
            }
        }
        for (const MemberFile& each : roster_.agents) {
            const Slot apart = each.slot > slot_ ? each.slot - slot_ : slot_ - each.slot;
            if (slot_ == kManager || (each.slot != slot_ && apart <= kFar * reach_)) {
                channels_.connect(each.slot, each.endpoint);
            }
        }
    }

    Member& member_;
    Slot slot_;
    std::uint32_t reach_;
    Channels& channels_;
    const Place& place_;
    Place::Roster roster_;
    std::uint64_t version_ = ~std::uint64_t{0};
    Time next_reading_ = 0;
    std::uint64_t tokens_ = 0;
    Time spent_ = own_work();
    double cost_ = 0;
    std::uint32_t costed_ = 0;  // turns in it
    std::uint32_t turns_ = 0;
};

}  // namespace kymo::ring
