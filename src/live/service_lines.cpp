#include "live/service_lines.h"

#include "live/figures.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace kymo::live {
namespace {

std::string name_of_peer(const RingView& view, ring::Slot peer) {
    for (const RingHost& host : view.hosts) {
        if (host.slot == peer) {
            return host.name;
        }
    }
    return peer == ring::kUnknownPeer ? "somebody" : fmt::format("slot {}", peer);
}

}  // namespace

std::uint64_t open_channels(const RingView& view) {
    const auto at = static_cast<std::size_t>(Shown::kServiceOpen);
    std::uint64_t open = at < view.sample.records.size() ? view.sample.records[at].sum_low : 0;
    for (const ring::ChannelState& each : view.channels) {
        open += each.sends ? each.open : 0;
    }
    return open;
}

void service_lines(Lines& lines, const RingView& view, std::size_t rows) {
    const view::Style& style = lines.style();
    bool is_begun = false;
    const auto heading = [&](const char* columns) {
        if (!std::exchange(is_begun, true)) {
            lines.heading(fmt::format("Service channels  {} open", open_channels(view)));
        }
        lines.columns(columns);
    };
    std::size_t shown = 0;
    for (const RingHost& host : view.hosts) {
        if (host.state == ring::PartState::kHole || host.seconds == 0 || shown == rows) {
            continue;
        }
        if (shown++ == 0) {
            heading("open  used  sent/s  bytes/s  received/s  bytes/s   waits  host");
        }
        const ring::Record& open = host.now[static_cast<std::size_t>(Shown::kServiceOpen)];
        const auto count = [&](std::uint64_t number) { return open.known == 0 ? "·" : std::to_string(number); };
        lines.line(cell(count(open.sum_low), 4) + cell(count(open.known), 6) +
                   cell(rate_figure(style, rate_of(host, Shown::kServiceSent)), 8) +
                   cell(rate_figure(style, rate_of(host, Shown::kServiceSentBytes)), 9) +
                   cell(rate_figure(style, rate_of(host, Shown::kServiceReceived)), 12) +
                   cell(rate_figure(style, rate_of(host, Shown::kServiceReceivedBytes)), 9) +
                   cell(share_figure(style, rate_of(host, Shown::kServiceWait) / 1e9), 8) + "  " + host.name);
    }
    shown = 0;
    for (const ring::ChannelState& each : view.channels) {
        if (each.messages == 0 || shown == rows) {
            continue;
        }
        if (shown++ == 0) {
            heading("open  messages    bytes  largest  waiting  round trip  manager's own");
        }
        const auto trip = std::find_if(view.trips.begin(), view.trips.end(), [&each](const ring::Trips& of) {
            return each.sends && of.to == each.peer && of.number > 0;
        });
        const std::string round_trip =
            trip == view.trips.end()
                ? ""
                : view::duration(style,
                                 static_cast<std::int64_t>(trip->ns / std::max<std::uint64_t>(trip->number, 1)));
        lines.line(cell(std::to_string(each.open), 4) +
                   cell(rate_figure(style, static_cast<double>(each.messages)), 10) +
                   cell(rate_figure(style, static_cast<double>(each.bytes)), 9) +
                   cell(rate_figure(style, static_cast<double>(each.largest)), 9) +
                   cell(each.sends ? std::to_string(each.outstanding) : "", 9) + cell(round_trip, 12) +
                   (each.sends ? "  to " : "  from ") + name_of_peer(view, each.peer));
    }
}

nlohmann::ordered_json channels_json(std::span<const ring::ChannelState> states, std::span<const ring::Trips> trips) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const ring::ChannelState& state : states) {
        nlohmann::ordered_json peer = state.peer;
        if (state.peer == ring::kManager) {
            peer = "manager";
        } else if (state.peer == ring::kUnknownPeer) {
            peer = nullptr;
        }
        nlohmann::ordered_json one{{"direction", state.sends ? "service-send" : "service-receive"},
                                   {"peer", peer},
                                   {"open_connections", state.open},
                                   {"opened_connections", state.opened},
                                   {"messages", state.messages},
                                   {"bytes", state.bytes},
                                   {"largest_bytes", state.largest},
                                   {"calls", state.calls}};
        if (state.sends) {
            one["wait_s"] = static_cast<double>(state.blocked) / 1e9;
            one["outstanding_messages"] = state.outstanding;
            one["most_outstanding_messages"] = state.most_outstanding;
            one["dropped_messages"] = state.dropped;
        }
        for (const ring::Trips& each : trips) {
            if (state.sends && each.to == state.peer && each.number > 0) {
                one["trips"] = each.number;
                one["round_trip_s"] = static_cast<double>(each.ns) / 1e9;
            }
        }
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace kymo::live
