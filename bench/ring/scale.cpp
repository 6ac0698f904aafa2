// How the arrangements of the service ring grow from 10 agents to 100,000: bench/ring_scale [MOST [LEAST]]
//
// Ring, reduced ring, segments and star are the real members over the simulator's channels. The tree and the ring of
// rings are not built: their rows are reckoned from the same costs and the same frames. Prints the table of
// docs/measurements.md.
#include "simulator/world.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace {

using namespace kymo::ring;
using simulator::Costs;
using simulator::World;
using simulator::WorldSettings;

constexpr Time kMs = 1'000'000;
constexpr std::size_t kMetrics = 10;
constexpr std::uint32_t kFanOut = 16;
constexpr double kShare = 0.001;       // of a processor, that the busiest agent may take
constexpr double kBytesASecond = 1e7;  // of all channels together
constexpr std::uint32_t kInFlight = 4;
constexpr std::uint32_t kMostInStar = 10'000;  // with more the manager is busy with heartbeats alone

struct Row {
    double round_trip_ms = 0;
    double manager_us = 0;
    double agent_us = 0;  // the busiest one's
    double megabytes = 0;
    double channels = 0;
    std::optional<double> skew_us;
    std::optional<double> first_skew_us;  // nothing was announced yet
    std::optional<double> recovery_s;
    std::optional<double> missing;  // agents that are there and in no sample meanwhile, of the worst sample
};

WorldSettings settings(std::uint32_t agents, Mode mode, std::uint32_t segments) {
    WorldSettings made;
    made.agents = agents;
    made.manager.job = {1, 2'000 * kMs, 4};
    made.manager.clock = 1;
    made.manager.mode = mode;
    made.manager.segments = segments;
    made.manager.budget = {1, 1e15};
    made.manager.in_flight = 1;
    // Wanted more often than can be: one round after the other.
    made.manager.period = std::max<Time>(10 * kMs, static_cast<Time>(agents / segments) * 60'000);
    made.manager.longest_period = 1'000'000 * kMs;
    for (std::uint32_t i = 0; i < kMetrics; ++i) {
        made.request.push_back({1, 2, 0, i == 0 ? simulator::kLatchTime : simulator::kKnownValue, kEvery});
    }
    return made;
}

Row measure(std::uint32_t agents, Mode mode, std::uint32_t segments) {
    World world(settings(agents, mode, segments));
    const Time period = settings(agents, mode, segments).manager.period;
    std::vector<World::Ended> samples;
    const auto go_on = [&](Time time) {
        world.run_until(world.now() + time);
        for (auto& each : world.take_samples()) {
            samples.push_back(std::move(each));
        }
    };
    while (samples.size() < 4) {
        go_on(period);
    }
    const auto skew = [](const Sample& sample) {
        return static_cast<double>(sample.records[0].greatest - sample.records[0].least) / 1e3;
    };
    const Sample& last = samples.back().sample;
    Row row;
    row.first_skew_us = skew(samples.front().sample);
    row.skew_us = skew(last);
    row.round_trip_ms = static_cast<double>(last.home - last.sent) / 1e6;
    const Costs costs;
    row.manager_us = last.tokens * (costs.manager_send + costs.manager_receive) / 1e3;
    row.agent_us = costs.agent / 1e3;
    row.megabytes = static_cast<double>(last.moved) / 1e6;
    go_on(4'000 * kMs);  // what was opened at the start is closed
    row.channels = static_cast<double>(world.open_channels());
    const Time killed = world.now();
    world.kill(agents / 2);
    samples.clear();
    while (!row.recovery_s && world.now() < killed + 100'000 * kMs) {
        go_on(period / 4);
        for (const auto& [at, sample] : samples) {
            if (row.recovery_s) {
                break;
            }
            if (sample.coverage.contributed == agents - 1) {
                row.recovery_s = static_cast<double>(at - killed) / 1e9;
            }
            const std::uint32_t others = std::min(sample.coverage.contributed, agents - 1);
            row.missing = std::max(row.missing.value_or(0), static_cast<double>(agents - 1 - others));
        }
    }
    return row;
}

// A node hands the token to its children one after another and joins their replies as they come.
double tree_ns(std::uint64_t agents, const Costs& costs, double frame) {
    if (agents == 0) {
        return 0;
    }
    const std::uint64_t below = (agents + kFanOut - 1) / kFanOut;
    const double hop = costs.hop * (1 + costs.jitter / 2) + costs.byte * frame;
    const double children = static_cast<double>(std::min<std::uint64_t>(agents, kFanOut));
    const double work = costs.agent / 2;  // one frame in or out
    return children * work + hop + work + tree_ns(below - 1, costs, frame) + work + hop + work;
}

Row reckon_tree(std::uint32_t agents) {
    const auto frame = static_cast<double>(Token::bytes_at_home(Mode::kReduce, kMetrics, agents));
    const Costs costs;
    Row row;
    row.round_trip_ms = tree_ns(agents, costs, frame) / 1e6;
    row.manager_us = std::min(agents, kFanOut) * (costs.manager_send + costs.manager_receive) / 1e3;
    row.agent_us = (kFanOut + 1) * costs.agent / 1e3;  // a frame in and one out for each child and for itself
    row.megabytes = 2.0 * agents * frame / 1e6;
    row.channels = 2.0 * agents;
    return row;
}

// The first of each ring sends a token round it when the announced moment comes, and hands on the sum when the
// manager's token comes by: so both laps are needed, one after the other.
Row reckon_rings(std::uint32_t agents, std::uint32_t& rings) {
    const auto frame = static_cast<double>(Token::bytes_at_home(Mode::kReduce, kMetrics, agents));
    const Costs costs;
    const double hop = costs.hop * (1 + costs.jitter / 2) + costs.byte * frame + costs.agent;
    rings = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(agents))));
    Row row;
    row.round_trip_ms = (static_cast<double>(agents) / rings + rings + 1) * hop / 1e6;
    row.manager_us = (costs.manager_send + costs.manager_receive) / 1e3;
    row.agent_us = 2 * costs.agent / 1e3;
    row.megabytes = (static_cast<double>(agents) + 2.0 * rings + 1) * frame / 1e6;
    row.channels = static_cast<double>(agents) + rings + 1;
    return row;
}

