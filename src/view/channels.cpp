#include "view/channels.h"

#include "view/metrics.h"
#include "view/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace kymo::view {
namespace {

using namespace spacetime;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostColumns = 12;  // ranks side by side
constexpr std::size_t kColumnWidth = 10;  // "1,234,567", and a blank
constexpr std::size_t kLongestHeading = 12;

std::string bytes_text(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {" B", " kB", " MB", " GB", " TB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (amount >= 100'000 && unit + 1 < std::size(kUnits)) {
        amount /= 1000;
        ++unit;
    }
    return count(static_cast<std::int64_t>(amount)) + kUnits[unit];
}

// One matrix; `extra` is what follows the parties' columns, by heading.
using CellOf = std::function<std::string(std::size_t row, std::size_t column)>;
using ExtraOf = std::function<std::string(std::size_t row)>;
std::string square(const Style& style, const ChannelMatrix& matrix, const PartyNames& names, const std::string& title,
                   const CellOf& cell, const std::vector<std::pair<std::string, ExtraOf>>& extra) {
    Table table;
    table.headings.push_back(title);
    for (const std::size_t party : matrix.parties) {
        table.headings.push_back(names.heading[party]);
    }
    for (const auto& [heading, of] : extra) {
        table.headings.push_back(heading);
    }
    table.headings.emplace_back();
    for (const std::size_t row : matrix.parties) {
        std::vector<Cell> cells = {{names.name[row], Ink::kName}};
        for (const std::size_t column : matrix.parties) {
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

std::string matrices(const Style& style, const ChannelMatrix& matrix, const PartyNames& names) {
    const std::string none(signs(style).dot);
    const auto or_none = [&](std::uint64_t amount, const std::string& text) { return amount == 0 ? none : text; };
    const bool has_anyone = std::any_of(matrix.anyone_ns.begin(), matrix.anyone_ns.end(),
                                        [](const auto& each) { return each.second != 0; });
    std::vector<std::pair<std::string, ExtraOf>> counts;
    std::vector<std::pair<std::string, ExtraOf>> sizes;
    std::vector<std::pair<std::string, ExtraOf>> times;
    if (has_anyone) {
        times.emplace_back("anyone",
                           [&](std::size_t party) { return duration(style, value_in(matrix.anyone_ns, party)); });
    }
    const auto add = [&](const char* heading, const std::map<std::size_t, Exchanged>& by_party, bool has_time) {
        if (by_party.empty()) {
            return;
        }
        counts.emplace_back(heading, [&](std::size_t party) {
            const std::uint64_t messages = value_in(by_party, party).messages;
            return or_none(messages, count(static_cast<std::int64_t>(messages)));
        });
        sizes.emplace_back(heading, [&](std::size_t party) {
            const std::uint64_t bytes = value_in(by_party, party).bytes;
            return or_none(bytes, bytes_text(bytes));
        });
        if (has_time) {
            times.emplace_back(
                heading, [&](std::size_t party) { return duration(style, value_in(by_party, party).blocked_ns); });
        }
    };
    add("collective", matrix.collective, true);
    add("files", matrix.files, true);
    add("elsewhere", matrix.elsewhere, true);
    add("several", matrix.several, false);  // its time is in `anyone`
    const auto sent = [&](std::size_t from, std::size_t to) { return value_in(matrix.sent, std::pair(from, to)); };
    std::string out = square(
        style, matrix, names, "messages from, to",
        [&](std::size_t from, std::size_t to) {
            const std::uint64_t messages = sent(from, to).messages;
            return or_none(messages, count(static_cast<std::int64_t>(messages)));
        },
        counts);
    out += square(
        style, matrix, names, "bytes from, to",
        [&](std::size_t from, std::size_t to) {
            const Exchanged pair = sent(from, to);
            return or_none(pair.messages, bytes_text(pair.bytes));
        },
        sizes);
    out += square(
        style, matrix, names, "time in calls of, for",
        [&](std::size_t party, std::size_t peer) { return duration(style, matrix.blocked_ns(party, peer)); }, times);
    return out;
}

std::string list(const Style& style, const RunChannels& run, const PartyNames& names, std::size_t top) {
    std::vector<const Channel*> channels;
    for (const Channel& channel : run.channels) {
        if (channel.is_of_mpi()) {
            channels.push_back(&channel);
        }
    }
    std::stable_sort(channels.begin(), channels.end(),
                     [](const auto* a, const auto* b) { return a->blocked_ns > b->blocked_ns; });
    Table table;
    table.headings = {"time in calls", "messages", "bytes", "largest", "channel"};
    for (std::size_t i = 0; i < std::min(top, channels.size()); ++i) {
        const Channel& channel = *channels[i];
        const std::string peer = channel.peer        ? ", " + names.name[*channel.peer]
                                 : channel.elsewhere ? fmt::format(", rank {} elsewhere", *channel.elsewhere)
                                                     : "";
        table.rows.push_back(
            {{duration(style, channel.blocked_ns)},
             {count(static_cast<std::int64_t>(channel.messages))},
             {bytes_text(channel.bytes)},
             {bytes_text(channel.largest)},
             {names.name[channel.party], Ink::kName},
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

// For ends a row for each sender and receiver.
std::string pairs(const Style& style, const ChannelMatrix& matrix, const PartyNames& names, std::size_t top) {
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, Exchanged>> all(matrix.sent.begin(),
                                                                               matrix.sent.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
    Table table;
    table.headings = {"messages", "bytes", "sending", "receiving", "from, to"};
    for (std::size_t i = 0; i < std::min(top, all.size()); ++i) {
        const auto& [pair, sent] = all[i];
        const ChannelMatrix::Times times = value_in(matrix.times, pair);
        table.rows.push_back({{count(static_cast<std::int64_t>(sent.messages))},
                              {bytes_text(sent.bytes)},
                              {duration(style, times.sending_ns)},
                              {duration(style, times.receiving_ns)},
                              {names.name[pair.first], Ink::kName},
                              {fmt::format(" {} ", signs(style).arrow)},
                              {names.name[pair.second], Ink::kName}});
    }
    std::string out = render(style, table);
    if (all.size() > top) {
        out += fmt::format("  {} {} more (--top {})\n", signs(style).ellipsis, all.size() - top, all.size());
    }
    return out;
}

// Pipes and sockets that lead outside, or from a thread to itself, are alone not worth a section: a program's output
// is one in many runs, and a pipe to itself wakes a thread.
bool is_worth_showing(const RunMetrics& metrics, const RunChannels& run) {
    constexpr double kShare = 0.05;  // of the run's time
    double outside_ns = 0;
    for (const Channel& channel : run.channels) {
        if (channel.is_of_mpi() || (channel.peer && run.parties[*channel.peer].is_outside)) {
            outside_ns += channel.is_of_mpi() ? 0.0 : static_cast<double>(channel.blocked_ns);
        } else if (channel.messages != 0 && channel.peer != channel.party) {
            return true;
        }
    }
    return outside_ns > kShare * static_cast<double>(metrics.end - metrics.begin);
}

std::string channels_heading(const Style& style, std::string_view words) {
    constexpr std::string_view kTitle = "Channels";
    return "\n" + paint(style, Ink::kHeading, kTitle) + "  " +
           paint(style, Ink::kDim, cut_end(style, words, style.width - kTitle.size() - 2)) + "\n";
}

std::string block(const Style& style, const RunChannels& run, bool of_mpi, std::string_view words, std::size_t top,
                  bool is_short) {
    const PartyNames names = party_names(run);
    const ChannelMatrix matrix = matrix_of(run, of_mpi);
    std::size_t width = 24 + kColumnWidth * 2;
    for (const std::size_t party : matrix.parties) {
        width += std::max(kColumnWidth, names.heading[party].size() + 2);
    }
    const bool fits = !is_short && matrix.parties.size() <= kMostColumns && width <= style.width;
    return channels_heading(style, words) + (fits     ? matrices(style, matrix, names)
                                             : of_mpi ? list(style, run, names, std::max<std::size_t>(top, 1))
                                                      : pairs(style, matrix, names, top));
}

}  // namespace

PartyNames party_names(const RunChannels& run) {
    std::map<std::string, std::set<std::pair<std::uint32_t, std::uint64_t>>> processes;  // by program
    std::set<std::uint32_t> hosts;
    for (const Party& party : run.parties) {
        if (!party.rank && !party.is_outside) {
            processes[party.name].emplace(party.host, party.pid);
            hosts.insert(party.host);
        }
    }
    PartyNames names;
    for (const Party& party : run.parties) {
        std::string name;
        std::string heading;
        if (party.rank) {
            name = fmt::format("rank {}", *party.rank);
            heading = std::to_string(*party.rank);
        } else if (party.is_outside) {
            name = party.name.empty() ? "not counted" : party.name;
            heading = name;
        } else {
            const std::string program = party.name.empty() ? "process" : party.name;
            const bool is_only = processes[party.name].size() == 1 && !party.name.empty();
            const std::string process = is_only ? program : fmt::format("{} {}", program, party.pid);
            name = party.thread == 0 ? process : fmt::format("{} thread {}", process, party.thread);
            heading = party.thread == 0 ? process : std::to_string(party.thread);
        }
        names.name.push_back(std::move(name));
        names.heading.push_back(heading.size() > kLongestHeading ? heading.substr(heading.size() - kLongestHeading)
                                                                 : heading);
    }
    return names;
}

std::string terminal_channels(const Style& style, const RunMetrics& metrics, std::size_t top, bool is_short) {
    const RunChannels run = channels_of(metrics);
    const bool has_mpi =
        std::any_of(run.channels.begin(), run.channels.end(), [](const Channel& each) { return each.is_of_mpi(); });
    std::string out;
    if (has_mpi) {
        out += block(style, run, true, "messages between ranks, and the time inside the calls", top, is_short);
    } else if (metrics.ranks > 1) {
        out += channels_heading(style, "between ranks") +
               wrap(style,
                    "No message was counted: the ranks send none, or have an MPI library that Kymo was not built for "
                    "(docs/mpi.md).",
                    2, 2);
    }
    if (top != 0 && is_worth_showing(metrics, run)) {
        out += block(style, run, false,
                     has_mpi ? "pipes and sockets, the MPI library's own among them, and the time inside the calls"
                             : "pipes, sockets and declared channels, and the time inside the calls",
                     top, is_short);
    }
    return out;
}

Json page_channels(const RunMetrics& metrics) {
    const RunChannels run = channels_of(metrics);
    const PartyNames names = party_names(run);
    Json all;
    all["parties"] = Json::array();
    for (std::size_t i = 0; i < run.parties.size(); ++i) {
        const Party& party = run.parties[i];
        all["parties"].push_back({{"name", names.name[i]},
                                  {"rank", party.rank ? Json(*party.rank) : Json(nullptr)},
                                  {"pid", party.pid},
                                  {"thread", party.thread},
                                  {"outside", party.is_outside}});
    }
    all["tables"] = Json::array();
    for (const bool of_mpi : {true, false}) {
        const ChannelMatrix matrix = matrix_of(run, of_mpi);
        if (matrix.parties.empty()) {
            continue;
        }
        // Messages that were waited for and never came have time alone.
        std::map<std::pair<std::size_t, std::size_t>, Exchanged> sent = matrix.sent;
        for (const auto& [pair, times] : matrix.times) {
            sent.try_emplace(pair);
        }
        std::vector<std::pair<std::pair<std::size_t, std::size_t>, Exchanged>> pairs(sent.begin(), sent.end());
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
        Json table;
        table["kind"] = of_mpi ? "mpi" : "ends";
        table["all"] = pairs.size();
        pairs.resize(std::min(pairs.size(), kMostPairs));
        table["pairs"] = Json::array();
        for (const auto& [pair, exchanged] : pairs) {
            const ChannelMatrix::Times times = value_in(matrix.times, pair);
            table["pairs"].push_back(
                {pair.first, pair.second, exchanged.messages, exchanged.bytes, times.sending_ns, times.receiving_ns});
        }
        table["others"] = Json::array();  // messages without one particular partner
        const auto add = [&](const char* words, const std::map<std::size_t, Exchanged>& by_party) {
            for (const auto& [party, exchanged] : by_party) {
                table["others"].push_back({words, party, exchanged.messages, exchanged.bytes, exchanged.blocked_ns});
            }
        };
        add("collective", matrix.collective);
        add("files", matrix.files);
        add("ranks of other worlds", matrix.elsewhere);
        add("several, not distinguished", matrix.several);
        all["tables"].push_back(std::move(table));
    }
    return all;
}

Json json_channels(const RunMetrics& metrics) {
    const RunChannels run = channels_of(metrics);
    const PartyNames names = party_names(run);
    Json all = Json::array();
    for (const Channel& channel : run.channels) {
        const Party& party = run.parties[channel.party];
        Json json;
        json["kind"] = name_of(channel.kind);
        json["party"] = names.name[channel.party];
        json["other"] = channel.peer          ? Json(names.name[*channel.peer])
                        : channel.is_of_mpi() ? Json(nullptr)
                                              : Json("several");
        json["outside"] = channel.peer && run.parties[*channel.peer].is_outside;
        json["pid"] = party.pid != 0 ? Json(party.pid) : Json(nullptr);
        json["thread"] = party.thread != 0 ? Json(party.thread) : Json(nullptr);
        json["rank"] = channel.is_of_mpi() || party.rank ? Json(channel.rank) : Json(nullptr);
        json["peer"] = channel.peer_rank ? Json(*channel.peer_rank) : Json(nullptr);
        json["elsewhere"] = channel.elsewhere ? Json(*channel.elsewhere) : Json(nullptr);
        json["direction"] = direction_name(static_cast<std::uint64_t>(channel.direction));
        json["communicator"] = channel.communicator;
        json["name"] = channel.name;
        json["number"] = channel.number;
        json["messages"] = channel.messages;
        json["bytes"] = channel.bytes;
        json["blocked_s"] = static_cast<double>(channel.blocked_ns) / 1e9;
        json["outstanding_messages"] = channel.outstanding;
        json["largest_bytes"] = channel.largest;
        json["most_outstanding_messages"] = channel.most_outstanding;
        json["calls"] = channel.calls;
        json["errors"] = channel.errors;
        all.push_back(std::move(json));
    }
    return all;
}

}  // namespace kymo::view
