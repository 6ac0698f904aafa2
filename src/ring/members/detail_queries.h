// The manager's detail query of one host's single objects: what is asked, until when, and what its agent has told.
//
// One query at a time. It is told again until it is answered, with a probe beside it, whose heartbeat says whether
// that agent knows detail queries at all. Whoever shows the rows asks the next one when this is answered. One thread,
// no I/O.
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

    // Instead of what was asked before. What was told to the same question stays until the next rows. Precondition:
    // tables as make_detail_query() wants them.
    void ask(Slot slot, std::vector<AskedTable> tables, Time now);
    // Nobody wants to know any more.
    void end();

    void send(std::uint32_t slots, Time now, Outbox& out);
    [[nodiscard]] Time next() const { return next_; }

    // A frame of kind kRows. `slots`: that there are.
    Refusal take(std::span<const std::uint8_t> frame, std::uint32_t slots, Time now);
    // A heartbeat of that minor version has come.
    void heard(Slot slot, std::uint8_t minor);

    enum class State : std::uint8_t {
        kNothing,  // is asked
        kAsked,    // and nothing was told yet
        kTold,     // rows() are of the last query, or of the one before while that is in flight
        kSilent,   // for two heartbeats; rows() are old, if there are any
        kEarlier   // the agent is of a version that knows no queries
    };
    [[nodiscard]] State state(Time now) const;
    [[nodiscard]] bool is_open() const { return is_open_; }
    [[nodiscard]] Slot slot() const { return query_.head.slot; }
    [[nodiscard]] std::uint64_t number() const { return query_.head.number; }
    // Null: none to this question yet.
    [[nodiscard]] const Rows* rows() const { return rows_ ? &*rows_ : nullptr; }
    [[nodiscard]] const std::vector<AskedTable>& tables() const { return query_.tables; }

  private:
    [[nodiscard]] bool fits(const Rows& rows) const;

    JobSettings job_;
    std::uint64_t epoch_;
    DetailQuery query_;
    std::optional<Rows> rows_;
    std::map<Slot, std::uint64_t> incarnations_;  // of those that have answered
    bool is_open_ = false;                        // not answered yet
    bool is_sent_ = false;                        // once at least
    bool is_earlier_ = false;
    Time asked_ = 0;
    Time next_ = kNever;
};

}  // namespace kymo::ring
