// Round trips over real sockets on this machine: bench/ring_round_trips [MOST [SECONDS [LEAST]]]
//
// Each agent is a process of its own, as on hosts. Ring and star take turns over the same agents and the same
// transport: ours with and without encryption, and ours beside libzmq's encrypted one where that is installed. What a
// round trip cannot be quicker than here stands above: a token's bytes through a ring of pipes between as many
// processes, a wake-up a hop and nothing else; and the same over TCP, where each waits, receives and sends by a call
// each, as the channels must: what is left to these for sealing, opening, checking and adding is the difference.
// Rounds are asked for forty times a second, when every cache and processor has been taken by others meanwhile or
// sleeps; one after another ("back to back"); and with 16 in flight ("pipelined"). Round trips are medians. The
// manager's time is all of its process's, from the kernel's account.
#include "ring/transport/driver.h"
#include "ring/transport/library.h"
#include "ring/transport/rendezvous.h"
#ifdef KYMO_HAS_ZMQ
#include "zmq/zmq_channels.h"
#endif

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
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

enum class Transport { kPlain, kEncrypted, kZmq };

std::string_view name_of(Transport transport) {
    constexpr std::string_view kNames[] = {"plain", "encrypted", "libzmq, encrypted"};
    return kNames[static_cast<std::size_t>(transport)];
}

std::unique_ptr<Channels> open(Transport transport, const Keys& keys) {
#ifdef KYMO_HAS_ZMQ
    if (transport == Transport::kZmq) {
        return open_zmq_channels({"127.0.0.1", keys});
    }
#endif
    auto opened = open_channels({"127.0.0.1", transport == Transport::kPlain ? Keys() : keys});
    return opened ? std::move(*opened) : nullptr;
}

void serve(const fs::path& folder, Transport transport, std::uint32_t number) {
    const auto place = Rendezvous::open(folder, job(transport == Transport::kPlain), make_keys);
    const auto claim = place->claim_slot(fmt::format("n{}", number));
    const auto channels = open(transport, place->job().keys);
    if (!claim || !channels ||
        !place->publish({claim->slot, claim->incarnation, fmt::format("n{}", number), channels->endpoint()})) {
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
    Driver<Agent> driver(agent, claim->slot, settings.job.reach, *channels, *place);
    for (;;) {
        driver.turn(now() + 1000 * kMs);
    }
}

std::vector<pid_t> start(std::uint32_t count, const std::function<void(std::uint32_t)>& run) {
    std::vector<pid_t> children;
    for (std::uint32_t i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run(i);
            std::_Exit(0);
        }
        children.push_back(child);
    }
    return children;
}

void end(const std::vector<pid_t>& children) {
    for (const pid_t child : children) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
}

