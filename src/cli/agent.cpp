// kymo agent: this host's place in the service ring.
#include "cli/ring/meeting.h"
#include "cli/top/host_cells.h"
#include "cli/verbs.h"
#include "ring/live/answer.h"
#include "ring/live/switches.h"
#include "ring/transport/driver.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kAgentExamples =
    "examples:\n"
    "  kymo agent --rendezvous /shared/me/ring &           # on every host; mpirun or srun may do it\n"
    "  kymo top --rendezvous /shared/me/ring               # anywhere: all hosts\n"
    "  kymo agent --rendezvous /tmp/ring --plain --name a  # several on one host\n";

volatile std::sig_atomic_t agent_stopped = 0;

void stop_agent(int /*signal*/) {
    agent_stopped = 1;
}

std::string host_name() {
    char name[65] = "";
    gethostname(name, sizeof name - 1);
    return ring::is_member_name(name) ? name : "host";
}

nlohmann::ordered_json told(const ring::Agent& agent, const ring::ChannelCounts& channels, const ring::Claim& claim) {
    nlohmann::ordered_json refused;
    for (std::size_t i = 1; i < ring::kRefusals; ++i) {
        refused[std::string(name_of(static_cast<ring::Refusal>(i)))] = agent.counts().refused[i];
    }
    return {{"slot", claim.slot},
            {"incarnation", claim.incarnation},
            {"received", agent.counts().received},
            {"sent", agent.counts().sent},
            {"resent", agent.counts().resent},
            {"off_time", agent.counts().off_time},
            {"orders", agent.counts().orders},
            {"refused", refused},
            {"channels",
             {{"sent", channels.sent},
              {"sent_bytes", channels.sent_bytes},
              {"received", channels.received},
              {"received_bytes", channels.received_bytes},
              {"dropped", channels.dropped},
              {"strangers", channels.strangers}}}};
}

int serve(Meeting& meeting, const ring::Claim& claim, const std::string& name, bool json) {
    const ring::Rendezvous& rendezvous = meeting.rendezvous;
    if (const auto published =
            rendezvous.publish({claim.slot, claim.incarnation, name, meeting.channels->endpoint()});
        !published) {
        return fail(published.error());
    }
    HostCells cells("agent.cells");
    ring::Switches switches;
    ring::AgentSettings settings;
    settings.job = rendezvous.job().settings();
    settings.slot = claim.slot;
    settings.incarnation = claim.incarnation;
    settings.clock = ring::own_clock();
    settings.slots = claim.slot + 1;
    ring::Agent agent(
        settings,
        [&](std::span<const ring::Entry> entries, std::span<ring::Record> records) {
            ring::answer(cells.read(), claim.slot, entries, records);
            switches.hold(monotonic_now().ns, entries, records);
        },
        monotonic_now().ns, [&switches](std::span<ring::Switch> ordered) { switches.obey(ordered); });
    ring::Driver<ring::Agent> driver(agent, claim.slot, settings.job.reach, *meeting.channels, rendezvous);
    fmt::print(stderr, "kymo agent: {}, slot {}, at {}\n", name, claim.slot, meeting.channels->endpoint());
    constexpr ring::Time kLookForPrograms = 1'000'000'000;
    ring::Time next_look = 0;
    while (agent_stopped == 0) {
        const ring::Time now = monotonic_now().ns;
        if (now >= next_look) {
            switches.look();
            next_look = now + kLookForPrograms;
        }
        driver.turn(next_look);
    }
    ring::Outbox out;
    agent.say_farewell(monotonic_now().ns, out);
    driver.deliver(out);
    usleep(20'000);  // for the farewells to leave: nobody waits for them
    if (json) {
        fmt::print("{}\n", told(agent, meeting.channels->counts(), claim).dump());
    }
    return 0;
}

int run_agent(int argc, char** argv) {
    CLI::App app("Show the programs of this host to managers of the service ring (kymo top --rendezvous).",
                 "kymo agent");
    set_usage(app, "kymo agent --rendezvous DIR [OPTIONS]");
    app.footer(kAgentExamples);
    RingOptions options;
    std::string name = host_name();
    bool json = false;
    add_ring_options(app, options);
    app.get_option("--rendezvous")->required();
    app.add_option("--name", name, "of this agent (default: the host's); who comes back under it has its place again")
        ->type_name("NAME");
    app.add_flag("--json", json, "at the end, one JSON object with what it has done (docs/top.md)");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    if (!ring::is_member_name(name)) {
        return fail({ErrorKind::kUsage, "'" + name + "' cannot be an agent's name",
                     "1 to 64 letters, digits, dots, dashes and underscores"});
    }
    struct sigaction action{};
    action.sa_handler = stop_agent;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(signal, &action, nullptr);
    }
    auto meeting = meet(options);
    if (!meeting) {
        return fail(meeting.error());
    }
    const auto claim = meeting->rendezvous.claim_slot(name);
    if (!claim) {
        return fail(claim.error());
    }
    return serve(*meeting, *claim, name, json);
}

const Registration kAgent({"agent", "show this host to the live view of many hosts", 36, run_agent});

}  // namespace
}  // namespace kymo::cli
