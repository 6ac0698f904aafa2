#include "spacetime/metrics/channels.h"

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
    }
}

auto order_of(const Party& party) {
    return std::tuple(party.is_outside, !party.rank, party.rank.value_or(0), party.host, party.pid, party.thread,
                      party.name);
}
struct InOrder {
    bool operator()(const Party& a, const Party& b) const { return order_of(a) < order_of(b); }
};

// An end of a channel of one host. TCP and UDP addresses, loopback apart, are the same on all hosts.
using End = std::pair<std::uint64_t, std::uint64_t>;  // host + 1, or 0; number

std::uint64_t scope_of(ChannelKind kind, std::uint32_t host) {
    return kind == ChannelKind::kTcp || kind == ChannelKind::kUdp ? 0 : std::uint64_t{host} + 1;
}

struct EndRow {
    Channel channel;
    Party party;
    End own;
    End other;  // number 0: not known
    bool is_receiver = false;
};

using Parties = std::set<Party, InOrder>;
const Parties kNoParties;

// Who uses which end.
class Ends {
  public:
    explicit Ends(const std::vector<EndRow>& rows) {
        for (const EndRow& row : rows) {
            (row.is_receiver ? receivers_ : senders_)[row.own].insert(row.party);
            if (row.other.second != 0) {
                peer_.emplace(row.other, row.own);
            }
        }
    }
    // The end that the row's other end is: it may be that end alone that knows.
    [[nodiscard]] End other_of(const EndRow& row) const {
        const auto known = peer_.find(row.own);
        return row.other.second != 0 || known == peer_.end() ? row.other : known->second;
    }
    [[nodiscard]] bool is_sending_counted(End end) const { return senders_.contains(end); }
    // Those that send by it; where nobody's sending was counted, those that receive by it.
    [[nodiscard]] const Parties& senders(End end) const { return of(senders_, receivers_, end); }
    [[nodiscard]] const Parties& receivers(End end) const { return of(receivers_, senders_, end); }

  private:
    using ByEnd = std::map<End, Parties>;
    static const Parties& of(const ByEnd& first, const ByEnd& second, End end) {
        if (end.second == 0) {
            return kNoParties;
        }
        if (const auto found = first.find(end); found != first.end()) {
            return found->second;
        }
        const auto found = second.find(end);
        return found != second.end() ? found->second : kNoParties;
    }
    ByEnd senders_;
    ByEnd receivers_;
    std::map<End, End> peer_;
};

// Rows of threads, by party and end.
class Collector {
  public:
    explicit Collector(PartyLevel level) : by_threads_(level == PartyLevel::kThread) {}

    void take(const std::string& metric, const MetricOfObject& object) {
        const std::uint64_t direction = object.key[2];
        if (direction <= static_cast<std::uint64_t>(ChannelDirection::kWrite)) {
            take_mpi(metric, object);
        } else if (is_end_direction(direction)) {
            take_end(metric, object);
        }
    }

    RunChannels finish() {
        std::vector<std::pair<Channel, std::pair<Party, std::optional<Party>>>> all;
        for (auto& [key, channel] : of_mpi_) {
            Party party;
            party.rank = channel.rank;
            std::optional<Party> peer;
            if (channel.peer_rank) {
                peer = Party{};
                peer->rank = channel.peer_rank;
            }
            all.emplace_back(std::move(channel), std::pair(std::move(party), std::move(peer)));
        }
        std::vector<EndRow> rows;
        rows.reserve(of_ends_.size());
        for (auto& [key, row] : of_ends_) {
            rows.push_back(std::move(row));
        }
        const Ends ends(rows);
        for (EndRow& row : rows) {
            std::optional<Party> peer = find_peer(ends, row);
            all.emplace_back(std::move(row.channel), std::pair(std::move(row.party), std::move(peer)));
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
                channel.other = OtherEnd::kOne;
                channel.peer_rank = peer;
            } else if (peer != kNobody) {
                channel.other = OtherEnd::kElsewhere;
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
        row.is_receiver = receives(object.key[2]);
        const auto [entry, is_new] =
            of_ends_.try_emplace({order_of(row.party), object.key[2], row.own, row.other}, row);
        Channel& channel = entry->second.channel;
        if (is_new) {
            channel.rank = object.rank.value_or(0);
            channel.communicator = object.key[0];
            channel.direction = row.is_receiver ? ChannelDirection::kReceive : ChannelDirection::kSend;
        }
        add_object(channel, metric, object);
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

    static std::optional<Party> find_peer(const Ends& ends, EndRow& row) {
        const End other = ends.other_of(row);
        const Parties& senders = row.is_receiver ? ends.senders(other) : ends.senders(row.own);
        const Parties& receivers = row.is_receiver ? ends.receivers(row.own) : ends.receivers(other);
        const Parties& there = row.is_receiver ? senders : receivers;
        row.channel.senders = senders.size();
        row.channel.receivers = receivers.size();
        const bool is_counted_by_sender = receivers.size() < 2 && ends.is_sending_counted(other);
        row.channel.is_account = row.is_receiver ? senders.size() < 2 && !is_counted_by_sender : receivers.size() < 2;
        row.channel.other = there.size() > 1 ? OtherEnd::kSeveral : OtherEnd::kOne;
        if (there.size() > 1) {
            return std::nullopt;
        }
        if (there.size() == 1) {
            return *there.begin();
        }
        Party outside;
        outside.is_outside = true;
        outside.host =
            static_cast<std::uint32_t>(scope_of(row.channel.kind, row.party.host) != 0 ? row.party.host : 0);
        outside.name = row.channel.name;
        return outside;
    }

    // Parties get their numbers, in order; each channel keeps its place.
    static RunChannels number(std::vector<std::pair<Channel, std::pair<Party, std::optional<Party>>>> all) {
        std::map<Party, std::size_t, InOrder> numbers;
        for (const auto& [channel, who] : all) {
            numbers.try_emplace(who.first);
            if (who.second) {
                numbers.try_emplace(*who.second);
            }
        }
        RunChannels run;
        for (auto& [party, at] : numbers) {
            at = run.parties.size();
            run.parties.push_back(party);
        }
        run.channels.reserve(all.size());
        for (auto& [channel, who] : all) {
            channel.party = numbers[who.first];
            if (who.second) {
                channel.peer = numbers[*who.second];
            }
            run.channels.push_back(std::move(channel));
        }
        return run;
    }

    bool by_threads_;
    // By rank, direction, peer and communicator. Nobody's number is the greatest, so that it comes last.
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>, Channel> of_mpi_;
    std::map<std::tuple<decltype(order_of(Party{})), std::uint64_t, End, End>, EndRow> of_ends_;
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
    matrix.blocked_ns[{channel.party, peer}] += channel.blocked_ns;
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
    Exchanged* to = nullptr;
    if (channel.messages != 0 && channel.is_account && channel.peer) {
        to = &matrix.sent[is_receive ? std::pair(*channel.peer, channel.party)
                                     : std::pair(channel.party, *channel.peer)];
    } else if (channel.messages != 0 && !is_receive && channel.senders > 1 && channel.receivers > 1) {
        to = &matrix.several[channel.party];
    }
    if (to != nullptr) {
        *to += channel;
        to->blocked_ns = 0;
    }
}

}  // namespace

RunChannels channels_of(const RunMetrics& run, PartyLevel level) {
    if (level == PartyLevel::kAuto) {
        level = is_one_process(run) ? PartyLevel::kThread : PartyLevel::kProcess;
    }
    Collector collector(level);
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
