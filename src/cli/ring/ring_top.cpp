#include "cli/ring/ring_top.h"

#include "cli/host_cells.h"
#include "cli/ring/hosts_record.h"
#include "cli/terminal.h"
#include "live/ring_screen.h"
#include "live/ring_text.h"
#include "ring/scrape/endpoint.h"
#include "ring/transport/driver.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

ring::ManagerSettings settings_of(const RingTopOptions& options, const ring::JobFile& job, std::uint64_t epoch,
                                  std::uint32_t slots) {
    ring::ManagerSettings settings;
    settings.job = job.settings();
    settings.epoch = epoch;
    settings.clock = ring::own_clock();
    settings.slots = std::max(slots, 1U);
    settings.mode = options.totals ? ring::Mode::kReduce : ring::Mode::kAppend;
    settings.period = static_cast<ring::Time>(std::llround(options.period * 1e9));
    settings.longest_period = std::max<ring::Time>(settings.period, 60'000'000'000);
    settings.budget = {options.work_share, options.bytes_a_second};
    settings.segments = options.segments;
    return settings;
}

// The manager's rows of cells: to and from each member, as far as used.
constexpr std::uint32_t kMostChannels = 8192;

// Channels and recorded hosts take a descriptor each.
void allow_many_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

std::vector<ring::AskedMetric> metrics_of(const RingTopOptions& options) {
    std::vector<ring::AskedMetric> metrics;
    metrics.reserve(options.asked.size());
    for (const live::Asked& each : options.asked) {
        metrics.push_back(ring::asked_metric(each.address));
    }
    return metrics;
}

// The metrics requested of the ring, and the agents' answers about them.
class AskedMetrics {
  public:
    explicit AskedMetrics(const RingTopOptions& options) : all_(metrics_of(options)) {}

    [[nodiscard]] const std::vector<ring::AskedMetric>& all() const { return all_; }
    // Queries the agents for programs' own metrics.
    void begin(ring::Manager& manager) const {
        std::vector<ring::MetricAsked> own;
        for (const ring::AskedMetric& each : all_) {
            if (const ring::MetricAsked asked = ring::asked_of(each);
                each.is_awaited && std::find(own.begin(), own.end(), asked) == own.end()) {
                own.push_back(asked);
            }
        }
        manager.describe(std::move(own), monotonic_now().ns);
    }
    // True: something new is known.
    bool learn(const ring::Manager& manager) {
        bool is_new = ring::describe(all_, manager.metrics().told());
        for (ring::AskedMetric& each : all_) {
            if (each.is_awaited && manager.metrics().is_beyond(ring::asked_of(each))) {
                each.is_awaited = false;
                is_new = true;
            }
        }
        return is_new;
    }

  private:
    std::vector<ring::AskedMetric> all_;
};

// Names of hosts, as `roster` has them at the time; empty: not known.
std::function<std::string(ring::Slot)> names_of(const std::vector<ring::MemberFile>& roster) {
    return [&roster](ring::Slot slot) {
        for (const ring::MemberFile& member : roster) {
            if (member.slot == slot) {
                return member.name;
            }
        }
        return std::string();
    };
}

std::optional<ring::Slot> slot_of(const std::string& host, const std::vector<ring::MemberFile>& named) {
    for (const ring::MemberFile& member : named) {
        if (member.name == host) {
            return member.slot;
        }
    }
    return std::nullopt;
}

// The process or thread whose rows are shown: chosen on the screen, or named by an option.
std::optional<live::DetailTarget> wanted_rows(live::RingScreen* screen, const RingTopOptions& options,
                                              bool& has_begun, const std::vector<ring::MemberFile>& named) {
    const std::optional<ring::Slot> slot = options.host.empty() ? std::nullopt : slot_of(options.host, named);
    if (screen == nullptr) {
        return slot ? std::optional(live::DetailTarget{*slot, options.process, true, live::TaskSort::kOnCpu})
                    : std::nullopt;
    }
    if (slot && !has_begun) {
        has_begun = true;
        screen->begin_at(*slot, options.process);
    }
    return screen->wanted();
}

constexpr double kShortestPeriod = 0.125;
constexpr double kLongestPeriod = 60;

// Handles keys: true to end.
bool follow(live::RingScreen& screen, const RingTopOptions& options, const std::vector<ring::MemberFile>& named,
            const AskedMetrics& asked, HostsRecord& record, ring::Manager& manager, double& period) {
    const live::RingScreen::Wish wish = screen.press();
    if (wish == live::RingScreen::Wish::kRecord) {
        if (record.is_on()) {
            screen.tell("It is recorded into " + record.name() + " until the end.");
        } else if (const auto begun = record.begin(options.record, options.command, asked.all(), names_of(named));
                   !begun) {
            screen.tell(begun.error().what + "; " + begun.error().next);
        }
    } else if (wish == live::RingScreen::Wish::kSlower || wish == live::RingScreen::Wish::kFaster) {
        period =
            std::clamp(period * (wish == live::RingScreen::Wish::kSlower ? 2 : 0.5), kShortestPeriod, kLongestPeriod);
        manager.set_period(static_cast<ring::Time>(std::llround(period * 1e9)));
    }
    return wish == live::RingScreen::Wish::kEnd;
}

}  // namespace

