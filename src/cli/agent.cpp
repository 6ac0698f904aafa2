// kymo agent: this host's place in the service ring.
#include "cli/host_cells.h"
#include "cli/ring/ring_options.h"
#include "cli/verbs.h"
#include "live/service_lines.h"
#include "ring/answers/answer.h"
#include "ring/answers/descriptions.h"
#include "ring/answers/rows.h"
#include "ring/answers/switches.h"
#include "ring/meeting/job_file.h"
#include "ring/meeting/meeting.h"
#include "ring/meeting/own_addresses.h"
#include "ring/transport/driver.h"
#include "view/json_text.h"

#include <cmath>
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
    "  kymo agent --rendezvous /tmp/ring --plain --name a  # several on one host\n"
    "without a shared directory:\n"
    "  kymo agent --hosts node1,node2 --job job.ring       # makes the job's file, with its keys, and ends\n"
    "  ssh node1 kymo agent --job - < job.ring &           # on every host\n"
    "  kymo top --job job.ring                             # here\n";

volatile std::sig_atomic_t agent_stopped = 0;

void stop_agent(int /*signal*/) {
    agent_stopped = 1;
}

nlohmann::ordered_json told(const ring::Agent& agent, const ring::Channels& transport, const ring::Claim& claim) {
    const ring::ChannelCounts channels = transport.counts();
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
            {"detail_queries", agent.counts().queries},
            {"refused", refused},
            {"channels",
             {{"sent", channels.sent},
              {"sent_bytes", channels.sent_bytes},
              {"received", channels.received},
              {"received_bytes", channels.received_bytes},
              {"dropped", channels.dropped},
              {"unauthenticated", channels.unauthenticated},
              {"each", live::channels_json(transport.states(), {})}}}};
}

int serve(ring::Meeting& meeting, bool json) {
    const ring::Claim& claim = meeting.claim;
    HostCells cells("agent.cells");
    const std::uint32_t reach = meeting.place->job().settings().reach;
    // To and from the members within reach, and around a gap as far as channels are opened; and the manager.
    cells.open_service("kymo-agent", 2 * (2 * ring::kFar * reach + 2), meeting.place->job().job);
    ring::Switches switches;
    ring::AgentSettings settings;
    settings.job = meeting.place->job().settings();
    settings.slot = claim.slot;
    settings.incarnation = claim.incarnation;
    settings.clock = ring::own_clock();
    settings.slots = claim.slot + 1;
    ring::Agent agent(
        settings,
        [&](std::span<const ring::Entry> entries, std::span<ring::Record> records) {
            cells.fill_service(meeting.channels->states(), {});
            ring::answer(cells.read(), claim.slot, entries, records);
            switches.hold(monotonic_now().ns, entries, records);
        },
        monotonic_now().ns, [&switches](std::span<ring::Switch> ordered) { switches.obey(ordered); },
        [&cells](std::span<const ring::AskedTable> tables) { return ring::tell_rows(cells.read(), tables); },
        [&cells](std::span<const ring::MetricAsked> asked) { return ring::describe_metrics(cells.read(), asked); });
    ring::Driver<ring::Agent> driver(agent, claim.slot, settings.job.reach, *meeting.channels, *meeting.place);
    fmt::print(stderr, "kymo agent: {}, slot {}, at {}\n", meeting.name, claim.slot, meeting.channels->endpoint());
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
    if (json) {
        fmt::print("{}", view::json_text(told(agent, *meeting.channels, claim), view::JsonForm::kLine));
    }
    return 0;
}

// A job's file for these hosts; the manager listens at `manager`, or at this host's first address.
int make_job(const ring::MeetingOptions& options, const std::string& list, const std::string& manager) {
    if (options.job.empty() || options.job == "-") {
        return fail({ErrorKind::kUsage, "--hosts makes a job's file", "name it: --job FILE"});
    }
    auto hosts = ring::listed_hosts(list);
    if (!hosts) {
        return fail(hosts.error());
    }
    const std::vector<std::string> own = options.plain ? std::vector<std::string>() : ring::own_addresses();
    const std::string own_first = own.empty() ? "127.0.0.1" : own.front();
    const auto endpoint = ring::listed_endpoint(manager.empty() ? own_first : manager, ring::kManagerPort);
    if (!endpoint) {
        return fail(endpoint.error());
    }
    ring::ListedJob wanted;
    wanted.job.plain = options.plain;
    wanted.job.heartbeat_ms = static_cast<std::uint32_t>(std::lround(options.heartbeat * 1000));
    wanted.manager = *endpoint;
    wanted.hosts = std::move(*hosts);
    const auto job = ring::HostList::make(std::move(wanted), ring::make_keys);
    if (!job) {
        return fail(job.error());
    }
    if (const auto written = ring::write_job(options.job, *job); !written) {
        return fail(written.error());
    }
    fmt::print(stderr,
               "kymo agent: {} is the job's file, with its keys: {} hosts, manager at {}\n"
               "      on every host:  ssh HOST kymo agent --job - < {}\n"
               "      here:           kymo top --job {}\n",
               options.job, job->hosts.size(), job->manager, options.job, options.job);
    return 0;
}

int run_agent(int argc, char** argv) {
    CLI::App app("Show the programs of this host to managers of the service ring (kymo top --rendezvous).",
                 "kymo agent");
    set_usage(app, "kymo agent --rendezvous DIR | --job FILE [OPTIONS]");
    app.footer(kAgentExamples);
    ring::MeetingOptions options;
    std::string name;
    std::string hosts;
    std::string manager;
    bool json = false;
    add_ring_options(app, options);
    app.add_option(
           "--name", name,
           "this agent's name (default: the host's); an agent restarted under the same name gets its slot back")
        ->type_name("NAME");
    app.add_option("--hosts", hosts,
                   "make the job's file (--job) for these, and end; [NAME=]HOST[:PORT],… or a file of one a line")
        ->type_name("LIST");
    app.add_option("--manager", manager, "with --hosts: where the manager will listen (default: this host)")
        ->type_name("HOST[:PORT]");
    app.add_flag("--json", json, "at the end, one JSON object with what it has done (docs/top.md)");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    if (!hosts.empty()) {
        return make_job(options, hosts, manager);
    }
    if (!options.are_given()) {
        return fail({ErrorKind::kUsage, "no meeting place of the ring is given",
                     "--rendezvous DIR, a directory that all hosts share, or --job FILE"});
    }
    if (!name.empty() && !ring::is_member_name(name)) {
        return fail({ErrorKind::kUsage, "'" + name + "' cannot be an agent's name",
                     "1 to 64 letters, digits, dots, dashes and underscores"});
    }
    struct sigaction action{};
    action.sa_handler = stop_agent;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(signal, &action, nullptr);
    }
    auto meeting = ring::meet_as_agent(options, name);
    return meeting ? serve(*meeting, json) : fail(meeting.error());
}

const Registration kAgent({"agent", "show this host to the live view of many hosts", 36, run_agent});

}  // namespace
}  // namespace kymo::cli
