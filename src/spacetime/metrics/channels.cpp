#include "spacetime/metrics/channels.h"

#include "base/channels/ends.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};
constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 32U;  // docs/cells-format.md

// The cell of a channel that a metric is; another one is left out.
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
    } else if (metric == "errors") {
        channel.errors += value;
    }
}

// TCP and UDP addresses, loopback apart, are the same on all hosts; all other ends are of one.
std::uint64_t scope_of(ChannelKind kind, std::uint32_t host) {
    return kind == ChannelKind::kTcp || kind == ChannelKind::kUdp ? 0 : std::uint64_t{host} + 1;
}

struct EndRow {
    Channel channel;
    Party party;
    EndId own;
    EndId other;
    [[nodiscard]] bool is_receiver() const { return channel.direction == ChannelDirection::kReceive; }
};

// A channel with its parties, before these have numbers.
struct Unnumbered {
    Channel channel;
    Party party;
    std::optional<Party> peer;
};

// Rows of threads, by party and end.
class Collector {
  public:
    explicit Collector(bool by_threads) : by_threads_(by_threads) {}

    void take(const std::string& metric, const MetricOfObject& object) {
        const std::uint64_t direction = object.key[2];
        if (direction <= static_cast<std::uint64_t>(ChannelDirection::kWrite)) {
            take_mpi(metric, object);
        } else if (is_end_direction(direction)) {
            take_end(metric, object);
        }
    }

    RunChannels finish() {
        std::vector<Unnumbered> all;
        for (auto& [key, channel] : of_mpi_) {
            Unnumbered one{std::move(channel), {}, std::nullopt};
            one.party.rank = one.channel.rank;
            if (one.channel.peer_rank) {
                one.peer.emplace().rank = one.channel.peer_rank;
            }
            all.push_back(std::move(one));
        }
        ChannelEnds<Party> ends;
        for (const auto& [key, row] : of_ends_) {
            ends.add(row.own, row.other, row.is_receiver(), row.party);
        }
        for (auto& [key, row] : of_ends_) {
            std::optional<Party> peer = find_peer(ends, row);
            all.push_back({std::move(row.channel), std::move(row.party), std::move(peer)});
        }
        return number(std::move(all));
    }

  private:
    void take_mpi(const std::string& metric, const MetricOfObject& object) {
        const auto [communicator, peer, direction] = object.key;
        const std::uint64_t rank = object.rank.value_or(0);
        const auto [entry, is_new] = of_mpi_.try_emplace({rank, direction, peer, communicator});
        Channel& channel = entry->second;
        if (is_new) {
            channel.rank = rank;
            if (peer < kElsewhere) {
                channel.peer_rank = peer;
            } else if (peer != kNobody) {
                channel.elsewhere = peer - kElsewhere;
            }
            channel.direction = static_cast<ChannelDirection>(direction);
            channel.communicator = communicator;
        }
        add_object(channel, metric, object);
    }

    void take_end(const std::string& metric, const MetricOfObject& object) {
        EndRow row;
        row.channel.kind = channel_kind(object.key[2]);
        row.party.rank = object.rank;
        if (!object.rank) {
            row.party.host = object.host;
            row.party.pid = object.pid;
            row.party.thread = by_threads_ ? object.thread : 0;
            row.party.name = object.program;
        }
        const std::uint64_t scope = scope_of(row.channel.kind, object.host);
        row.own = {scope, object.key[0]};
        row.other = {scope, object.key[1]};
        row.channel.rank = object.rank.value_or(0);
        row.channel.communicator = object.key[0];
        row.channel.direction = receives(object.key[2]) ? ChannelDirection::kReceive : ChannelDirection::kSend;
        const auto [entry, is_new] = of_ends_.try_emplace({row.party, object.key[2], row.own, row.other}, row);
        add_object(entry->second.channel, metric, object);
    }

    static void add_object(Channel& channel, const std::string& metric, const MetricOfObject& object) {
        if (channel.name.empty()) {
            channel.name = object.name;
        }
        channel.number = object.number;
        if (object.begin != 0 && (channel.begin == 0 || object.begin < channel.begin)) {
            channel.begin = object.begin;
        }
        add(channel, metric, object.value);
    }

    // Of one sender and one receiver the sender's rows are the account; of several on one side the rows of those
    // several; of a side that nobody counted the other one's.
    static std::optional<Party> find_peer(const ChannelEnds<Party>& ends, EndRow& row) {
        const EndId opposite = ends.opposite(row.own, row.other);
        const EndId sending = row.is_receiver() ? opposite : row.own;
        const EndId receiving = row.is_receiver() ? row.own : opposite;
        const auto& senders = ends.senders(sending);
        const auto& receivers = ends.receivers(receiving);
        const bool is_receivers_account =
            !ends.is_sending_counted(sending) ||
            (senders.size() < 2 && receivers.size() > 1 && ends.is_receiving_counted(receiving));
        row.channel.is_account = row.is_receiver() == is_receivers_account;
        const auto& there = row.is_receiver() ? senders : receivers;
        if (there.size() > 1) {
            return std::nullopt;
        }
        if (there.size() == 1) {
            return *there.begin();
        }
        Party outside;
        outside.is_outside = true;
        outside.host = scope_of(row.channel.kind, row.party.host) != 0 ? row.party.host : 0;
        outside.name = row.channel.name;
        return outside;
    }