int run_ring_top(const RingTopOptions& options, const std::function<bool()>& is_stopped) {
    AskedMetrics asked(options);
    if (!options.prometheus.empty()) {
        if (const auto same = ring::find_same_family(asked.all())) {
            const auto name = [&](std::size_t i) { return to_text(asked.all()[i].address); };
            return fail({ErrorKind::kUsage,
                         fmt::format("{} and {} have one name in Prometheus: {}", name(same->first),
                                     name(same->second), ring::family_name(asked.all()[same->first])),
                         "serve one of them, or rename a metric"});
        }
    }
    allow_many_files();
    auto meeting = meet_as_manager(options.ring);
    if (!meeting) {
        return fail(meeting.error());
    }
    const ring::Place& place = *meeting->place;
    std::vector<ring::MemberFile> named;  // the member of each slot, as known now
    std::unique_ptr<ring::Endpoint> endpoint;
    ring::Families families(asked.all(), names_of(named));
    if (!options.prometheus.empty()) {
        auto opened = ring::open_endpoint(options.prometheus);
        if (!opened) {
            return fail(opened.error());
        }
        endpoint = std::move(*opened);
        fmt::print(stderr, "kymo: metrics at http://{}:{}/metrics\n",
                   options.prometheus.substr(0, options.prometheus.rfind(':')), endpoint->port());
    }
    HostsRecord record;
    if (!options.record.empty()) {
        if (const auto begun = record.begin(options.record, options.command, asked.all(), names_of(named)); !begun) {
            return fail(begun.error());
        }
    }
    std::vector<ring::Entry> request;
    request.reserve(options.asked.size());
    for (const live::Asked& each : options.asked) {
        request.push_back(each.entry);
    }
    const ring::Place::Roster roster = place.roster();
    if (roster.agents.empty()) {
        fmt::print(stderr, "kymo: no agents yet in {}\n      start one on every host: kymo agent {}\n",
                   options.ring.folder, options.ring.text());
    }
    usleep(ring::kHeardOf / 1000);
    const ring::Time begin = monotonic_now().ns;
    ring::Manager manager(settings_of(options, place.job(), meeting->claim.incarnation, roster.slots), request,
                          begin);
    ring::Driver<ring::Manager> driver(manager, ring::kManager, place.job().settings().reach, *meeting->channels,
                                       place);
    asked.begin(manager);
    std::optional<live::RingScreen> screen;
    if (options.live) {
        screen.emplace(terminal_style().unicode);
    }
    double period = options.period;
    bool ended = false;
    HostCells cells;
    cells.open_service("kymo-top", kMostChannels, place.job().job);
    live::RingHistory history;
    Switching switching;
    const auto order = [&](const Result<std::vector<NamedSwitch>>& wanted) -> Result<void> {
        return wanted ? switching.add(*wanted, manager, monotonic_now().ns) : Result<void>(wanted.error());
    };
    if (!options.switches.empty()) {
        if (const auto ordered = order(options.switches); !ordered) {
            return fail(ordered.error());
        }
    }
    LinesIn lines_in;
    live::HostDetail detail(options.asked);
    bool has_begun = false;
    for (std::uint64_t shown = 0; !ended && !is_stopped() && (options.times == 0 || shown < options.times);) {
        if (screen) {
            screen->draw(options.asked, period, record.is_on() ? record.name() : "");
            ended = follow(*screen, options, named, asked, record, manager, period);
        }
        driver.turn(monotonic_now().ns + 200'000'000);
        named = driver.roster().agents;
        detail.want(wanted_rows(screen ? &*screen : nullptr, options, has_begun, named), manager, monotonic_now().ns);
        if (detail.poll(manager, monotonic_now().ns) && screen) {
            screen->take(*detail.view());
        }
        if (options.orders) {
            lines_in.take([&](const std::string& line) {
                if (const auto ordered = order(parse_switch(line)); !ordered) {
                    fail(ordered.error());  // and continues
                }
            });
        }
        if (asked.learn(manager)) {
            families.know(asked.all());
            record.know(asked.all());
        }
        for (ring::Sample& sample : manager.take_samples()) {
            record.take(sample);
            if (endpoint) {
                endpoint->publish(families.take(sample, manager.counts(), manager.period()));
            }
            live::RingView view = history.take(std::move(sample), driver.roster().agents, manager.period());
            view.channels = meeting->channels->states();
            view.counts = manager.counts();
            manager.trips([&view](ring::Slot to, std::uint64_t number, std::uint64_t ns) {
                view.trips.push_back({to, number, ns});
            });
            cells.fill_service(view.channels, view.trips);
            view.switches = switching.state(manager.orders());
            // Nothing to compare with yet; some agents have not heard of a new manager.
            if (shown == 0 && view.sample.sequence == 1 && options.times != 1) {
                continue;
            }
            if (screen) {
                screen->take(std::move(view));
                detail.again(manager, monotonic_now().ns);
                continue;
            }
            detail.again(manager, monotonic_now().ns);
            if (detail.is_wanted() && !live::is_ready(detail.view())) {
                continue;
            }
            const live::DetailView* const rows = detail.view() ? &*detail.view() : nullptr;
            const std::string text = options.json
                                         ? live::ring_json_line(view, options.asked, options.host, rows)
                                         : live::ring_text(terminal_style(), view, options.asked, options.host, rows);
            if (!print_now(text)) {
                record.end(true);
                return fail({ErrorKind::kNoSpace, "what is shown could not be written", "is the disk full?"});
            }
            if (++shown == options.times) {
                break;
            }
        }
    }
    screen.reset();  // output at the end stays on the terminal
    return record.end(is_stopped());
}

}  // namespace kymo::cli
