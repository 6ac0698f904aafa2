// Laps over real sockets on this machine: bench/ring_laps [MOST [SECONDS [LEAST]]]
//
// The agents are threads of a second process, each with its own channels, as agents on hosts have; the manager is
// alone in this one, so that its processor time can be told. Ring and star take turns over the same agents and the
// same transport. "One at a time" is the lap; "pipelined" is how many rounds a second come home with 16 in flight.
#include "ring/transport/driver.h"
#include "ring/transport/library.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace kymo::ring;
namespace fs = std::filesystem;

constexpr Time kMs = 1'000'000;
constexpr std::size_t kMetrics = 10;

Time now() {
    return kymo::monotonic_now().ns;
}

JobFile job(bool plain) {
    JobFile made;
    made.plain = plain;
    made.heartbeat_ms = 2'000;
    return made;
}

void serve(const fs::path& folder, bool plain, std::uint32_t number) {
    const auto place = Rendezvous::open(folder, job(plain), make_keys);
    const auto claim = place->claim_slot(fmt::format("n{}", number));
    const auto channels = open_channels({"127.0.0.1", place->job().keys});
    if (!claim || !channels ||
        !place->publish({claim->slot, claim->incarnation, fmt::format("n{}", number), (*channels)->endpoint()})) {
        fmt::print(stderr, "an agent could not begin\n");
        std::_Exit(1);
    }
    const AgentSettings settings{place->job().settings(), claim->slot, 1, own_clock(), claim->slot + 1};
    Agent agent(
        settings,
        [](auto /*entries*/, std::span<Record> records) {
            for (Record& record : records) {
                record.add(1);
            }
        },
        now());
    Driver<Agent> driver(agent, claim->slot, settings.job.reach, **channels, *place);
    for (;;) {
        driver.turn(now() + 1000 * kMs);
    }
}

pid_t start_agents(const fs::path& folder, bool plain, std::uint32_t agents) {
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < agents; ++i) {
        threads.emplace_back(serve, folder, plain, i);
    }
    for (std::thread& each : threads) {
        each.join();
    }
    std::_Exit(0);
}

struct Figures {
    double lap_ms = 0;
    double a_second = 0;
    double manager_us = 0;  // a round
    double whole = 0;       // share of rounds
};

Figures measure(const Rendezvous& place, std::uint32_t agents, std::uint32_t segments, bool pipelined,
                double seconds) {
    const auto claim = place.claim_manager();
    const auto channels = open_channels({"127.0.0.1", place.job().keys});
    if (!claim || !channels || !place.publish({kManager, claim->incarnation, "manager", (*channels)->endpoint()})) {
        return {};
    }
    usleep(kHeardOf / 1000);
    ManagerSettings settings;
    settings.job = place.job().settings();
    settings.epoch = claim->incarnation;
    settings.clock = own_clock();
    settings.slots = agents;
    settings.segments = segments;
    settings.period = pipelined ? kMs / 2 : 25 * kMs;
    settings.in_flight = pipelined ? 16 : 1;
    settings.budget = {1e9, 1e15};
    std::vector<Entry> request(kMetrics, Entry{1, 3, 0, 1, 0});
    Manager manager(settings, request, now());
    Driver<Manager> driver(manager, kManager, settings.job.reach, **channels, place);
    // Until the channels stand.
    int whole_ones = 0;
    for (const Time give_up = now() + 60'000 * kMs; whole_ones < 5 && now() < give_up;) {
        driver.turn(now() + 100 * kMs);
        for (const Sample& sample : manager.take_samples()) {
            whole_ones += sample.coverage.is_whole() ? 1 : 0;
        }
    }
    const Time begin = now();
    const Time before = kymo::read_clock(CLOCK_PROCESS_CPUTIME_ID).ns;
    std::vector<double> laps;
    double whole = 0;
    while (now() < begin + static_cast<Time>(seconds * 1e9)) {
        driver.turn(now() + 100 * kMs);
        for (const Sample& sample : manager.take_samples()) {
            laps.push_back(static_cast<double>(sample.home - sample.sent) / 1e6);
            whole += sample.coverage.is_whole() ? 1 : 0;
        }
    }
    const auto rounds = static_cast<double>(laps.size());
    if (laps.empty()) {
        return {};
    }
    std::nth_element(laps.begin(), laps.begin() + static_cast<std::ptrdiff_t>(laps.size() / 2), laps.end());
    return {laps[laps.size() / 2], rounds / (static_cast<double>(now() - begin) / 1e9),
            static_cast<double>(kymo::read_clock(CLOCK_PROCESS_CPUTIME_ID).ns - before) / 1e3 / rounds,
            whole / rounds};
}

}  // namespace

int main(int argc, char** argv) {
    const auto most = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 256);
    const auto least = static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 4);
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 3;
    fmt::print(
        "| agents | channels | arrangement | lap, ms | rounds a second, pipelined | manager, us a round | same, "
        "pipelined "
        "| whole |\n|---|---|---|---|---|---|---|---|\n");
    for (std::uint32_t agents = least; agents <= most; agents *= 4) {
        for (const bool plain : {true, false}) {
            char folder[] = "/tmp/kymo-laps-XXXXXX";
            if (mkdtemp(folder) == nullptr) {
                return 1;
            }
            const auto place = Rendezvous::open(folder, job(plain), make_keys);
            if (!place) {
                fmt::print(stderr, "{}\n", place.error().what);
                return 1;
            }
            const pid_t child = start_agents(folder, plain, agents);
            while (place->roster().agents.size() < agents && waitpid(child, nullptr, WNOHANG) == 0) {
                usleep(20'000);
            }
            for (const std::uint32_t segments : {1U, agents}) {
                const Figures lap = measure(*place, agents, segments, false, seconds);
                const Figures many = measure(*place, agents, segments, true, seconds);
                fmt::print("| {} | {} | {} | {:.2f} | {:.0f} | {:.1f} | {:.1f} | {:.1f} % |\n", agents,
                           plain ? "plain" : "encrypted", segments == 1 ? "ring" : "star", lap.lap_ms, many.a_second,
                           lap.manager_us, many.manager_us, 50 * (lap.whole + many.whole));
                std::fflush(stdout);
            }
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            fs::remove_all(folder);
        }
    }
    return 0;
}
