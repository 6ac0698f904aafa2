// kymo top: the present activity of programs under Kymo.
#include "cli/host_cells.h"
#include "cli/ring/ring_options.h"
#include "cli/ring/switch_option.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "host/live_view.h"
#include "launch/output.h"
#include "launch/run_log.h"
#include "live/host_screen.h"
#include "live/host_view.h"
#include "live/ring_session.h"
#include "live/screen.h"
#include "ring/scrape/endpoint.h"
#include "view/json_text.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

constexpr const char* kTopExamples =
    "examples:\n"
    "  kymo record --live -- ./my_program &   # or kymo measure METRICS.kym -- ./my_program\n"
    "  kymo top\n"
    "  kymo top -n 1                          # once, as text\n"
    "  kymo top --json --period 0.5 | jq '.processes[0].user_share'\n"
    "  kymo top --rendezvous /shared/me/ring  # all hosts on which kymo agent runs\n"
    "  kymo top --rendezvous /shared/me/ring --host node1 -n 1       # its processors, programs, threads, channels\n"
    "  kymo top --rendezvous /shared/me/ring --record night.kymo > /dev/null\n"
    "keys: q ends, s sorts by the next column, t threads, p processors, c channels, m metrics, f or space freezes,\n"
    "      + and - change the period\n"
    "of many hosts: s, f, space, + and - as well; arrows choose, enter goes into a host and there into a process, b "
    "goes\n"
    "      back, c channels, r records; in a host p processors, m all metrics asked of it\n";

volatile std::sig_atomic_t stopped = 0;

void stop(int /*signal*/) {
    stopped = 1;
}

// The host at the previous and the present reading.
class Host {
  public:
    Host() : cells_("top.cells") { look(); }
    host::LiveView look() {
        host::Reading now = cells_.read();
        host::LiveView view = host::compare(last_, now);
        last_ = std::move(now);
        return view;
    }

  private:
    HostCells cells_;
    host::Reading last_;
};

// Waits for the period's end or a signal; also returns if the pipe has no reader any more.
bool wait(double period) {
    pollfd out{STDOUT_FILENO, 0, 0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(period);
    while (stopped == 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return true;
        }
        if (::poll(&out, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1000))) > 0 &&
            (out.revents & (POLLERR | POLLNVAL)) != 0) {
            return false;
        }
    }
    return false;
}

int show_text(Host& host, double period, std::uint64_t times, bool json, const live::HostShown& shown) {
    for (std::uint64_t i = 0; (times == 0 || i < times) && wait(period); ++i) {
        const host::LiveView view = host.look();
        std::string text;
        if (json) {
            text = view::json_text(live::host_json(view), view::JsonForm::kLine);
        } else {
            text = (i == 0 ? "" : "\n") + live::top_title(period) + "\n";
            for (const std::string& line : live::host_lines(terminal_style(), view, shown)) {
                text += line + "\n";
            }
        }
        if (!print_now(text)) {
            return fail({ErrorKind::kNoSpace, "what is shown could not be written", "is the disk full?"});
        }
    }
    return 0;
}

live::Console console() {
    return {terminal_style, print_now, [](const std::string& line) { fmt::print(stderr, "kymo: {}\n", line); }, fail};
}

