// How the arrangements of the service ring grow from 10 agents to 100,000: bench/ring_scale [MOST [LEAST]]
//
// Ring, reduced ring, segments and star are the real members over the simulator's channels. The tree is not built:
// its row is reckoned from the same costs and the same frames. Prints the table of docs/measurements.md.
#include "simulator/world.h"

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
constexpr std::uint32_t kRecovering = 10'000;

struct Row {
    double round_trip_ms = 0;
    double manager_us = 0;
    double megabytes = 0;
    std::optional<double> skew_us;
    std::optional<double> first_skew_us;  // nothing was announced yet
    std::optional<double> recovery_s;
};

WorldSettings settings(std::uint32_t agents, Mode mode, std::uint32_t segments) {
    WorldSettings made;
    made.agents = agents;
    // Where recovery is not measured, heartbeats are only in the way.
    made.manager.job = {1, (agents <= kRecovering ? 2'000 : 60'000) * kMs, 4};
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

Row measure(std::uint32_t agents, Mode mode, std::uint32_t segments, bool recovery) {
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
    row.megabytes = static_cast<double>(last.moved) / 1e6;
    if (!recovery) {
        return row;
    }
    const Time killed = world.now();
    world.kill(agents / 2);
    samples.clear();
    while (!row.recovery_s && world.now() < killed + 100'000 * kMs) {
        go_on(period / 4);
        for (const auto& [at, sample] : samples) {
            if (sample.coverage.contributed == agents - 1 && !row.recovery_s) {
                row.recovery_s = static_cast<double>(at - killed) / 1e9;
            }
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
    row.megabytes = 2.0 * agents * frame / 1e6;
    return row;
}

void print(std::uint32_t agents, const std::string& arrangement, const Row& row) {
    const auto cell = [](const std::optional<double>& value) { return value ? fmt::format("{:.3g}", *value) : "·"; };
    fmt::print("| {} | {} | {:.3g} | {:.3g} | {:.3g} | {} | {} | {} |\n", agents, arrangement, row.round_trip_ms,
               row.manager_us, row.megabytes, cell(row.skew_us), cell(row.first_skew_us), cell(row.recovery_s));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const auto most = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000);
    const auto least = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10);
    const Costs costs;
    fmt::print(
        "| agents | arrangement | round trip, ms | manager, us a round | MB a round | skew, us | unannounced | "
        "recovery, s |\n|---|---|---|---|---|---|---|---|\n");
    for (std::uint32_t agents = least; agents <= most; agents *= 10) {
        const std::uint32_t segments = best_segments(agents, costs.hop * (1 + costs.jitter / 2) + costs.agent,
                                                     costs.manager_send + costs.manager_receive);
        const bool small = agents <= kRecovering;
        if (agents <= 1000) {
            print(agents, "ring, append", measure(agents, Mode::kAppend, 1, true));
        }
        print(agents, "ring", measure(agents, Mode::kReduce, 1, small));
        print(agents, fmt::format("{} segments", segments), measure(agents, Mode::kReduce, segments, small));
        print(agents, "star", measure(agents, Mode::kReduce, agents, small));
        print(agents, fmt::format("tree of {}", kFanOut), reckon_tree(agents));
    }
    return 0;
}
