// A ring of the real members over virtual channels, with faults, in virtual time.
//
// The agents and the manager are those of src/ring/members; only clocks, channels and processors are made up here. A
// hop takes `hop` ns and `byte` ns a byte, more by a random share; who handles a frame is busy meanwhile, so that a
// manager that is asked too much gets slow. Everything is decided by the seed: the same seed gives the same run.
// A channel takes `open` ns to be made, and is closed when nothing has gone by it for a heartbeat.
// Every agent's cells are known, so sums can be held against them; one cell is the true time of its latch.
#pragma once

#include "ring/members/agent.h"
#include "ring/members/manager.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace kymo::ring::simulator {

struct Costs {
    double hop = 20'000;             // ns from one member's sending to the next one's receiving
    double byte = 0.3;               // ns a byte on a channel
    double open = 500'000;           // ns until a channel can be used: TCP's handshake and CURVE's
    double jitter = 0.2;             // of a hop: uniformly up to so much more
    double agent = 8'000;            // ns that an agent is busy with a frame
    double manager_send = 4'000;     // and the manager, with a frame it sends
    double manager_receive = 4'000;  // and one it receives
};

struct Faults {
    double lost = 0;  // share of frames
    double doubled = 0;
    double late = 0;  // by up to late_by
    Time late_by = 0;
    bool any() const { return lost > 0 || doubled > 0 || late > 0; }
};

struct WorldSettings {
    std::uint32_t agents = 8;
    std::uint64_t seed = 1;
    ManagerSettings manager;  // of it the slots are set here
    std::vector<Entry> request;
    Costs costs;
    bool one_processor = false;  // all agents share one: while one handles a frame the others wait
    bool refuses = false;        // where an agent was killed the host says so; false: it is silent
    bool own_clocks = true;      // each member has its own offset and drift; false: all share one
};

// What every entry of a request means to the agents here, by its metric.
inline constexpr std::uint32_t kKnownValue = 1;  // known_value(slot): never changes
inline constexpr std::uint32_t kLatchTime = 2;   // virtual time of the latch
std::uint64_t known_value(Slot slot);
// Of every table of a look: row i has known_value(slot) + i for each metric, and the reading's virtual time.
inline constexpr std::uint32_t kKnownRows = 5;

class World {
  public:
    explicit World(const WorldSettings& settings);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void run_until(Time end);
    [[nodiscard]] Time now() const { return now_; }

    // Samples since the last call, with the virtual time at which each ended.
    struct Ended {
        Time at;
        Sample sample;
    };
    std::vector<Ended> take_samples() { return std::exchange(samples_, {}); }

    Faults faults;
    void kill(Slot slot);  // frames to it are lost, its memory is gone
    void restart(Slot slot);
    void stop(Slot slot);  // frames to it wait
    void go_on(Slot slot);
    void kill_manager();
    void restart_manager();
    void cut_off(const std::set<Slot>& part);  // from all others, the manager among them; empty: nobody is
    void join();                               // another agent, in a new slot
    [[nodiscard]] bool is_running(Slot slot) const;

    [[nodiscard]] Manager& manager() { return *manager_; }
    [[nodiscard]] const Agent& agent(Slot slot) const;
    [[nodiscard]] Time time_of(Slot slot) const;  // by its own clock, now
    [[nodiscard]] Time time_of_manager() const;
    // The true difference between an agent's clock and the manager's, now.
    [[nodiscard]] std::int64_t true_offset(Slot slot) const;

    // Channels that are open now, of all members together.
    [[nodiscard]] std::size_t open_channels() const;
    [[nodiscard]] std::uint64_t frames() const { return frames_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] Time manager_busy() const { return manager_busy_; }

  private:
    struct Node;
    struct Event;
    struct Channel {
        std::uint64_t lives = 0;  // of both ends, when it was opened
        Time ready = kNever;
        Time used = 0;
    };
    [[nodiscard]] bool is_open(Slot from, Slot to, const Channel& channel) const;

    Node& node(Slot slot);
    void call(Node& node, Bytes* frame, const Answer* answer = nullptr);
    void answer(Slot asking, const Answer& answer);
    void deliver(Node& node, Bytes frame);
    void take_next(Node& node);
    void send(Node& from, Outbox& out, Time leaves);
    Time channel(const Node& from, const Node& to, Time leaves);
    void set_timer(Node& node);
    void push(Event event);
    double random();
    void start_agent(Slot slot);
    [[nodiscard]] bool is_cut(Slot from, Slot to) const;

    WorldSettings settings_;
    std::mt19937_64 random_;
    Time now_ = 0;
    std::uint64_t order_ = 0;
    std::vector<Event> events_;  // a heap, the next one first
    std::vector<std::unique_ptr<Node>> nodes_;
    std::unique_ptr<Node> manager_node_;
    std::unique_ptr<Manager> manager_;
    std::set<Slot> cut_;
    std::map<std::pair<Slot, Slot>, Channel> channels_;  // by sender and receiver
    std::vector<Ended> samples_;
    std::uint64_t frames_ = 0;
    std::uint64_t bytes_ = 0;
    Time manager_busy_ = 0;
    Time agents_busy_until_ = 0;  // where they share a processor
};

}  // namespace kymo::ring::simulator
