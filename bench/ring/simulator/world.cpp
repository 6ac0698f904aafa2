#include "simulator/world.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <tuple>

namespace kymo::ring::simulator {

struct World::Node {
    Slot slot = kManager;
    std::unique_ptr<Agent> agent;  // null: the manager's, or killed
    std::uint64_t life = 0;        // counts up when it is killed: what was in flight to it is lost
    bool alive = false;
    bool stopped = false;
    std::vector<Bytes> waiting;  // while it is stopped
    std::deque<Bytes> queue;     // while it is busy
    Time busy_until = 0;
    Time timer = kNever;  // the event that is set
    double offset = 0;    // its clock: offset + now * rate
    double rate = 1;
    std::uint64_t incarnation = 0;

    [[nodiscard]] Time local(Time now) const { return static_cast<Time>(offset + static_cast<double>(now) * rate); }
    // Not before a member's time `at`.
    [[nodiscard]] Time world(Time at) const {
        const double time = (static_cast<double>(at) - offset) / rate;
        return time < 0 ? 0 : static_cast<Time>(std::ceil(time)) + 1;
    }
};

struct World::Event {
    Time at = 0;
    std::uint64_t order = 0;
    Slot to = kManager;
    std::uint64_t life = 0;
    bool is_timer = false;
    bool is_next = false;           // it is not busy any more with what came before
    std::optional<Slot> asks = {};  // who asks by the frame
    Bytes frame = {};
    std::optional<Answer> answer = {};

