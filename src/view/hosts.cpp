#include "view/hosts.h"

#include "view/json_text.h"
#include "view/metrics.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

// Of that host; nothing counted is 0.
std::uint64_t value(const RunMetrics& run, Resource kind, std::string_view name, std::uint64_t host) {
    const RunMetric* const metric = run.find(kind, name);
    return metric == nullptr ? 0 : metric->aggregate(ResourceLevel::kHost, host).sum;
}

// Relative to the time for which its processors were observed.
std::string busy(const Style& style, const RunMetrics& run, std::uint64_t host) {
    const std::uint64_t used = value(run, Resource::kProcessor, "busy", host);
    std::uint64_t all = used;
    for (const char* const other : {"idle", "io-wait", "steal"}) {
        all += value(run, Resource::kProcessor, other, host);
    }
    return all == 0 ? std::string(signs(style).dot) : percent(static_cast<double>(used) / static_cast<double>(all));
}

std::uint64_t unanswered(const RunHost& host) {
    std::uint64_t ns = 0;
    for (const RunHost::Gap& gap : host.gaps) {
        ns += gap.end - gap.begin;
    }
    return ns;
}

}  // namespace

std::string terminal_hosts(const Style& style, const RunMetrics& run, std::size_t top) {
    if (!run.is_by_ring()) {
        return {};
    }
    std::vector<std::size_t> order(run.hosts.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    // Hosts that did not answer first, then by number.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return unanswered(run.hosts[a]) > unanswered(run.hosts[b]);
    });
    Table table;
    table.headings = {"busy", "user", "system", "waits", "messages", "in MPI", "no answer", "clock", "host"};
    const std::size_t shown = std::min(order.size(), 2 * top);
    for (std::size_t i = 0; i < shown; ++i) {
        const RunHost& host = run.hosts[order[i]];
        const auto time = [&](Resource kind, const char* name) {
            return Cell{duration(style, value(run, kind, name, order[i]))};
        };
        const std::uint64_t silent = unanswered(host);
        const std::string clock =
            host.clock_error_ns ? "± " + duration(style, std::max<std::uint64_t>(*host.clock_error_ns, 500)) : "?";
        const bool one_clock = host.clock_error_ns == 0U;
        table.rows.push_back(
            {{busy(style, run, order[i])},
             time(Resource::kTask, "user"),
             time(Resource::kTask, "system"),
             time(Resource::kTask, "wait"),
             {count(static_cast<std::int64_t>(value(run, Resource::kChannel, "messages", order[i])))},
             time(Resource::kChannel, "blocked"),
             {duration(style, silent), silent != 0 ? Ink::kWarning : Ink::kPlain},
             {one_clock       ? "same"
              : style.unicode ? clock
                              : "+/- " + clock.substr(clock.find(' ') + 1)},
             {host.name, Ink::kName},
             {host.processors != 0 ? "  " + quantity(host.processors, "processor") : "", Ink::kDim}});
    }
    std::string out = "\n" + paint(style, Ink::kHeading, "Hosts") + "  " +
                      paint(style, Ink::kDim, "all on the manager's clock; 'clock': how well each one's is known") +
                      "\n" + render(style, table);
    if (shown < order.size()) {
        out += fmt::format("  and {} more (--top)\n", order.size() - shown);
    }
    return out;
}

Json json_hosts(const RunMetrics& run) {
    Json all = Json::array();
    const auto seconds = [&](std::uint64_t time) {
        return static_cast<double>(static_cast<std::int64_t>(time - run.begin)) / 1e9;
    };
    for (const RunHost& host : run.hosts) {
        Json gaps = Json::array();
        for (const RunHost::Gap& gap : host.gaps) {
            gaps.push_back({seconds(gap.begin), seconds(gap.end)});
        }
        all.push_back({{"name", host.name},
                       {"processors", known_or_null(host.processors)},
                       {"by_ring", host.is_by_ring},
                       {"clock_error_s",
                        host.clock_error_ns ? Json(static_cast<double>(*host.clock_error_ns) / 1e9) : Json(nullptr)},
                       {"no_answer_s", std::move(gaps)}});
    }
    return all;
}

}  // namespace kymo::view