int run_top(int argc, char** argv) {
    CLI::App app("Show what the programs under Kymo do now: processors, threads, channels and metrics of this host.",
                 "kymo top");
    set_usage(app, "kymo top [OPTIONS]");
    app.footer(kTopExamples);
    double period = 1;
    std::uint64_t times = 0;
    bool json = false;
    live::HostShown shown;
    shown.rows = 20;
    app.add_option("--period", period, "update every so many seconds (default 1)")
        ->type_name("S")
        ->check(CLI::Range(0.05, 3600.0));
    app.add_option("-n,--times", times, "stop after so many updates (default: go on)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000'000));
    app.add_flag("--json", json, "one JSON object a line for each update (docs/top.md)");
    live::RingSessionOptions ring;
    std::vector<std::string> metrics;
    add_ring_options(app, ring.ring);
    app.add_option("--metric", metrics,
                   "of many hosts: show this one, too; KIND/LEVEL/NUMBER/METRIC, a number may be *")
        ->type_name("ADDRESS");
    app.add_option("--host", ring.host, "of many hosts: this one's processors, programs, threads and channels")
        ->type_name("NAME");
    std::uint32_t process = 0;
    CLI::Option* const of_process =
        app.add_option("--process", process, "of that host: this process's threads and channels")
            ->type_name("PID")
            ->needs("--host");
    app.add_flag("--totals", ring.totals, "of many hosts: sums over all hosts only, whatever their number");
    app.add_option("--segments", ring.segments,
                   "of many hosts: cut the ring into so many (default: by its measured costs)")
        ->type_name("N");
    app.add_option("--bytes-per-second", ring.bytes_a_second,
                   "of many hosts: budget of all service channels (default 10 M)")
        ->type_name("N");
    app.add_option("--agent-share", ring.work_share,
                   "of many hosts: budget of an agent, of a processor (default 0.001)")
        ->type_name("SHARE");
    app.add_option("-o,--record", ring.record.path, "of many hosts: all hosts into this recording, until the end")
        ->type_name("OUT.kymo");
    std::vector<std::string> switches;
    app.add_option(
           "--switch", switches,
           "of many hosts: METRIC=off, METRIC=on or METRIC=SECONDS on all hosts; FILE.kym: all of its metrics")
        ->type_name("METRIC=HOW");
    app.add_flag("--orders", ring.orders, "of many hosts: more of these from standard input, one a line");
    std::string prometheus;
    app.add_option(
           "--prometheus", prometheus,
           "of many hosts: serve the figures to a Prometheus server, at the loopback unless an address is given")
        ->type_name("[IPV4:]PORT");
    if (const auto code = parse_options(app, argc, argv)) {
        return *code;
    }
    if (!prometheus.empty()) {
        ring.prometheus = ring::endpoint_address(prometheus);
        if (ring.prometheus.empty() || !ring.ring.are_given()) {
            return fail({ErrorKind::kUsage,
                         ring.prometheus.empty() ? "'" + prometheus + "' is not a port to serve at"
                                                 : std::string("--prometheus is for many hosts"),
                         ring.prometheus.empty()
                             ? "--prometheus 9464, or --prometheus 10.0.0.7:9464"
                             : "name their directory with --rendezvous DIR, or their --job FILE"});
        }
    }
    if (!ring.record.path.empty() && !ring.ring.are_given()) {
        return fail({ErrorKind::kUsage, "--record is for many hosts",
                     "name their directory with --rendezvous DIR, or their --job FILE; of this host: kymo record -- "
                     "PROGRAM"});
    }
    if ((!switches.empty() || ring.orders) && !ring.ring.are_given()) {
        return fail({ErrorKind::kUsage, "--switch is for hosts with agents",
                     "name their directory with --rendezvous DIR, or their --job FILE"});
    }
    if (!ring.host.empty() && !ring.ring.are_given()) {
        return fail({ErrorKind::kUsage, "--host is for hosts with agents",
                     "name their directory with --rendezvous DIR, or their --job FILE"});
    }
    if (of_process->count() > 0) {
        ring.process = process;
    }
    struct sigaction action{};
    action.sa_handler = stop;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(signal, &action, nullptr);
    }
    signal(SIGPIPE, SIG_IGN);
    const bool is_live = !json && times == 0 && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    if (ring.ring.are_given()) {
        ring.asked = live::standard_request();
        for (const std::string& metric : metrics) {
            const auto asked = live::parse_asked(metric);
            if (!asked) {
                return fail(asked.error());
            }
            ring.asked.push_back(*asked);
        }
        for (const std::string& text : switches) {
            const auto parsed = parse_switch(text);
            if (!parsed) {
                return fail(parsed.error());
            }
            ring.switches.insert(ring.switches.end(), parsed->begin(), parsed->end());
        }
        ring.period = period;
        ring.times = times;
        ring.json = json;
        ring.records = !ring.record.path.empty();
        ring.record.command = std::string("kymo") + '\0';
        for (int i = 0; i < argc; ++i) {
            ring.record.command += std::string(argv[i]) + '\0';
        }
        ring.record.producer = launch::kProducer;
        ring.record.make_folder = [](const std::optional<std::filesystem::path>& path) {
            return launch::make_recording_folder(path, "ring");
        };
        ring.live = is_live && !ring.orders;
        ring.parse_order = parse_switch;
        return live::run_ring_session(ring, console(), [] { return stopped != 0; });
    }
    Host host;
    if (!is_live) {
        return show_text(host, period, times, json, shown);
    }
    live::run_host_screen(
        {period, shown, terminal_style().unicode}, [&host] { return host.look(); }, [] { return stopped != 0; });
    return 0;
}

const Registration kTop({"top", "show what the programs under Kymo do now", 35, run_top});

}  // namespace
}  // namespace kymo::cli
