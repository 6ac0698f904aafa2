#include "live/ring_session.h"

#include "base/descriptor.h"
#include "base/time.h"
#include "cells/reader/folder.h"
#include "live/asked_metrics.h"
#include "live/lines_in.h"
#include "live/ring_screen.h"
#include "live/ring_text.h"
#include "ring/scrape/endpoint.h"
#include "ring/transport/driver.h"
#include "ring/transport/service_cells.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

namespace kymo::live {
namespace {

ring::ManagerSettings settings_of(const RingSessionOptions& options, const ring::JobFile& job, std::uint64_t epoch,
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

std::vector<ring::Entry> entries_of(const std::vector<Asked>& asked) {
    std::vector<ring::Entry> entries;
    entries.reserve(asked.size());
    for (const Asked& each : asked) {
        entries.push_back(each.entry);
    }
    return entries;
}

// The manager's rows of cells: to and from each member, as far as used.
constexpr std::uint32_t kMostChannels = 8192;
constexpr ring::Time kLongestTurn = 200'000'000;
constexpr double kShortestPeriod = 0.125;
constexpr double kLongestPeriod = 60;

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

// Two metrics that a Prometheus server could not tell apart.
std::optional<Error> same_family(const std::vector<ring::AskedMetric>& asked) {
    const auto same = ring::find_same_family(asked);
    if (!same) {
        return std::nullopt;
    }
    const auto name = [&](std::size_t i) { return to_text(asked[i].address); };
    return Error{ErrorKind::kUsage,
                 fmt::format("{} and {} have one name in Prometheus: {}", name(same->first), name(same->second),
                             ring::family_name(asked[same->first])),
                 "serve one of them, or rename a metric"};
}

class RingSession {
  public:
    RingSession(const RingSessionOptions& options, const Console& console, AskedMetrics asked, ring::Meeting meeting)
        : options_(options),
          console_(console),
          asked_(std::move(asked)),
          meeting_(std::move(meeting)),
          families_(asked_.all(), names_of(named_)),
          period_(options.period),
          detail_(options.asked) {}

    // What can fail before the first sample. Waits until the agents have heard of this manager.
    std::optional<Error> begin() {
        if (auto error = serve()) {
            return error;
        }
        if (options_.records) {
            if (const auto begun = begin_record(); !begun) {
                return begun.error();
            }
        }
        begin_manager();
        if (options_.live) {
            screen_.emplace(console_.style().unicode);
        }
        publish_own_channels();
        if (!options_.switches.empty()) {
            if (const auto ordered = order(options_.switches); !ordered) {
                return ordered.error();
            }
        }
        return std::nullopt;
    }

    int run(const std::function<bool()>& is_stopped) {
        while (!ended_ && !is_stopped() && (options_.times == 0 || shown_ < options_.times)) {
            follow_keys();
            driver_->turn(monotonic_now().ns + kLongestTurn);
            named_ = driver_->roster().agents;
            follow_rows();
            take_orders();
            if (asked_.learn(*manager_)) {
                families_.know(asked_.all());
                record_.know(asked_.all());
            }
            if (!take_samples()) {
                record_.end(true, console_);
                return console_.fail(
                    {ErrorKind::kNoSpace, "what is shown could not be written", "is the disk full?"});
            }
        }
        screen_.reset();  // output at the end stays on the terminal
        return record_.end(is_stopped(), console_);
    }

  private:
    // To a Prometheus server.
    std::optional<Error> serve() {
        if (options_.prometheus.empty()) {
            return std::nullopt;
        }
        auto opened = ring::open_endpoint(options_.prometheus);
        if (!opened) {
            return opened.error();
        }
        endpoint_ = std::move(*opened);
        console_.note(fmt::format("metrics at http://{}:{}/metrics",
                                  options_.prometheus.substr(0, options_.prometheus.rfind(':')), endpoint_->port()));
        return std::nullopt;
    }

    Result<void> begin_record() { return record_.begin(options_.record, asked_.all(), names_of(named_)); }

    void begin_manager() {
        const ring::Place& place = *meeting_.place;
        const ring::Place::Roster roster = place.roster();
        if (roster.agents.empty()) {
            console_.note(fmt::format("no agents yet in {}\n      start one on every host: kymo agent {}",
                                      options_.ring.folder, options_.ring.text()));
        }
        usleep(ring::kHeardOf / 1000);
        manager_.emplace(settings_of(options_, place.job(), meeting_.claim.incarnation, roster.slots),
                         entries_of(options_.asked), monotonic_now().ns);
        driver_.emplace(*manager_, ring::kManager, place.job().settings().reach, *meeting_.channels, place);
        asked_.begin(*manager_);
    }

    // The manager's service channels are cells of this host, too; not so where no segment can be made.
    void publish_own_channels() {
        if (auto made = cells::Folder::make()) {
            folder_.emplace(std::move(*made));
            static_cast<void>(service_.open(folder_->path() / "service.cells", "kymo-top", kMostChannels,
                                            meeting_.place->job().job));
        }
    }

    void follow_keys() {
        if (!screen_) {
            return;
        }
        screen_->draw(options_.asked, period_, record_.is_on() ? record_.name() : "");
        const RingScreen::Wish wish = screen_->press();
        if (wish == RingScreen::Wish::kRecord) {
            if (record_.is_on()) {
                screen_->tell("It is recorded into " + record_.name() + " until the end.");
            } else if (const auto begun = begin_record(); !begun) {
                screen_->tell(begun.error().what + "; " + begun.error().next);
            }
        } else if (wish == RingScreen::Wish::kSlower || wish == RingScreen::Wish::kFaster) {
            period_ =
                std::clamp(period_ * (wish == RingScreen::Wish::kSlower ? 2 : 0.5), kShortestPeriod, kLongestPeriod);
            manager_->set_period(static_cast<ring::Time>(std::llround(period_ * 1e9)));
        }
        ended_ = wish == RingScreen::Wish::kEnd;
    }

    // Asks for the rows that are shown, and takes those that have arrived.
    void follow_rows() {
        detail_.want(wanted_rows(), *manager_, monotonic_now().ns);
        if (detail_.poll(*manager_, monotonic_now().ns) && screen_) {
            screen_->take(*detail_.view());
        }
    }

    // The process or thread whose rows are shown: chosen on the screen, or named by an option.
    std::optional<DetailTarget> wanted_rows() {
        const std::optional<ring::Slot> slot = options_.host.empty() ? std::nullopt : slot_of(options_.host, named_);
        if (!screen_) {
            return slot ? std::optional(DetailTarget{*slot, options_.process, true, TaskSort::kOnCpu}) : std::nullopt;
        }
        if (slot && !has_begun_inside_) {
            has_begun_inside_ = true;
            screen_->begin_at(*slot, options_.process);
        }
        return screen_->wanted();
    }

    void take_orders() {
        if (!options_.orders) {
            return;
        }
        lines_in_.take([this](const std::string& line) {
            if (const auto ordered = order(options_.parse_order(line)); !ordered) {
                console_.fail(ordered.error());
            }
        });
    }

    Result<void> order(const Result<std::vector<NamedSwitch>>& wanted) {
        return wanted ? switching_.add(*wanted, *manager_, monotonic_now().ns) : Result<void>(wanted.error());
    }

    // Records, serves and shows what has arrived. False: what is shown could not be written.
    bool take_samples() {
        for (ring::Sample& sample : manager_->take_samples()) {
            record_.take(sample, console_);
            if (endpoint_) {
                endpoint_->publish(families_.take(sample, manager_->counts(), manager_->period()));
            }
            RingView view = view_of(std::move(sample));
            publish(view);
            // Nothing to compare with yet; some agents have not heard of a new manager.
            if (shown_ == 0 && view.sample.sequence == 1 && options_.times != 1) {
                continue;
            }
            if (!show(std::move(view))) {
                return false;
            }
            if (options_.times != 0 && shown_ == options_.times) {
                break;
            }
        }
        return true;
    }

    RingView view_of(ring::Sample sample) {
        RingView view = history_.take(std::move(sample), driver_->roster().agents, manager_->period());
        view.channels = meeting_.channels->states();
        view.counts = manager_->counts();
        manager_->trips([&view](ring::Slot to, std::uint64_t number, std::uint64_t ns) {
            view.trips.push_back({to, number, ns});
        });
        view.switches = switching_.state(manager_->orders());
        return view;
    }

    void publish(const RingView& view) {
        if (service_.is_open()) {
            service_.fill(view.channels, view.trips, monotonic_now().ns);
        }
    }

    // As text it is shown once the rows of the host that was named are there. False: it could not be written.
    bool show(RingView view) {
        if (screen_) {
            screen_->take(std::move(view));
            detail_.again(*manager_, monotonic_now().ns);
            return true;
        }
        detail_.again(*manager_, monotonic_now().ns);
        if (detail_.is_wanted() && !is_ready(detail_.view())) {
            return true;
        }
        const DetailView* const rows = detail_.view() ? &*detail_.view() : nullptr;
        const bool written =
            console_.show(options_.json ? ring_json_line(view, options_.asked, options_.host, rows)
                                        : ring_text(console_.style(), view, options_.asked, options_.host, rows));
        shown_ += written ? 1 : 0;
        return written;
    }

    const RingSessionOptions& options_;
    const Console& console_;
    AskedMetrics asked_;
    ring::Meeting meeting_;
    std::vector<ring::MemberFile> named_;  // the member of each slot, as known now
    std::unique_ptr<ring::Endpoint> endpoint_;
    ring::Families families_;
    HostsRecord record_;
    std::optional<ring::Manager> manager_;
    std::optional<ring::Driver<ring::Manager>> driver_;
    std::optional<RingScreen> screen_;
    double period_;
    bool ended_ = false;
    std::optional<cells::Folder> folder_;
    ring::ServiceCells service_;
    RingHistory history_;
    Switching switching_;
    LinesIn lines_in_;
    HostDetail detail_;
    bool has_begun_inside_ = false;
    std::uint64_t shown_ = 0;  // samples, without a screen
};

}  // namespace

int run_ring_session(const RingSessionOptions& options, const Console& console,
                     const std::function<bool()>& is_stopped) {
    AskedMetrics asked(options.asked);
    if (!options.prometheus.empty()) {
        if (const auto error = same_family(asked.all())) {
            return console.fail(*error);
        }
    }
    allow_many_descriptors();  // channels and recorded hosts take one each
    auto meeting = ring::meet_as_manager(options.ring);
    if (!meeting) {
        return console.fail(meeting.error());
    }
    RingSession session(options, console, std::move(asked), std::move(*meeting));
    if (const auto error = session.begin()) {
        return console.fail(*error);
    }
    return session.run(is_stopped);
}

}  // namespace kymo::live
