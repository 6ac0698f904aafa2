#include "live/ring_lines.h"

#include "live/figures.h"
#include "live/lines.h"
#include "live/service_lines.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::live {
namespace {

using ring::PartState;
using ring::Record;

// Relative to the time that the kernel counted: it counts in steps of 10 ms.
double busy(const RingHost& host) {
    const double used = rate_of(host, Shown::kBusy);
    const double all =
        used + rate_of(host, Shown::kIdle) + rate_of(host, Shown::kIoWait) + rate_of(host, Shown::kSteal);
    return all > 0 ? used / all : 0;
}

double seconds(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

double ms(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

// The time between latches, by the host's own clock.
std::uint64_t skew(const ring::Sample& sample) {
    return sample.latest - sample.earliest;
}

std::string head(const RingView& view) {
    const ring::Coverage& coverage = view.sample.coverage;
    std::string text = fmt::format("Hosts  {} of {} answered", coverage.contributed, coverage.slots);
    if (coverage.contributed > 0) {
        text +=
            fmt::format("  round trip {:.2f} ms  latched within {:.3f} ms, clocks known to {:.3f} ms",
                        ms(view.sample.home - view.sample.sent), ms(skew(view.sample)), ms(view.sample.clock_error));
    }
    if (coverage.off_time > 0) {
        text += fmt::format("  {} off time", coverage.off_time);
    }
    return text;
}

double sort_value(const RingHost& host, RingSort sort) {
    const auto both = [&host](Shown a, Shown b) { return rate_of(host, a) + rate_of(host, b); };
    switch (sort) {
        case RingSort::kBusy:
            break;
        case RingSort::kOnCpu:
            return both(Shown::kUser, Shown::kSystem);
        case RingSort::kLocks:
            return rate_of(host, Shown::kLockWait);
        case RingSort::kWaits:
            return rate_of(host, Shown::kWait);
        case RingSort::kSwitches:
            return both(Shown::kVoluntary, Shown::kInvoluntary);
        case RingSort::kFaults:
            return both(Shown::kMinorFaults, Shown::kMajorFaults);
        case RingSort::kMessages:
            return rate_of(host, Shown::kMessages);
        case RingSort::kBytes:
            return rate_of(host, Shown::kBytes);
        case RingSort::kMpi:
            return rate_of(host, Shown::kBlocked);
    }
    return busy(host);
}

// Silent hosts first, then by that column.
std::vector<const RingHost*> sorted(const RingView& view, RingSort sort) {
    std::vector<const RingHost*> hosts;
    hosts.reserve(view.hosts.size());
    for (const RingHost& host : view.hosts) {
        hosts.push_back(&host);
    }
    std::stable_sort(hosts.begin(), hosts.end(), [sort](const RingHost* a, const RingHost* b) {
        const bool a_hole = a->state == PartState::kHole;
        const bool b_hole = b->state == PartState::kHole;
        return a_hole != b_hole ? a_hole : sort_value(*a, sort) > sort_value(*b, sort);
    });
    return hosts;
}

// All metrics requested of one host.
std::vector<std::string> host_lines(const view::Style& style, const RingView& view, const std::vector<Asked>& asked,
                                    ring::Slot slot) {
    const auto found = std::find_if(view.hosts.begin(), view.hosts.end(),
                                    [slot](const RingHost& host) { return host.slot == slot; });
    if (found == view.hosts.end()) {
        return {fmt::format("Host  slot {}: nothing is known about it", slot)};
    }
    const RingHost& host = *found;
    if (host.state == PartState::kHole) {
        return {fmt::format("Host  {}: no answer", host.name)};
    }
    std::vector<std::string> lines{
        fmt::format("Host  {}  slot {}  clock known to {:.3f} ms{}", host.name, slot, ms(host.clock_error),
                    host.state == PartState::kOffTime ? "  latched off time" : ""),
        "                 sum     a second           mean       greatest     of  metric"};
    for (std::size_t i = 0; i < std::min(asked.size(), host.now.size()); ++i) {
        const Record& record = host.now[i];
        lines.push_back(view::cut_end(style,
                                      fmt::format("{:>20} {:>12} {:>14.1f} {:>14} {:>6}  {}", record.sum_low,
                                                  host.seconds > 0 ? rate_figure(style, host.a_second[i]) : "",
                                                  record.mean(), record.greatest, record.known, to_text(asked[i])),
                                      style.width));
    }
    return lines;
}

nlohmann::ordered_json record_json(const Record& record) {
    return {{"sum", record.sum_low},       {"mean", record.mean()}, {"least", record.least},
            {"greatest", record.greatest}, {"known", record.known}, {"objects", record.objects}};
}

}  // namespace

std::string_view name_of(RingSort sort) {
    constexpr std::string_view kNames[kRingSorts] = {"busy",   "on CPU",   "locks", "waits", "switches",
                                                     "faults", "messages", "bytes", "in MPI"};
    return kNames[static_cast<std::size_t>(sort)];
}

std::vector<ring::Slot> order_of(const RingView& view, RingSort sort) {
    std::vector<ring::Slot> slots;
    for (const RingHost* host : sorted(view, sort)) {
        slots.push_back(host->slot);
    }
    return slots;
}

std::vector<std::string> ring_lines(const view::Style& style, const RingView& view, const std::vector<Asked>& asked,
                                    const RingShown& shown) {
    const std::size_t rows = shown.rows;
    if (shown.is_inside && shown.chosen) {
        return host_lines(style, view, asked, *shown.chosen);
    }
    Lines lines(style);
    lines.heading(head(view));
    if (!view.hosts.empty()) {
        lines.columns("    busy  on CPU   locks   waits  switches  faults  messages/s  bytes/s  in MPI  host");
    }
    const std::vector<const RingHost*> hosts = sorted(view, shown.sort);
    // So that the chosen one is among those shown.
    const auto place = std::find_if(hosts.begin(), hosts.end(),
                                    [&shown](const RingHost* host) { return host->slot == shown.chosen; });
    const std::size_t from =
        place == hosts.end() ? 0 : first_shown(static_cast<std::size_t>(place - hosts.begin()), rows);
    for (std::size_t i = from; i < std::min(from + rows, hosts.size()); ++i) {
        const RingHost& host = *hosts[i];
        const std::string name = (host.slot == shown.chosen ? "> " : "  ") + host.name;
        if (host.state == PartState::kHole) {
            lines.line(view::pad_left("no answer", 32) + std::string(45, ' ') + name, view::Ink::kWarning);
            continue;
        }
        const double on_cpu = (rate_of(host, Shown::kUser) + rate_of(host, Shown::kSystem)) / 1e9;
        lines.line(
            cell(share_figure(style, busy(host))) + cell(share_figure(style, on_cpu)) +
            cell(share_figure(style, rate_of(host, Shown::kLockWait) / 1e9)) +
            cell(share_figure(style, rate_of(host, Shown::kWait) / 1e9)) +
            cell(rate_figure(style, rate_of(host, Shown::kVoluntary) + rate_of(host, Shown::kInvoluntary)), 10) +
            cell(rate_figure(style, rate_of(host, Shown::kMinorFaults) + rate_of(host, Shown::kMajorFaults))) +
            cell(rate_figure(style, rate_of(host, Shown::kMessages)), 12) +
            cell(rate_figure(style, rate_of(host, Shown::kBytes)), 9) +
            cell(share_figure(style, rate_of(host, Shown::kBlocked) / 1e9)) + name);
    }
    if (hosts.size() > rows) {
        lines.more(hosts.size() - rows);
    }
    if (shown.service) {
        service_lines(lines, view, rows);
    }
    const auto own = static_cast<std::size_t>(Shown::kCount);
    if (asked.size() > own) {
        lines.heading("Metrics  over the hosts that answered");
        lines.columns("                 sum           mean          least       greatest     of");
    }
    for (std::size_t i = own; i < asked.size() && i < view.sample.records.size(); ++i) {
        const Record& record = view.sample.records[i];
        lines.line(fmt::format("{:>20} {:>14.1f} {:>14} {:>14} {:>6}  {}", record.sum_low, record.mean(),
                               record.least, record.greatest, record.known, to_text(asked[i])));
    }
    if (!view.switches.empty()) {
        lines.heading("Switched");
    }
    for (const RingSwitch& each : view.switches) {
        const std::string how = each.what.on == 0       ? "off"
                                : each.what.period == 0 ? "on"
                                                        : fmt::format("every {} s", seconds(each.what.period));
        lines.line(fmt::format("{:>20}  {}: {} of {} programs do so, {} of {} hosts have answered", each.metric, how,
                               each.what.obeyed, each.what.programs, each.answered, view.sample.coverage.slots),
                   each.what.obeyed < each.what.programs ? view::Ink::kWarning : view::Ink::kPlain);
    }
    return lines.take();
}

nlohmann::ordered_json ring_json(const RingView& view, const std::vector<Asked>& asked) {
    const ring::Sample& sample = view.sample;
    nlohmann::ordered_json holes = nlohmann::ordered_json::array();
    for (const ring::HoleRange& hole : sample.coverage.holes) {
        holes.push_back({hole.first, hole.count});
    }
    nlohmann::ordered_json hosts = nlohmann::ordered_json::array();
    for (const RingHost& host : view.hosts) {
        nlohmann::ordered_json one{
            {"slot", host.slot}, {"host", host.name}, {"answered", host.state != PartState::kHole}};
        if (host.state != PartState::kHole) {
            one["on_time"] = host.state == PartState::kOnTime;
            one["clock_offset_ns"] = host.offset;
            one["clock_error_ns"] = host.clock_error;
            one["seconds"] = host.seconds;
            for (std::size_t i = 0; i < std::min(asked.size(), host.now.size()); ++i) {
                one["metrics"][to_text(asked[i])] = {{"sum", host.now[i].sum_low}, {"per_s", host.a_second[i]}};
            }
        }
        hosts.push_back(std::move(one));
    }
    nlohmann::ordered_json switches = nlohmann::ordered_json::array();
    for (const RingSwitch& each : view.switches) {
        switches.push_back({{"metric", each.metric},
                            {"on", each.what.on != 0},
                            {"period_s", seconds(each.what.period)},
                            {"programs", each.what.programs},
                            {"obeyed", each.what.obeyed},
                            {"hosts_answered", each.answered}});
    }
    nlohmann::ordered_json metrics;
    for (std::size_t i = 0; i < std::min(asked.size(), sample.records.size()); ++i) {
        metrics[to_text(asked[i])] = record_json(sample.records[i]);
    }
    return {
        {"sequence", sample.sequence},
        {"coverage",
         {{"agents", sample.coverage.slots},
          {"answered", sample.coverage.contributed},
          {"off_time", sample.coverage.off_time},
          {"holes", holes},
          {"holes_untold", sample.coverage.holes_untold}}},
        {"round_trip_ms", ms(sample.home - sample.sent)},
        {"skew_ms", ms(skew(sample))},
        {"clock_error_ms", ms(sample.clock_error)},
        {"tokens", sample.tokens},
        {"tokens_lost", sample.tokens_lost},
        {"moved_bytes", sample.moved},
        {"agent_work_us", static_cast<double>(sample.work) / 1e3},
        {"period_s", seconds(view.period)},
        {"so_far",
         {{"rounds", view.counts.rounds}, {"overtaken", view.counts.overtaken}, {"tokens_lost", view.counts.lost}}},
        {"metrics", metrics},
        {"switches", switches},
        {"channels_open", open_channels(view)},
        {"channels", channels_json(view.channels, view.trips)},
        {"hosts", hosts}};
}

}  // namespace kymo::live
