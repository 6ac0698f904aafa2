#include "view/channels.h"

#include "view/metrics.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostColumns = 12;  // ranks side by side
constexpr std::size_t kColumnWidth = 10;  // "1,234,567", and a blank

std::string bytes_text(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"", " kB", " MB", " GB", " TB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (amount >= 100'000 && unit + 1 < std::size(kUnits)) {
        amount /= 1000;
        ++unit;
    }
    return count(static_cast<std::int64_t>(amount)) + kUnits[unit];
}

// One matrix; `extra` is what follows the ranks' columns, by heading.
using CellOf = std::function<std::string(std::uint64_t row, std::uint64_t column)>;
using ExtraOf = std::function<std::string(std::uint64_t row)>;
std::string square(const Style& style, const ChannelMatrix& matrix, const std::string& title, const CellOf& cell,
                   const std::vector<std::pair<std::string, ExtraOf>>& extra) {
    Table table;
    table.headings.push_back(title);
    for (const std::uint64_t rank : matrix.ranks) {
        table.headings.push_back(std::to_string(rank));
    }
    for (const auto& [heading, of] : extra) {
        table.headings.push_back(heading);
    }
    table.headings.emplace_back();
    for (const std::uint64_t row : matrix.ranks) {
        std::vector<Cell> cells = {{fmt::format("rank {}", row), Ink::kName}};
        for (const std::uint64_t column : matrix.ranks) {
            cells.push_back({cell(row, column)});
        }
        for (const auto& [heading, of] : extra) {
            cells.push_back({of(row)});
        }
        table.rows.push_back(std::move(cells));
    }
    return render(style, table);
}

template <typename Map, typename Key>
auto value_in(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type{} : found->second;
}

std::string matrices(const Style& style, const ChannelMatrix& matrix) {
    const std::string none(signs(style).dot);
    const auto or_none = [&](std::uint64_t amount, const std::string& text) { return amount == 0 ? none : text; };
    const bool has_anyone = std::any_of(matrix.anyone_ns.begin(), matrix.anyone_ns.end(),
                                        [](const auto& each) { return each.second != 0; });
    std::vector<std::pair<std::string, ExtraOf>> counts;
    std::vector<std::pair<std::string, ExtraOf>> sizes;
    std::vector<std::pair<std::string, ExtraOf>> times;
    if (has_anyone) {
        times.emplace_back("anyone",
                           [&](std::uint64_t rank) { return duration(style, value_in(matrix.anyone_ns, rank)); });
    }
    const auto add = [&](const char* heading, const std::map<std::uint64_t, Exchanged>& by_rank) {
        if (by_rank.empty()) {
            return;
        }
        counts.emplace_back(heading, [&](std::uint64_t rank) {
            const std::uint64_t messages = value_in(by_rank, rank).messages;
            return or_none(messages, count(static_cast<std::int64_t>(messages)));
        });
        sizes.emplace_back(heading, [&](std::uint64_t rank) {
            const std::uint64_t bytes = value_in(by_rank, rank).bytes;
            return or_none(bytes, bytes_text(bytes));
        });
        times.emplace_back(heading,
                           [&](std::uint64_t rank) { return duration(style, value_in(by_rank, rank).blocked_ns); });
    };
    add("all", matrix.collective);
    add("files", matrix.files);
    add("elsewhere", matrix.elsewhere);
    const auto sent = [&](std::uint64_t from, std::uint64_t to) {
        return value_in(matrix.sent, std::pair(from, to));
    };
    std::string out = square(
        style, matrix, "messages from, to",
        [&](std::uint64_t from, std::uint64_t to) {
            const std::uint64_t messages = sent(from, to).messages;
            return or_none(messages, count(static_cast<std::int64_t>(messages)));
        },
        counts);
    out += square(
        style, matrix, "bytes from, to",
        [&](std::uint64_t from, std::uint64_t to) {
            const Exchanged pair = sent(from, to);
            return or_none(pair.messages, bytes_text(pair.bytes));
        },
        sizes);
    out += square(
        style, matrix, "time in calls of, for",
        [&](std::uint64_t rank, std::uint64_t peer) {
            return duration(style, value_in(matrix.blocked_ns, std::pair(rank, peer)));
        },
        times);
    return out;
}

std::string list(const Style& style, std::vector<Channel> channels, std::size_t top) {
    std::stable_sort(channels.begin(), channels.end(),
                     [](const auto& a, const auto& b) { return a.blocked_ns > b.blocked_ns; });
    Table table;
    table.headings = {"time in calls", "messages", "bytes", "largest", "channel"};
    for (std::size_t i = 0; i < std::min(top, channels.size()); ++i) {
        const Channel& channel = channels[i];
        const std::string peer = channel.peer        ? fmt::format(", rank {}", *channel.peer)
                                 : channel.elsewhere ? fmt::format(", rank {} elsewhere", *channel.elsewhere)
                                                     : "";
        table.rows.push_back(
            {{duration(style, channel.blocked_ns)},
             {count(static_cast<std::int64_t>(channel.messages))},
             {bytes_text(channel.bytes)},
             {bytes_text(channel.largest)},
             {fmt::format("rank {}", channel.rank), Ink::kName},
             {fmt::format(" {}{}", direction_name(static_cast<std::uint64_t>(channel.direction)), peer)},
             {channel.communicator != 0 && !channel.name.empty() ? "  " + channel.name : "", Ink::kDim}});
    }
    std::string out = render(style, table);
    if (channels.size() > top) {
        out +=
            fmt::format("  {} {} more (--top {})\n", signs(style).ellipsis, channels.size() - top, channels.size());
    }
    return out;
}

}  // namespace

std::string terminal_channels(const Style& style, const RunMetrics& run, std::size_t top) {
    const std::vector<Channel> channels = channels_of(run);
    const std::string heading = "\n" + paint(style, Ink::kHeading, "Channels") + "  ";
    if (channels.empty()) {
        return run.ranks < 2 ? ""
                             : heading +
                                   paint(style, Ink::kDim,
                                         "no message was counted: the ranks send none, or have an MPI library that "
                                         "Kymo was not built for (docs/mpi.md)") +
                                   "\n";
    }
    const ChannelMatrix matrix = matrix_of(channels);
    const bool fits = matrix.ranks.size() <= kMostColumns &&
                      24 + kColumnWidth * (matrix.ranks.size() + 2) <= std::max<std::size_t>(style.width, 84);
    return heading + paint(style, Ink::kDim, "messages between ranks, and the time inside the calls") + "\n" +
           (fits ? matrices(style, matrix) : list(style, channels, top));
}

Json json_channels(const RunMetrics& run) {
    Json all = Json::array();
    for (const Channel& channel : channels_of(run)) {
        Json json;
        json["rank"] = channel.rank;
        json["peer"] = channel.peer ? Json(*channel.peer) : Json(nullptr);
        json["elsewhere"] = channel.elsewhere ? Json(*channel.elsewhere) : Json(nullptr);
        json["direction"] = direction_name(static_cast<std::uint64_t>(channel.direction));
        json["communicator"] = channel.communicator;
        json["name"] = channel.name;
        json["messages"] = channel.messages;
        json["bytes"] = channel.bytes;
        json["blocked_s"] = static_cast<double>(channel.blocked_ns) / 1e9;
        json["outstanding"] = channel.outstanding;
        json["largest"] = channel.largest;
        json["most_outstanding"] = channel.most_outstanding;
        json["calls"] = channel.calls;
        all.push_back(std::move(json));
    }
    return all;
}

}  // namespace kymo::view
