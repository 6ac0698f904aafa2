// The manager of the service ring: sends tokens round, joins those that return, and reports what they cover. A
// member (members/member.h): no I/O of its own.
//
// A round is one sequence over all spans. It ends when every token has returned or the time allowed is over; what
// is missing then is a hole. At most `in_flight` rounds are in flight. Costs a few hundred nanoseconds per token
// beside its bytes, for any number of agents in reduce mode.
#pragma once

#include "ring/members/detail_queries.h"
#include "ring/members/metric_queries.h"
#include "ring/members/orders.h"
#include "ring/members/pace.h"
#include "ring/members/sample.h"
#include "ring/members/spans.h"
#include "ring/members/watch.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace kymo::ring {

struct ManagerSettings {
    JobSettings job;
    std::uint64_t epoch = 1;  // greater than that of every earlier manager
    std::uint64_t clock = 0;  // identifies the clock of this member; 0: not known
    std::uint32_t slots = 1;
    Mode mode = Mode::kReduce;
    Time period = 1'000'000'000;  // requested
    Time longest_period = 60'000'000'000;
    Budget budget;
    std::uint32_t in_flight = 4;  // rounds; at most kWindow / 2
    std::uint32_t segments = 0;   // 0: chosen from measured costs
};

struct ManagerCounts {
    std::uint64_t sent = 0;  // tokens
    std::uint64_t resent = 0;
    std::uint64_t received = 0;
    std::uint64_t lost = 0;
    std::uint64_t late = 0;  // returned after they were given up
    std::uint64_t rounds = 0;
    std::uint64_t overtaken = 0;  // rounds that ended after a later one
    RefusalCounts refused{};
};

class Manager {
  public:
    Manager(const ManagerSettings& settings, std::vector<Entry> request, Time now);

    void on_frame(Bytes frame, Time now, Outbox& out);
    void on_answer(const Answer& answer, Time now, Outbox& out);
    void on_timer(Time now, Outbox& out);
    [[nodiscard]] Time next_timer() const;

    void set_slots(std::uint32_t slots, Time now);  // never decreases
    void set_request(std::vector<Entry> request) { request_ = std::move(request); }
    void set_period(Time period);
    // The switches for all agents from now on. Sent until they answer, and occasionally after that.
    void order(std::vector<Switch> switches, Time now) { orders_.begin(std::move(switches), now); }
    [[nodiscard]] const Orders& orders() const { return orders_; }
    // Queries the single objects of one host.
    void query(Slot slot, std::vector<AskedTable> tables, Time now) { queries_.ask(slot, std::move(tables), now); }
    void end_detail() { queries_.end(); }
    [[nodiscard]] const DetailQueries& queries() const { return queries_; }
    // Queries descriptions of metrics that programs define.
    void describe(std::vector<MetricAsked> metrics, Time now) { metrics_.ask(std::move(metrics), now); }
    [[nodiscard]] const MetricQueries& metrics() const { return metrics_; }
    // Cost of a token and its reply at the manager, ns of processor time; determines the number of segments.
    void set_token_cost(double ns) { token_cost_ = ns; }

    // Rounds that have ended since the last call, by ascending sequence. A round that ends after a later one is
    // outdated, and only counted.
    std::vector<Sample> take_samples() { return std::exchange(samples_, {}); }

    [[nodiscard]] const ManagerCounts& counts() const { return counts_; }
    [[nodiscard]] const Spans& spans() const { return spans_; }
    [[nodiscard]] Time period() const { return pace_.period(); }
    [[nodiscard]] Time round_trip() const { return round_trip_; }  // smoothed; 0: none yet
    [[nodiscard]] bool wants_roster() const { return seen_slots_ > settings_.slots; }
    // How long returned tokens may be batched before they are processed (ns): a quarter of a round trip, and only
    // while enough rounds are in flight to hide the delay.
    [[nodiscard]] Time may_gather() const {
        return rounds_.size() < kGatherFrom ? 0 : std::min(round_trip_ / 4, kGatherFor);
    }
    // Calls take(first slot, tokens, ns) for each span: the number of tokens that returned, and their total time.
    template <typename Take>
    void trips(Take take) const {
        for (const auto& [first, home] : home_) {
            take(first, home.trips, home.trips_ns);
        }
    }

  private:
    static constexpr std::size_t kGatherFrom = 4;
    static constexpr Time kGatherFor = 5'000'000;
    struct Sent {
        Slot first;
        Slot end;
        Slot to;
        Bytes frame;
        bool home;
        Token token;  // once it has returned
    };
    struct Round {
        Time started;
        Time deadline;
        Time give_up;
        Mode mode;
        std::vector<Entry> entries;
        std::vector<Sent> tokens;  // by first slot
        std::size_t awaited = 0;   // of them
    };

    // Returns of the tokens that were sent to the span that begins with a slot.
    struct Home {
        std::uint64_t sequence = 0;  // the last that returned, and when
        Time at = 0;
        std::uint64_t trips = 0;
        std::uint64_t trips_ns = 0;
    };

    void on_token(Bytes frame, Time now);
    void on_obeyed(std::span<const std::uint8_t> frame);
    void refuse(Refusal refusal) { ++counts_.refused[static_cast<std::size_t>(refusal)]; }
    void start_round(Time now, Outbox& out);
    void announce(TokenHeader& header, Time now);
    [[nodiscard]] Time time_allowed() const;
    [[nodiscard]] Slot next_of(Slot first, Slot end, Time now) const;
    void pass_the_silent(Time now, Outbox& out);
    void send_heartbeats(Time now, Outbox& out);
    void notice_pause(Time now);
    void end_round(std::uint64_t sequence, Time now);
    void note_metrics(const Sample& sample);
    void judge(const Sample& sample, Time now);
    bool follow_costs();
    void watch(Time now);
    void learn_round_trip(Time round_trip);

    ManagerSettings settings_;
    std::vector<Entry> request_;
    Pace pace_;
    Spans spans_;
    Watch watch_;
    ManagerCounts counts_;
    Orders orders_;
    DetailQueries queries_;
    MetricQueries metrics_;
    std::map<std::uint64_t, Round> rounds_;          // in flight
    std::map<std::uint64_t, std::set<Slot>> ended_;  // spans that returned late, by sequence
    std::map<std::uint64_t, Time> deadlines_;        // announced, not yet started
    std::map<Slot, Home> home_;                      // by span
    std::vector<Sample> samples_;
    std::uint64_t sequence_ = 0;
    std::uint64_t newest_ = 0;  // of the samples
    std::uint32_t seen_slots_ = 0;
    Time next_round_ = 0;
    Time next_heartbeat_ = 0;
    Time next_silence_ = 0;  // no further member falls silent before this time
    Time round_trip_ = 0;
    double token_cost_ = 0;
    std::uint32_t good_rounds_ = 0;
    std::uint32_t segments_before_ = 0;  // before the last change; 0: that change has been judged
    Time round_trip_before_ = 0;
    std::uint32_t rest_ = 0;  // judgements until another change is tried
    Time last_call_ = 0;
};

}  // namespace kymo::ring
