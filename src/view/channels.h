// Bytes and waits between the parties of a run: its channels, for people and as data (docs/json.md).
#pragma once

#include "spacetime/metrics/channels.h"
#include "view/text.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kymo::view {

// Names of parties: "rank 3", "server", "cat 1234" if several processes run cat, "server thread 77", an
// address. Headings are short.
struct PartyNames {
    std::vector<std::string> name;  // by index in RunChannels::parties
    std::vector<std::string> heading;
};
PartyNames party_names(const spacetime::RunChannels& run);

// Of few parties three matrices, parties × parties: messages, bytes, and the time inside calls. Of many, and in
// short, the `top` channels with most time. MPI's first, then all others'. A line if ranks have no
// channel; nothing without channels, nor if all are pipes and sockets that lead outside and took little time.
std::string terminal_channels(const Style& style, const spacetime::RunMetrics& run, std::size_t top,
                              bool is_short = false);

// For the page: the parties, and for MPI and for all else a table of bytes by sender and receiver, most first, of
// at most kMostPairs pairs.
inline constexpr std::size_t kMostPairs = 20'000;
nlohmann::ordered_json page_channels(const spacetime::RunMetrics& run);

nlohmann::ordered_json json_channels(const spacetime::RunMetrics& run);

}  // namespace kymo::view