double median(std::vector<double>& values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

struct Bare {
    double round_trip_ms = 0;
    double first_us = 0;  // processor time of who sends the bytes off and gets them back, a round trip
};

std::vector<std::array<int, 2>> tcp_pairs(std::size_t count) {
    std::vector<std::array<int, 2>> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        const int listener = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const plain = reinterpret_cast<sockaddr*>(&address);
        const int from = socket(AF_INET, SOCK_STREAM, 0);
        const bool good = bind(listener, plain, size) == 0 && listen(listener, 1) == 0 &&
                          getsockname(listener, plain, &size) == 0 && ::connect(from, plain, size) == 0;
        const int to = good ? accept(listener, nullptr, nullptr) : -1;
        const int on = 1;
        for (const int each : {from, to}) {
            setsockopt(each, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        }
        close(listener);
        pairs.push_back({to, from});
    }
    return pairs;
}

// One turn of a bare member: waits, receives what there is, and sends as much. False: no more.
bool bare_turn(int poll, int in, int out, std::span<char> bytes) {
    epoll_event event{};
    const ssize_t got = epoll_wait(poll, &event, 1, -1) == 1 ? recv(in, bytes.data(), bytes.size(), 0) : -1;
    return got > 0 && (out < 0 || ::send(out, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got);
}

int bare_poll(int in) {
    const int poll = epoll_create1(EPOLL_CLOEXEC);
    epoll_event event{EPOLLIN, {.fd = in}};
    epoll_ctl(poll, EPOLL_CTL_ADD, in, &event);
    return poll;
}

Bare bare_round_trip(std::uint32_t agents, double seconds) {
    std::array<char, kTokenHeadBytes + kMetrics * (sizeof(Entry) + sizeof(Record))> bytes{};
    const auto pairs = tcp_pairs(agents + 1);
    const std::vector<pid_t> children = start(agents, [&](std::uint32_t i) {
        const int poll = bare_poll(pairs[i][0]);
        while (bare_turn(poll, pairs[i][0], pairs[i + 1][1], bytes)) {
        }
    });
    const int poll = bare_poll(pairs[agents][0]);
    std::vector<double> round_trips;
    const Time before = kymo::read_clock(CLOCK_PROCESS_CPUTIME_ID).ns;
    for (const Time until = now() + static_cast<Time>(seconds * 1e9); now() < until;) {
        const Time begin = now();
        if (::send(pairs[0][1], bytes.data(), bytes.size(), MSG_NOSIGNAL) <= 0 ||
            !bare_turn(poll, pairs[agents][0], -1, bytes)) {
            break;
        }
        round_trips.push_back(static_cast<double>(now() - begin) / 1e6);
    }
    const auto spent = static_cast<double>(kymo::read_clock(CLOCK_PROCESS_CPUTIME_ID).ns - before) / 1e3;
    end(children);
    close(poll);
    for (const auto& each : pairs) {
        close(each[0]);
        close(each[1]);
    }
    const auto rounds = static_cast<double>(std::max<std::size_t>(round_trips.size(), 1));
    return {median(round_trips), spent / rounds};
}

// ms.
double pipe_round_trip(std::uint32_t agents, double seconds) {
    std::array<char, kTokenHeadBytes + kMetrics * (sizeof(Entry) + sizeof(Record))> bytes{};
    std::vector<std::array<int, 2>> pipes(agents + 1);
    for (auto& each : pipes) {
        if (pipe(each.data()) != 0) {
            return 0;
        }
    }
    const std::vector<pid_t> children = start(agents, [&](std::uint32_t i) {
        while (read(pipes[i][0], bytes.data(), bytes.size()) > 0 &&
               write(pipes[i + 1][1], bytes.data(), bytes.size()) > 0) {
        }
    });
    std::vector<double> round_trips;
    for (const Time until = now() + static_cast<Time>(seconds * 1e9); now() < until;) {
        const Time begin = now();
        if (write(pipes[0][1], bytes.data(), bytes.size()) <= 0 ||
            read(pipes[agents][0], bytes.data(), bytes.size()) <= 0) {
            break;
        }
        round_trips.push_back(static_cast<double>(now() - begin) / 1e6);
    }
    end(children);
    for (const auto& each : pipes) {
        close(each[0]);
        close(each[1]);
    }
    return median(round_trips);
}

enum class Asked {
    kAtTimes,     // forty times a second
    kBackToBack,  // again as soon as it is home
    kPipelined,   // up to 16 at a time
};

struct Figures {
    double round_trip_ms = 0;
    double a_second = 0;
    double manager_us = 0;  // a round
    double calls = 0;       // of the manager's, to send and to receive, a round
    double whole = 0;       // share of rounds
};

std::uint64_t calls_of(const Channels& channels) {
    std::uint64_t calls = 0;
    for (const ChannelState& each : channels.states()) {
        calls += each.calls;
    }
    return calls;
}

Figures measure(const Rendezvous& place, Transport transport, std::uint32_t agents, std::uint32_t segments,
                Asked asked, double seconds) {
    const auto claim = place.claim_manager();
    const auto channels = open(transport, place.job().keys);
    if (!claim || !channels || !place.publish({kManager, claim->incarnation, "manager", channels->endpoint()})) {
        return {};
    }
    usleep(kHeardOf / 1000);
    ManagerSettings settings;
    settings.job = place.job().settings();
    settings.epoch = claim->incarnation;
    settings.clock = own_clock();
    settings.slots = agents;
    settings.segments = segments;
    settings.period = asked == Asked::kAtTimes ? 25 * kMs : asked == Asked::kBackToBack ? kMs / 100 : kMs / 2;
    settings.in_flight = asked == Asked::kPipelined ? 16 : 1;
    settings.budget = {1e9, 1e15};
    std::vector<Entry> request(kMetrics, Entry{1, 3, 0, 1, 0});
    Manager manager(settings, request, now());
    Driver<Manager> driver(manager, kManager, settings.job.reach, *channels, place);
    // Until the channels stand.
    int whole_ones = 0;
    for (const Time give_up = now() + 60'000 * kMs; whole_ones < 5 && now() < give_up;) {
        driver.turn(now() + 100 * kMs);
        for (const Sample& sample : manager.take_samples()) {
            whole_ones += sample.coverage.is_whole() ? 1 : 0;
        }
    }
    const Time begin = now();
    const std::uint64_t calls = calls_of(*channels);
    const Time before = kymo::read_clock(CLOCK_PROCESS_CPUTIME_ID).ns;
    std::vector<double> round_trips;
    double whole = 0;
    while (now() < begin + static_cast<Time>(seconds * 1e9)) {
        driver.turn(now() + 100 * kMs);
        for (const Sample& sample : manager.take_samples()) {
            round_trips.push_back(static_cast<double>(sample.home - sample.sent) / 1e6);
            whole += sample.coverage.is_whole() ? 1 : 0;
        }
    }
    const auto rounds = static_cast<double>(round_trips.size());
    if (round_trips.empty()) {
        return {};
    }
    return {median(round_trips), rounds / (static_cast<double>(now() - begin) / 1e9),
            static_cast<double>(kymo::read_clock(CLOCK_PROCESS_CPUTIME_ID).ns - before) / 1e3 / rounds,
            static_cast<double>(calls_of(*channels) - calls) / rounds, whole / rounds};
}

void bench(Transport transport, std::uint32_t agents, double seconds) {
    char folder[] = "/tmp/kymo-ring-XXXXXX";
    if (mkdtemp(folder) == nullptr) {
        return;
    }
    const auto place = Rendezvous::open(folder, job(transport == Transport::kPlain), make_keys);
    if (!place) {
        fmt::print(stderr, "{}\n", place.error().what);
        return;
    }
    const std::vector<pid_t> children = start(agents, [&](std::uint32_t i) { serve(folder, transport, i); });
    for (const Time until = now() + 60'000 * kMs; place->roster().agents.size() < agents && now() < until;) {
        usleep(20'000);
    }
    for (const std::uint32_t segments : {1U, agents}) {
        const auto take = [&](Asked asked) { return measure(*place, transport, agents, segments, asked, seconds); };
        const Figures calm = take(Asked::kAtTimes);
        const Figures round_trip = take(Asked::kBackToBack);
        const Figures many = take(Asked::kPipelined);
        fmt::print("| {} | {} | {} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.1f} % |\n",
                   agents, name_of(transport), segments == 1 ? "ring" : "star", calm.round_trip_ms,
                   round_trip.round_trip_ms, many.a_second, calm.manager_us, round_trip.manager_us, many.manager_us,
                   many.calls, 100 * (calm.whole + round_trip.whole + many.whole) / 3);
        std::fflush(stdout);
    }
    end(children);
    fs::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
    const auto most = static_cast<std::uint32_t>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 256);
    const auto least = static_cast<std::uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 4);
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 3;
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    fmt::print(
        "| agents | channels | arrangement | round trip, ms | back to back | rounds a second, pipelined | manager, "
        "us a "
        "round "
        "| back to back | pipelined | calls, pipelined | whole |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    std::vector<Transport> transports{Transport::kPlain, Transport::kEncrypted};
#ifdef KYMO_HAS_ZMQ
    if (getenv("NOZMQ") == nullptr) {
        transports.push_back(Transport::kZmq);
    }
#endif
    for (std::uint32_t agents = least; agents <= most; agents *= 4) {
        fmt::print("| {} | pipes | ring | | {:.2f} | | | | | | |\n", agents, pipe_round_trip(agents, seconds));
        const Bare bare = bare_round_trip(agents, seconds);
        fmt::print("| {} | TCP alone | ring | | {:.2f} | | | {:.1f} | | | |\n", agents, bare.round_trip_ms,
                   bare.first_us);
        for (const Transport transport : transports) {
            bench(transport, agents, seconds);
        }
    }
    return 0;
}