    // Parties get their numbers, in order; each channel keeps its place.
    static RunChannels number(std::vector<Unnumbered> all) {
        std::map<Party, std::size_t> numbers;
        for (const Unnumbered& each : all) {
            numbers.try_emplace(each.party);
            if (each.peer) {
                numbers.try_emplace(*each.peer);
            }
        }
        RunChannels run;
        for (auto& [party, at] : numbers) {
            at = run.parties.size();
            run.parties.push_back(party);
        }
        run.channels.reserve(all.size());
        for (Unnumbered& each : all) {
            each.channel.party = numbers[each.party];
            if (each.peer) {
                each.channel.peer = numbers[*each.peer];
            }
            run.channels.push_back(std::move(each.channel));
        }
        return run;
    }

    bool by_threads_;
    // By rank, direction, peer and communicator. Nobody's number is the greatest, so that it comes last.
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>, Channel> of_mpi_;
    std::map<std::tuple<Party, std::uint64_t, EndId, EndId>, EndRow> of_ends_;  // by party, direction, ends
};

// One process alone has ends that are counted: its threads are of interest.
bool is_one_process(const RunMetrics& run) {
    std::set<std::pair<std::uint32_t, std::uint64_t>> processes;
    for (const RunMetric& metric : run.metrics) {
        for (const MetricOfObject& object : metric.objects) {
            if (metric.of_ends && !object.is_all_of_host()) {
                processes.emplace(object.host, object.pid);
            }
        }
    }
    return processes.size() == 1;
}

void add_time(ChannelMatrix& matrix, const Channel& channel, std::size_t peer) {
    if (channel.direction == ChannelDirection::kReceive) {
        matrix.times[{peer, channel.party}].receiving_ns += channel.blocked_ns;
    } else {
        matrix.times[{channel.party, peer}].sending_ns += channel.blocked_ns;
    }
}

// What one row of an end adds to the matrix.
void add_end(ChannelMatrix& matrix, const Channel& channel) {
    const bool is_receive = channel.direction == ChannelDirection::kReceive;
    if (channel.peer) {
        add_time(matrix, channel, *channel.peer);
    } else {
        matrix.anyone_ns[channel.party] += channel.blocked_ns;
    }
    if (channel.messages != 0 && channel.is_account) {
        Exchanged& to = !channel.peer ? matrix.several[channel.party]
                        : is_receive  ? matrix.sent[{*channel.peer, channel.party}]
                                      : matrix.sent[{channel.party, *channel.peer}];
        to += channel;
        to.blocked_ns = 0;
    }
}

}  // namespace

RunChannels channels_of(const RunMetrics& run) {
    Collector collector(is_one_process(run));
    for (const RunMetric& metric : run.metrics) {
        if (metric.kind != Resource::kChannel || metric.origin != MetricOrigin::kStandard) {
            continue;
        }
        for (const MetricOfObject& object : metric.objects) {
            if (!object.is_all_of_host()) {
                collector.take(metric.name, object);
            }
        }
    }
    return collector.finish();
}

Exchanged& Exchanged::operator+=(const Channel& channel) {
    messages += channel.messages;
    bytes += channel.bytes;
    blocked_ns += channel.blocked_ns;
    return *this;
}

std::uint64_t ChannelMatrix::blocked_ns(std::size_t party, std::size_t peer) const {
    const auto sending = times.find({party, peer});
    const auto receiving = times.find({peer, party});
    return (sending == times.end() ? 0 : sending->second.sending_ns) +
           (receiving == times.end() ? 0 : receiving->second.receiving_ns);
}

ChannelMatrix matrix_of(const RunChannels& run, bool of_mpi) {
    ChannelMatrix matrix;
    std::set<std::size_t> parties;
    std::map<std::pair<std::size_t, std::size_t>, Exchanged> received;
    for (const Channel& channel : run.channels) {
        if (channel.is_of_mpi() != of_mpi) {
            continue;
        }
        parties.insert(channel.party);
        if (channel.peer) {
            parties.insert(*channel.peer);
        }
        if (!channel.is_of_mpi()) {
            add_end(matrix, channel);
            continue;
        }
        if (channel.direction == ChannelDirection::kCollective) {
            matrix.collective[channel.party] += channel;
            continue;
        }
        if (channel.direction == ChannelDirection::kRead || channel.direction == ChannelDirection::kWrite) {
            matrix.files[channel.party] += channel;
            continue;
        }
        if (channel.elsewhere) {
            Exchanged& other = matrix.elsewhere[channel.party];
            other.blocked_ns += channel.blocked_ns;
            if (channel.direction != ChannelDirection::kReceive) {
                other.messages += channel.messages;
                other.bytes += channel.bytes;
            }
            continue;
        }
        if (!channel.peer) {
            matrix.anyone_ns[channel.party] += channel.blocked_ns;
            continue;
        }
        add_time(matrix, channel, *channel.peer);
        if (channel.messages != 0) {
            const bool is_receive = channel.direction == ChannelDirection::kReceive;
            Exchanged& pair =
                is_receive ? received[{*channel.peer, channel.party}] : matrix.sent[{channel.party, *channel.peer}];
            pair += channel;
            pair.blocked_ns = 0;
        }
    }
    // try_emplace: what the sender has counted stays.
    for (const auto& [pair, exchanged] : received) {
        matrix.sent.try_emplace(pair, exchanged);
    }
    matrix.parties.assign(parties.begin(), parties.end());
    return matrix;
}

}  // namespace kymo::spacetime
