#include "cli/ring/ring_top.h"

#include "cli/ring/ring_view.h"
#include "cli/terminal.h"
#include "ring/transport/driver.h"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace kymo::cli {
namespace {

bool print(const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

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

}  // namespace

int run_ring_top(const RingTopOptions& options, const std::function<bool()>& is_stopped) {
    auto meeting = meet(options.ring);
    if (!meeting) {
        return fail(meeting.error());
    }
    const ring::Rendezvous& rendezvous = meeting->rendezvous;
    const auto claim = rendezvous.claim_manager();
    if (!claim) {
        return fail(claim.error());
    }
    if (const auto published =
            rendezvous.publish({ring::kManager, claim->incarnation, "manager", meeting->channels->endpoint()});
        !published) {
        return fail(published.error());
    }
    std::vector<ring::Entry> request;
    for (const Asked& each : options.asked) {
        request.push_back(each.entry);
    }
    const ring::Rendezvous::Roster roster = rendezvous.roster();
    if (roster.agents.empty()) {
        fmt::print(stderr, "kymo: no agents yet in {}\n      start one on every host: kymo agent --rendezvous {}\n",
                   options.ring.folder, options.ring.folder);
    }
    usleep(ring::kHeardOf / 1000);
    const ring::Time begin = monotonic_now().ns;
    ring::Manager manager(settings_of(options, rendezvous.job(), claim->incarnation, roster.slots), request, begin);
    ring::Driver<ring::Manager> driver(manager, ring::kManager, rendezvous.job().settings().reach, *meeting->channels,
                                       rendezvous);
    RingHistory history;
    for (std::uint64_t shown = 0; !is_stopped() && (options.times == 0 || shown < options.times);) {
        driver.turn(monotonic_now().ns + 200'000'000);
        for (ring::Sample& sample : manager.take_samples()) {
            const RingView view = history.take(std::move(sample), driver.roster().agents, manager.period());
            // Nothing to compare with yet; a manager that has just come has not been heard of by all.
            if (shown == 0 && view.sample.sequence == 1 && options.times != 1) {
                continue;
            }
            std::string text;
            if (options.json) {
                text = ring_json(view, options.asked).dump() + "\n";
            } else {
                for (const std::string& line : ring_lines(terminal_style(), view, options.asked, 40)) {
                    text += line + "\n";
                }
                text += "\n";
            }
            if (!print(text)) {
                return fail({ErrorKind::kNoSpace, "what is shown could not be written", "is the disk full?"});
            }
            if (++shown == options.times) {
                break;
            }
        }
    }
    return 0;
}

}  // namespace kymo::cli
