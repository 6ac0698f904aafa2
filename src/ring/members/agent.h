// An agent of the service ring: latches its host's cells, adds them to tokens, forwards tokens, and checks whether
// the next agent is there. A member (members/member.h): no I/O of its own.
//
// It takes part in each sequence once (docs/ring-protocol.md, "Once"), keeps each forwarded token while it is in
// flight, and forwards it again if the receiver falls silent. The protocol's window bounds what it keeps.
#pragma once

#include "ring/members/clock_relation.h"
#include "ring/members/member.h"
#include "ring/members/watch.h"
#include "ring/protocol/detail_query.h"
#include "ring/protocol/metric_query.h"
#include "ring/protocol/order.h"
#include "ring/protocol/token.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace kymo::ring {

struct AgentSettings {
    JobSettings job;
    Slot slot = 0;
    std::uint64_t incarnation = 1;
    std::uint64_t clock = 0;  // identifies the clock of this member; 0: not known
    std::uint32_t slots = 1;  // number of slots in its roster
};

struct AgentCounts {
    std::uint64_t received = 0;  // tokens taken part in
    std::uint64_t sent = 0;
    std::uint64_t resent = 0;    // to another member, because the first one had fallen silent
    std::uint64_t orders = 0;    // obeyed and answered
    std::uint64_t queries = 0;   // answered
    std::uint64_t off_time = 0;  // latched at a time other than the announced one
    RefusalCounts refused{};
};

class Agent {
  public:
    // Reads this host's cells now: one record for each entry of the request (initially empty).
    using Read = std::function<void(std::span<const Entry>, std::span<Record>)>;

    // Applies the switches of an order and fills in their effect.
    using Obey = std::function<void(std::span<Switch>)>;

    // Reads the requested rows: one table for each requested one, within its bounds.
    using Tell = std::function<Rows(std::span<const AskedTable>)>;

    // Describes the requested metrics, in the same order.
    using Describe = std::function<std::vector<MetricTold>(std::span<const MetricAsked>)>;

    // Without `obey` no metric is switched, and answers say so; without `tell`, `describe` queries are refused.
    Agent(const AgentSettings& settings, Read read, Time now, Obey obey = {}, Tell tell = {}, Describe describe = {});

    void on_frame(Bytes frame, Time now, Outbox& out);
    void on_answer(const Answer& answer, Time now, Outbox& out);
    void on_timer(Time now, Outbox& out);
    [[nodiscard]] Time next_timer(Time now) const;

    // The roster has grown. False: it has to, because wants_roster() is set.
    void set_slots(std::uint32_t slots) { settings_.slots = std::max(settings_.slots, slots); }
    [[nodiscard]] bool wants_roster() const { return seen_slots_ > settings_.slots; }

    // The recent cost of a token, ns of processor time; reported with the next token.
    void set_work(std::uint64_t work) { work_ = work; }

    [[nodiscard]] const AgentCounts& counts() const { return counts_; }
    [[nodiscard]] ClockRelation::Estimate clock(Time now) const { return clock_.at(now); }

  private:
    struct Latch {
        std::optional<Time> due;  // own clock; nothing: not announced
        std::optional<Time> at;   // nothing: not yet
        std::vector<Entry> entries;
        std::vector<Record> records;
    };
    // A token in flight that was forwarded to another agent.
    struct Kept {
        std::uint64_t sequence;
        Slot end;
        Slot to;
        Bytes frame;
    };
    // When a token was forwarded; used when its return is reported.
    struct Forwarded {
        std::uint64_t sequence = 0;
        Slot first = 0;
        Slot end = 0;
        Time at = 0;
    };

    void on_token(Bytes frame, Time now, Outbox& out);
    void on_heartbeat(std::span<const std::uint8_t> frame, Time now, Outbox& out);
    void on_order(std::span<const std::uint8_t> frame, Outbox& out);
    bool admits_query(Refusal opened, const Prefix& prefix, Slot slot, bool is_answered);
    void on_detail_query(std::span<const std::uint8_t> frame, Outbox& out);
    void on_metric_query(std::span<const std::uint8_t> frame, Outbox& out);
    void refuse(Refusal refusal) { ++counts_.refused[static_cast<std::size_t>(refusal)]; }
    void begin_epoch(std::uint64_t epoch);
    Refusal admit(const Token& token);
    void forget_before(std::uint64_t oldest);
    [[nodiscard]] bool is_done(std::uint64_t sequence) const;
    void take_span(std::uint64_t sequence, Slot first, Slot end, Time now);
    void learn_clock(const TokenHeader& header, Time now);
    Latch& latched_for(const Token& token, Time now);
    void do_latch(Latch& latch, std::span<const Entry> entries, Time now);
    void schedule(const Token& token, Time now);
    void latch_what_is_due(Time now);
    [[nodiscard]] Slot next_of(Slot end, Time now) const;
    void hand_on(Token& token, Time now, Outbox& out);
    void pass_the_silent(Time now, Outbox& out);
    [[nodiscard]] Bytes heartbeat(FrameKind kind, Time now) const;
    void send_heartbeats(Time now, Outbox& out);
    void notice_pause(Time now);

    AgentSettings settings_;
    Read read_;
    Obey obey_;
    Tell tell_;
    Describe describe_;
    AgentCounts counts_;
    ClockRelation clock_;
    Watch successors_;
    std::set<Slot> waiting_;  // members of before 1.5, for heartbeats
    std::uint64_t epoch_ = 0;
    std::uint64_t order_ = 0;  // the newest order obeyed in this epoch
    std::uint64_t query_ = 0;  // the newest query answered
    std::uint64_t oldest_ = 1;
    std::uint64_t done_ = 0;  // bit i: sequence oldest_ + i has been handled
    std::map<std::uint64_t, Latch> latches_;
    Time next_latch_ = kNever;  // no latch is due before this time
    std::vector<Kept> kept_;
    std::array<Forwarded, kWindow> forwarded_{};  // by sequence, modulo
    std::uint64_t span_sequence_ = 0;             // of the newest token that was seen or reported, and its span
    Slot first_ = 0;
    Slot end_ = 0;
    std::uint32_t seen_slots_ = 0;
    std::uint64_t work_ = 0;
    Time next_heartbeat_ = 0;
    Time last_call_ = 0;
};

}  // namespace kymo::ring