    bool operator<(const Event& other) const { return std::tie(at, order) > std::tie(other.at, other.order); }
};

std::uint64_t known_value(Slot slot) {
    // Any sum of some differs from the sum of others, as good as certainly.
    std::uint64_t mixed = (slot + 1) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
    return (mixed * 0xBF58476D1CE4E5B9U) >> 20U;
}

World::World(const WorldSettings& settings) : settings_(settings), random_(settings.seed) {
    settings_.manager.slots = settings.agents;
    manager_node_ = std::make_unique<Node>();
    const auto make_clock = [this](Node& made) {
        if (settings_.own_clocks) {
            made.offset = 1e15 * random();
            made.rate = 1 + (random() - 0.5) * 1e-4;
        }
    };
    make_clock(*manager_node_);
    for (Slot slot = 0; slot < settings.agents; ++slot) {
        nodes_.push_back(std::make_unique<Node>());
        nodes_.back()->slot = slot;
        make_clock(*nodes_.back());
        start_agent(slot);
    }
    settings_.manager.epoch -= 1;
    restart_manager();
}

World::~World() = default;

double World::random() {
    return std::generate_canonical<double, 53>(random_);
}

World::Node& World::node(Slot slot) {
    return slot == kManager ? *manager_node_ : *nodes_[slot];
}

const Agent& World::agent(Slot slot) const {
    return *nodes_[slot]->agent;
}

bool World::is_running(Slot slot) const {
    return nodes_[slot]->alive && !nodes_[slot]->stopped;
}

Time World::time_of(Slot slot) const {
    return nodes_[slot]->local(now_);
}

Time World::time_of_manager() const {
    return manager_node_->local(now_);
}

std::int64_t World::true_offset(Slot slot) const {
    return static_cast<std::int64_t>(nodes_[slot]->local(now_) - manager_node_->local(now_));
}

void World::start_agent(Slot slot) {
    Node& started = *nodes_[slot];
    started.alive = true;
    started.stopped = false;
    ++started.incarnation;
    AgentSettings agent;
    agent.job = settings_.manager.job;
    agent.slot = slot;
    agent.incarnation = started.incarnation;
    agent.clock = settings_.own_clocks ? slot + 1000 : settings_.manager.clock;
    agent.slots = static_cast<std::uint32_t>(std::max<std::size_t>(nodes_.size(), settings_.manager.slots));
    started.agent = std::make_unique<Agent>(
        agent,
        [this, slot](std::span<const Entry> entries, std::span<Record> records) {
            for (std::size_t i = 0; i < entries.size(); ++i) {
                records[i].add(entries[i].metric == kLatchTime ? now_ : known_value(slot));
            }
        },
        started.local(now_), Agent::Obey{},
        [this, slot](std::span<const AskedTable> tables) {
            Rows rows;
            rows.facts.read = now_;
            for (const AskedTable& asked : tables) {
                ToldTable& table = rows.tables.emplace_back(ToldTable{asked.head, {}});
                table.head.there = kKnownRows;
                table.head.metrics = static_cast<std::uint16_t>(asked.metrics.size());
                table.head.rows = std::min(asked.head.rows, kKnownRows);
                for (std::uint32_t number = 0; number < table.head.rows; ++number) {
                    TableRow row{{}, std::vector<std::uint64_t>(asked.metrics.size(), known_value(slot) + number)};
                    row.head.number = number;
                    row.head.state = RowIs::kThere;
                    table.rows.push_back(std::move(row));
                }
            }
            return rows;
        });
    started.timer = kNever;
    set_timer(started);
}

void World::restart(Slot slot) {
    start_agent(slot);
}

void World::kill(Slot slot) {
    Node& killed = *nodes_[slot];
    killed.alive = false;
    killed.agent.reset();
    killed.waiting.clear();
    killed.queue.clear();
    killed.timer = kNever;
    ++killed.life;
}

void World::stop(Slot slot) {
    nodes_[slot]->stopped = true;
}

void World::go_on(Slot slot) {
    Node& resumed = *nodes_[slot];
    if (!resumed.stopped || !resumed.alive) {
        return;
    }
    resumed.stopped = false;
    for (Bytes& frame : std::exchange(resumed.waiting, {})) {
        deliver(resumed, std::move(frame));
    }
    call(resumed, nullptr);
}

void World::kill_manager() {
    manager_.reset();
    manager_node_->alive = false;
    manager_node_->timer = kNever;
    ++manager_node_->life;
}

void World::restart_manager() {
    ++settings_.manager.epoch;
    manager_node_->alive = true;
    manager_ = std::make_unique<Manager>(settings_.manager, settings_.request, manager_node_->local(now_));
    set_timer(*manager_node_);
}

void World::cut_off(const std::set<Slot>& part) {
    cut_ = part;
}

bool World::is_cut(Slot from, Slot to) const {
    return !cut_.empty() && cut_.contains(from) != cut_.contains(to);
}

void World::join() {
    const auto slot = static_cast<Slot>(nodes_.size());
    nodes_.push_back(std::make_unique<Node>());
    nodes_.back()->slot = slot;
    nodes_.back()->offset = manager_node_->offset;
    settings_.manager.slots = slot + 1;
    for (const auto& each : nodes_) {
        if (each->agent) {
            each->agent->set_slots(slot + 1);
        }
    }
    if (manager_) {
        manager_->set_slots(slot + 1, manager_node_->local(now_));
    }
    start_agent(slot);
}

void World::push(Event event) {
    event.order = ++order_;
    events_.push_back(std::move(event));
    std::push_heap(events_.begin(), events_.end());
}

void World::run_until(Time end) {
    while (!events_.empty() && events_.front().at <= end) {
        std::pop_heap(events_.begin(), events_.end());
        Event event = std::move(events_.back());
        events_.pop_back();
        now_ = std::max(now_, event.at);
        Node& to = node(event.to);
        if (!to.alive || event.life != to.life || (event.is_timer && event.at != to.timer)) {
            if (event.asks && settings_.refuses) {
                answer(*event.asks, {event.to, true});
            }
            continue;
        }
        if (event.is_next) {
            take_next(to);
        } else if (event.answer) {
            call(to, nullptr, &*event.answer);
        } else if (!event.is_timer) {
            if (event.asks && !to.stopped) {
                answer(*event.asks, {event.to, false});
            }
            deliver(to, std::move(event.frame));
        } else if (!to.stopped) {
            to.timer = kNever;
            call(to, nullptr);
        }
    }
    now_ = std::max(now_, end);
}

void World::deliver(Node& to, Bytes frame) {
    if (to.stopped) {
        if (to.waiting.size() < 256) {  // the channel's room
            to.waiting.push_back(std::move(frame));
        }
    } else if (to.busy_until > now_ || !to.queue.empty()) {
        to.queue.push_back(std::move(frame));
        if (to.queue.size() == 1) {
            push({.at = to.busy_until, .to = to.slot, .life = to.life, .is_next = true});
        }
    } else {
        call(to, &frame);
    }
}

// The first that came while it was busy.
void World::take_next(Node& to) {
    if (to.stopped) {
        for (Bytes& frame : std::exchange(to.queue, {})) {
            deliver(to, std::move(frame));
        }
        return;
    }
    Bytes frame = std::move(to.queue.front());
    to.queue.pop_front();
    call(to, &frame);
    if (!to.queue.empty()) {
        push({.at = std::max(to.busy_until, now_), .to = to.slot, .life = to.life, .is_next = true});
    }
}

// By the way back of the channel that was asked by.
void World::answer(Slot asking, const Answer& answer) {
    if (!is_cut(asking, answer.from)) {
        const Time takes = static_cast<Time>(settings_.costs.hop * (1 + settings_.costs.jitter * random()));
        push({.at = now_ + takes, .to = asking, .life = node(asking).life, .answer = answer});
    }
}

void World::call(Node& to, Bytes* frame, const Answer* answer) {
    Outbox out;
    const Time local = to.local(now_);
    if (answer != nullptr) {
        to.slot == kManager ? manager_->on_answer(*answer, local, out) : to.agent->on_answer(*answer, local, out);
    } else if (to.slot == kManager) {
        frame != nullptr ? manager_->on_frame(std::move(*frame), local, out) : manager_->on_timer(local, out);
    } else if (frame != nullptr) {
        to.agent->on_frame(std::move(*frame), local, out);
    } else {
        to.agent->on_timer(local, out);
    }
    for (Sample& sample : manager_ ? manager_->take_samples() : std::vector<Sample>()) {
        samples_.push_back({now_, std::move(sample)});
    }
    const Costs& costs = settings_.costs;
    const double handled = frame == nullptr ? 0 : to.slot == kManager ? costs.manager_receive : costs.agent;
    const bool shares = settings_.one_processor && to.slot != kManager && handled > 0;
    const Time begin = std::max({now_, to.busy_until, shares ? agents_busy_until_ : 0});
    to.busy_until = begin + static_cast<Time>(handled);
    agents_busy_until_ = shares ? to.busy_until : agents_busy_until_;
    send(to, out, to.busy_until);
    if (to.slot == kManager) {
        manager_busy_ += to.busy_until - begin;
    }
    set_timer(to);
}

void World::send(Node& from, Outbox& out, Time leaves) {
    const Costs& costs = settings_.costs;
    for (Outgoing& outgoing : out) {
        if (from.slot == kManager) {
            leaves += static_cast<Time>(costs.manager_send);
            from.busy_until = leaves;
        }
        ++frames_;
        bytes_ += outgoing.frame.size();
        if (outgoing.to != kManager && outgoing.to >= nodes_.size()) {
            continue;
        }
        const Node& to = node(outgoing.to);
        const Time goes = channel(from, to, leaves);
        if (!to.alive && outgoing.asks && settings_.refuses && !is_cut(from.slot, outgoing.to)) {
            answer(from.slot, {outgoing.to, true});
        }
        if (goes == kNever || random() < faults.lost) {
            continue;
        }
        const int copies = faults.doubled > 0 && random() < faults.doubled ? 2 : 1;
        for (int copy = 0; copy < copies; ++copy) {
            double takes =
                costs.hop * (1 + costs.jitter * random()) + costs.byte * static_cast<double>(outgoing.frame.size());
            if (faults.late > 0 && random() < faults.late) {
                takes += random() * static_cast<double>(faults.late_by);
            }
            Bytes frame = copy + 1 < copies ? outgoing.frame : std::move(outgoing.frame);
            const std::optional<Slot> asks = outgoing.asks ? std::optional(from.slot) : std::nullopt;
            push({.at = goes + static_cast<Time>(takes),
                  .to = outgoing.to,
                  .life = to.life,
                  .asks = asks,
                  .frame = std::move(frame)});
        }
    }
}

// When a frame that leaves then can go by the channel, which it opens where there is none. kNever: it cannot.
Time World::channel(const Node& from, const Node& to, Time leaves) {
    Channel& channel = channels_[{from.slot, to.slot}];
    if (!is_open(from.slot, to.slot, channel)) {
        const bool is_made = to.alive && !to.stopped && !is_cut(from.slot, to.slot);
        channel = {from.life + to.life, is_made ? leaves + static_cast<Time>(settings_.costs.open) : kNever, leaves};
    }
    channel.used = std::max(channel.used, leaves);
    return channel.ready == kNever || is_cut(from.slot, to.slot) ? kNever : std::max(channel.ready, leaves);
}

// Who is stopped closes nothing.
bool World::is_open(Slot from, Slot to, const Channel& channel) const {
    const Node& sender = from == kManager ? *manager_node_ : *nodes_[from];
    const Node& receiver = to == kManager ? *manager_node_ : *nodes_[to];
    const Time idle = settings_.manager.job.heartbeat;
    return channel.ready != kNever && sender.alive && receiver.alive &&
           channel.lives == sender.life + receiver.life && (sender.stopped || now_ < channel.used + idle);
}

std::size_t World::open_channels() const {
    return static_cast<std::size_t>(std::count_if(channels_.begin(), channels_.end(), [this](const auto& each) {
        return is_open(each.first.first, each.first.second, each.second);
    }));
}

void World::set_timer(Node& of) {
    const Time local = of.local(now_);
    const Time next = of.slot == kManager ? manager_->next_timer() : of.agent->next_timer(local);
    if (next == kNever) {
        return;
    }
    const Time at = std::max(of.world(next), now_ + 1);
    if (at != of.timer) {
        of.timer = at;
        push({.at = at, .to = of.slot, .life = of.life, .is_timer = true});
    }
}

}  // namespace kymo::ring::simulator
