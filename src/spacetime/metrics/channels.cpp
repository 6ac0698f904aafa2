#include "spacetime/metrics/channels.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};
constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 32U;  // docs/cells-format.md

// The cell of a channel that a metric is; null: another.
void add(Channel& channel, const std::string& metric, std::uint64_t value) {
    if (metric == "messages") {
        channel.messages += value;
    } else if (metric == "bytes") {
        channel.bytes += value;
    } else if (metric == "blocked") {
        channel.blocked_ns += value;
    } else if (metric == "outstanding") {
        channel.outstanding += static_cast<std::int64_t>(value);  // of one thread it may be below zero
    } else if (metric == "largest") {
        channel.largest = std::max(channel.largest, value);
    } else if (metric == "most-outstanding") {
        channel.most_outstanding = std::max(channel.most_outstanding, value);
    } else if (metric == "calls") {
        channel.calls += value;
    }
}

}  // namespace

std::vector<Channel> channels_of(const RunMetrics& run) {
    // Nobody's number is the greatest, so that it comes last.
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>, Channel> known;
    for (const RunMetric& metric : run.metrics) {
        if (metric.kind != Resource::kChannel || metric.origin != MetricOrigin::kStandard) {
            continue;
        }
        for (const MetricOfObject& object : metric.objects) {
            const auto [communicator, peer, direction] = object.key;
            if (object.is_all_of_host() || direction > static_cast<std::uint64_t>(ChannelDirection::kWrite)) {
                continue;
            }
            const std::uint64_t rank = object.rank.value_or(0);
            const auto [entry, is_new] = known.try_emplace({rank, direction, peer, communicator});
            Channel& channel = entry->second;
            if (is_new) {
                channel.rank = rank;
                if (peer < kElsewhere) {
                    channel.peer = peer;
                } else if (peer != kNobody) {
                    channel.elsewhere = peer - kElsewhere;
                }
                channel.direction = static_cast<ChannelDirection>(direction);
                channel.communicator = communicator;
                channel.name = object.name;
            }
            if (object.begin != 0 && (channel.begin == 0 || object.begin < channel.begin)) {
                channel.begin = object.begin;
            }
            add(channel, metric.name, object.value);
        }
    }
    std::vector<Channel> channels;
    channels.reserve(known.size());
    for (auto& [key, channel] : known) {
        channels.push_back(std::move(channel));
    }
    return channels;
}

Exchanged& Exchanged::operator+=(const Channel& channel) {
    messages += channel.messages;
    bytes += channel.bytes;
    blocked_ns += channel.blocked_ns;
    return *this;
}

ChannelMatrix matrix_of(const std::vector<Channel>& channels) {
    ChannelMatrix matrix;
    std::set<std::uint64_t> ranks;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Exchanged> received;
    for (const Channel& channel : channels) {
        ranks.insert(channel.rank);
        if (channel.direction == ChannelDirection::kCollective) {
            matrix.collective[channel.rank] += channel;
            continue;
        }
        if (channel.direction == ChannelDirection::kRead || channel.direction == ChannelDirection::kWrite) {
            matrix.files[channel.rank] += channel;
            continue;
        }
        if (channel.elsewhere) {
            Exchanged& other = matrix.elsewhere[channel.rank];
            other.blocked_ns += channel.blocked_ns;
            if (channel.direction != ChannelDirection::kReceive) {
                other.messages += channel.messages;
                other.bytes += channel.bytes;
            }
            continue;
        }
        if (!channel.peer) {
            matrix.anyone_ns[channel.rank] += channel.blocked_ns;
            continue;
        }
        ranks.insert(*channel.peer);
        matrix.blocked_ns[{channel.rank, *channel.peer}] += channel.blocked_ns;
        if (channel.messages != 0) {
            const bool is_receive = channel.direction == ChannelDirection::kReceive;
            Exchanged& pair =
                is_receive ? received[{*channel.peer, channel.rank}] : matrix.sent[{channel.rank, *channel.peer}];
            pair += channel;
            pair.blocked_ns = 0;
        }
    }
    // try_emplace: what the sender has counted stays.
    for (const auto& [pair, exchanged] : received) {
        matrix.sent.try_emplace(pair, exchanged);
    }
    matrix.ranks.assign(ranks.begin(), ranks.end());
    return matrix;
}

}  // namespace kymo::spacetime