// The shortest that the default budgets let it be, s.
double period(const Row& row) {
    return std::max(
        {row.round_trip_ms / 1e3 / kInFlight, row.agent_us / 1e6 / kShare, row.megabytes * 1e6 / kBytesASecond});
}

void print(std::uint32_t agents, const std::string& arrangement, const Row& row) {
    const auto cell = [](const std::optional<double>& value) { return value ? fmt::format("{:.3g}", *value) : "·"; };
    fmt::print("| {} | {} | {:.3g} | {:.2g} | {:.3g} | {:.3g} | {} | {} | {} | {} | {} |\n", agents, arrangement,
               row.round_trip_ms, period(row), row.manager_us, row.megabytes, row.channels, cell(row.skew_us),
               cell(row.first_skew_us), cell(row.recovery_s), cell(row.missing));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const auto most = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000);
    const auto least = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10);
    const Costs costs;
    fmt::print(
        "| agents | arrangement | round trip, ms | shortest period, s | manager, us a round | MB a round | channels "
        "| "
        "skew, us | unannounced | healed, s | missing |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (std::uint32_t agents = least; agents <= most; agents *= 10) {
        const std::uint32_t segments = best_segments(agents, costs.hop * (1 + costs.jitter / 2) + costs.agent,
                                                     costs.manager_send + costs.manager_receive);
        if (agents <= 1000) {
            print(agents, "ring, append", measure(agents, Mode::kAppend, 1));
        }
        print(agents, "ring", measure(agents, Mode::kReduce, 1));
        print(agents, fmt::format("{} segments", segments), measure(agents, Mode::kReduce, segments));
        if (agents <= kMostInStar) {
            print(agents, "star", measure(agents, Mode::kReduce, agents));
        }
        std::uint32_t rings = 0;
        const Row of_rings = reckon_rings(agents, rings);
        print(agents, fmt::format("ring of {} rings", rings), of_rings);
        print(agents, fmt::format("tree of {}", kFanOut), reckon_tree(agents));
    }
    return 0;
}
