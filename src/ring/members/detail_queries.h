// The manager's detail query for the single objects of one host: the request, its deadline, and the agent's
// answer.
//
// One query at a time. It is repeated until it is answered, together with a probe: the heartbeat that answers the
// probe shows whether the agent supports detail queries at all. The viewer sends its next query when this one is
// answered. One thread, no I/O.
#pragma once

#include "ring/members/member.h"
#include "ring/protocol/detail_query.h"

#include <map>
#include <optional>
#include <vector>

namespace kymo::ring {

class DetailQueries {
  public:
    DetailQueries(const JobSettings& job, std::uint64_t epoch) : job_(job), epoch_(epoch) {}

    // Replaces the previous query. The answer to the same question is kept until the next rows arrive.
    // Precondition: tables as make_detail_query() requires them.
    void ask(Slot slot, std::vector<AskedTable> tables, Time now);
    // Stops the query.
    void end();

    void send(std::uint32_t slots, Time now, Outbox& out);
    [[nodiscard]] Time next() const { return next_; }

    // A frame of kind kRows. `slots`: the number of slots.
    Refusal take(std::span<const std::uint8_t> frame, std::uint32_t slots, Time now);
    // A heartbeat of that minor version has come.
    void heard(Slot slot, std::uint8_t minor);

    enum class State : std::uint8_t {
        kNothing,  // no query
        kAsked,    // no answer yet
        kTold,     // rows() belong to the last query, or to the one before while that is in flight
        kSilent,   // for two heartbeats; any rows() are old
        kEarlier   // the agent's version does not support queries
    };
    [[nodiscard]] State state(Time now) const;
    [[nodiscard]] bool is_open() const { return is_open_; }
    [[nodiscard]] Slot slot() const { return query_.head.slot; }
    [[nodiscard]] std::uint64_t number() const { return query_.head.number; }
    // Null: no answer to this question yet.
    [[nodiscard]] const Rows* rows() const { return rows_ ? &*rows_ : nullptr; }
    [[nodiscard]] const std::vector<AskedTable>& tables() const { return query_.tables; }

  private:
    [[nodiscard]] bool fits(const Rows& rows) const;

    JobSettings job_;
    std::uint64_t epoch_;
    DetailQuery query_;
    std::optional<Rows> rows_;
    std::map<Slot, std::uint64_t> incarnations_;  // of the agents that have answered
    bool is_open_ = false;                        // not answered yet
    bool is_sent_ = false;                        // once at least
    bool is_earlier_ = false;
    Time asked_ = 0;
    Time next_ = kNever;
};

}  // namespace kymo::ring
