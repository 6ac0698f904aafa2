#include "findings/rules/messages/message_waits.h"

#include "findings/rules/shared/common.h"
#include "findings/rules/shared/messages.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace kymo::findings {

using namespace spacetime;

namespace {

constexpr double kAtWork = 1.5;        // ranks on average, of a chain
constexpr double kOneRanksWork = 0.6;  // of all work: more is one rank that the others wait for, not a chain
constexpr std::size_t kLeastOfChain = 3;
constexpr double kLeastReceived = 0.05;  // of a rank's life: a link of a chain
constexpr double kMostlyReceived = 0.3;  // of all waiting: fewer is a collective operation's, not a chain's

struct Interval {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

// The occurrences of several nodes; disjoint, ascending.
class Intervals {
  public:
    void add(const SpaceNode& node, std::uint32_t thread) {
        for (std::size_t row = 0; row < node.rows.size(); ++row) {
            if (node.rows.thread[row] == thread && node.rows.begin[row] < node.rows.end[row]) {
                all_.push_back({node.rows.begin[row], node.rows.end[row]});
            }
        }
    }
    void cut(std::uint64_t begin, std::uint64_t end) {
        for (Interval& each : all_) {
            each.begin = std::clamp(each.begin, begin, std::max(begin, end));
            each.end = std::clamp(each.end, begin, std::max(begin, end));
        }
        std::erase_if(all_, [](const Interval& each) { return each.begin >= each.end; });
    }
    void settle() {
        std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
        std::vector<Interval> merged;
        for (const Interval& each : all_) {
            if (!merged.empty() && each.begin <= merged.back().end) {
                merged.back().end = std::max(merged.back().end, each.end);
            } else {
                merged.push_back(each);
            }
        }
        all_ = std::move(merged);
    }
    double length() const {
        double ns = 0;
        for (const Interval& each : all_) {
            ns += static_cast<double>(each.end - each.begin);
        }
        return ns;
    }
    double overlap(const Intervals& other) const {
        double ns = 0;
        auto next = other.all_.begin();
        for (const Interval& each : all_) {
            while (next != other.all_.end() && next->end <= each.begin) {
                ++next;
            }
            for (auto at = next; at != other.all_.end() && at->begin < each.end; ++at) {
                ns += static_cast<double>(std::min(at->end, each.end) - std::max(at->begin, each.begin));
            }
        }
        return ns;
    }

  private:
    std::vector<Interval> all_;
};

// MPI_Init and MPI_Finalize (by whichever of their functions is a node).
bool is_start_or_end(const SpaceNode& node) {
    return std::any_of(node.path.begin(), node.path.end(), [](const std::string& function) {
        return function.find("MPI_Init") != std::string::npos || function.find("MPI_Finalize") != std::string::npos ||
               function.find("mpi_init") != std::string::npos || function.find("mpi_finalize") != std::string::npos;
    });
}

std::vector<NodeIndex> waiting_calls(const Evidence& evidence) {
    std::vector<NodeIndex> calls = message_calls(evidence);
    std::erase_if(calls, [&](NodeIndex node) { return is_start_or_end(node.in(evidence.nodes)); });
    return calls;
}

Intervals in_calls(const Evidence& evidence, std::uint32_t thread) {
    Intervals calls;
    for (const NodeIndex node : waiting_calls(evidence)) {
        calls.add(node.in(evidence.nodes), thread);
    }
    calls.settle();
    return calls;
}

// The thread of a rank that works most: MPI libraries have threads of their own.
std::map<std::uint64_t, std::uint32_t> threads_of_ranks(const Evidence& evidence) {
    std::map<std::uint64_t, std::uint32_t> threads;
    const auto work = [&](std::uint32_t thread) {
        const TimeTerms& total = evidence.run.threads[thread].total;
        return processor(total) + total.spinning;
    };
    for (std::uint32_t i = 0; i < evidence.run.threads.size(); ++i) {
        const ThreadFacts& thread = evidence.run.threads[i];
        if (thread.rank && thread.is_sampled) {
            const auto [entry, is_new] = threads.try_emplace(*thread.rank, i);
            entry->second = is_new || work(i) > work(entry->second) ? i : entry->second;
        }
    }
    return threads;
}

}  // namespace

std::vector<RankWaits> rank_waits(const Evidence& evidence) {
    std::map<std::uint64_t, RankWaits> ranks;
    std::map<std::uint64_t, std::uint64_t> first;
    for (const Channel& channel : evidence.run.channels) {
        if (!channel.is_of_mpi()) {
            continue;
        }
        RankWaits& waits = ranks[channel.rank];
        const auto ns = static_cast<double>(channel.blocked_ns);
        waits.inside_ns += ns;
        waits.receive_ns += channel.direction == ChannelDirection::kReceive ? ns : 0;
        if (channel.direction == ChannelDirection::kCollective) {
            waits.collective_ns += ns;
            waits.collectives += channel.messages;
        }
        const auto [begin, is_new] = first.try_emplace(channel.rank, channel.begin);
        begin->second = std::min(begin->second, channel.begin);
    }
    std::vector<RankWaits> all;
    for (const auto& [rank, thread] : threads_of_ranks(evidence)) {
        const auto known = ranks.find(rank);
        if (known == ranks.end()) {
            continue;
        }
        const ThreadFacts& facts = evidence.run.threads[thread];
        known->second.rank = rank;
        known->second.thread = thread;
        const std::uint64_t begin = std::max(first[rank], facts.begin);
        known->second.begin = begin;
        known->second.end = std::max(begin, facts.end);
        known->second.life_ns = static_cast<double>(known->second.end - begin);
        all.push_back(known->second);
    }
    return all;
}

std::vector<PairWait> pair_waits(const Evidence& evidence, ChannelDirection direction) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, PairWait> pairs;
    std::map<std::uint64_t, double> anyone;
    std::map<std::uint64_t, double> messages;
    for (const Channel& channel : evidence.run.channels) {
        if (!channel.is_of_mpi() || channel.direction != direction || channel.elsewhere) {
            continue;
        }
        if (!channel.peer_rank) {
            anyone[channel.rank] += static_cast<double>(channel.blocked_ns);
            continue;
        }
        PairWait& pair = pairs[{channel.rank, *channel.peer_rank}];
        pair.rank = channel.rank;
        pair.peer = *channel.peer_rank;
        pair.ns += static_cast<double>(channel.blocked_ns);
        pair.messages += channel.messages;
        messages[channel.rank] += static_cast<double>(channel.messages);
    }
    std::vector<PairWait> all;
    for (auto& [key, pair] : pairs) {
        const double of = messages[pair.rank];
        pair.ns += of > 0 ? anyone[pair.rank] * static_cast<double>(pair.messages) / of : 0;
        all.push_back(pair);
    }
    return all;
}

Meanwhile meanwhile(const Evidence& evidence, const RankWaits& waiting, double waited_ns, const RankWaits& working) {
    // Starting and ending MPI is not waiting for messages.
    Intervals calls = in_calls(evidence, waiting.thread);
    calls.cut(std::max(waiting.begin, working.begin), std::min(waiting.end, working.end));
    const double seen = calls.length();
    const double outside = seen - calls.overlap(in_calls(evidence, working.thread));
    Meanwhile found;
    found.working =
        std::max(seen > 0 ? outside / seen : 0, waited_ns > 0 ? std::max(0.0, 1 - working.inside_ns / waited_ns) : 0);
    // A node precedes those inside it: the last that has most of the time is the smallest.
    for (const NodeIndex i : indices(evidence.nodes)) {
        const SpaceNode& node = i.in(evidence.nodes);
        if (node.kind != SpaceKind::kFunction || is_library(node.place) || is_in_messages(evidence, i)) {
            continue;
        }
        Intervals occurrences;
        occurrences.add(node, working.thread);
        occurrences.settle();
        if (outside > 0 && occurrences.overlap(calls) >= 0.5 * outside) {
            found.node = i;
        }
    }
    return found;
}

bool is_late_for_crowd(const Evidence& evidence, std::uint32_t thread) {
    const RunFacts& run = evidence.run;
    // Others' programs may have had the processors.
    if (!is_crowded(evidence) || own_queue_ns(run) * 2 < static_cast<double>(run.total.run_queue)) {
        return false;
    }
    const auto in_node = [&](NodeIndex node, std::int64_t (*value)(const TimeTerms&)) {
        double ns = 0;
        for (const ThreadTime& time : by_thread(node.in(evidence.nodes), value)) {
            ns += time.thread == thread ? time.ns : 0;
        }
        return ns;
    };
    auto outside = static_cast<double>(run.threads[thread].total.wall());
    auto lacking = static_cast<double>(run.threads[thread].total.run_queue);
    for (const NodeIndex call : message_calls(evidence)) {
        outside -= in_node(call, [](const TimeTerms& terms) { return terms.wall(); });
        lacking -= in_node(call, [](const TimeTerms& terms) { return terms.run_queue; });
    }
    return lacking > 0 && lacking * 2 > outside;
}

double slower_ns(const Evidence& evidence, const RankWaits& rank, const RankWaits& other) {
    const double own = evidence.run.threads[rank.thread].pace;
    const double others = evidence.run.threads[other.thread].pace;
    const double works = std::max(0.0, rank.life_ns - rank.inside_ns);
    return others > 0 && own > others ? works * (1 - others / own) : 0;
}

NodeIndex longest_call(const Evidence& evidence, std::uint32_t thread, std::string_view part) {
    NodeIndex longest;
    double most = 0;
    for (const NodeIndex node : waiting_calls(evidence)) {
        const SpaceNode& call = node.in(evidence.nodes);
        const bool is_one = call.place.function.find(part) != std::string::npos ||
                            std::any_of(call.path.begin(), call.path.end(), [&](const std::string& function) {
                                return is_name_of_call(function) && function.find(part) != std::string::npos;
                            });
        Intervals occurrences;
        occurrences.add(call, thread);
        if (is_one && occurrences.length() > most) {
            most = occurrences.length();
            longest = node;
        }
    }
    return longest;
}

namespace {

// Whether code is of the message passing library itself, even stripped, or of Kymo's wrappers.
bool is_of_message_library(const Place& place) {
    constexpr std::array<std::string_view, 6> kModules = {"libmpi",  "mca_",   "libopen-",
                                                          "libpmix", "libucp", "libkymo-"};
    return std::any_of(kModules.begin(), kModules.end(),
                       [&](std::string_view module) { return place.module.starts_with(module); });
}

}  // namespace

NodeIndex caller_of(const Evidence& evidence, NodeIndex call) {
    NodeIndex caller = call;
    while (caller != kNone &&
           (is_in_messages(evidence, caller) || is_of_message_library(caller.in(evidence.nodes).place))) {
        caller = caller.in(evidence.nodes).parent;
    }
    caller = own_code(evidence, caller);
    return caller == kNone ? call : caller;
}

std::string call_name(const Evidence& evidence, NodeIndex call) {
    if (call == kNone) {
        return "calls of MPI";
    }
    const SpaceNode& node = call.in(evidence.nodes);
    const auto known = std::find_if(node.path.begin(), node.path.end(), is_name_of_call);
    return "`" + (known != node.path.end() ? *known : node.place.function) + "`";
}

double serial_chain_ns(const Evidence& evidence, const std::vector<RankWaits>& ranks) {
    double work = 0;
    double most = 0;
    double life = 0;
    double received = 0;
    double waited = 0;
    std::size_t waiting = 0;
    std::size_t links = 0;
    for (const RankWaits& rank : ranks) {
        const double own = std::max(0.0, rank.life_ns - rank.receive_ns - rank.collective_ns);
        work += own;
        most = std::max(most, own);
        life = std::max(life, rank.life_ns);
        // Where a collective operation ends each turn, the first rank waits there alone, and each one further down
        // the chain for longer in its receives.
        received += rank.receive_ns;
        waited += rank.receive_ns + rank.collective_ns;
        waiting += rank.receive_ns + rank.collective_ns >= rank.life_ns / 3 ? 1 : 0;
        links += rank.receive_ns >= kLeastReceived * rank.life_ns ? 1 : 0;
    }
    const bool is_chain = ranks.size() >= kLeastOfChain && waiting == ranks.size() && links + 1 >= ranks.size() &&
                          received >= kMostlyReceived * waited && work <= kAtWork * life &&
                          most <= kOneRanksWork * work;
    if (!is_chain) {
        return 0;
    }
    const auto at_once = static_cast<double>(
        evidence.run.processors == 0 ? ranks.size() : std::min<std::size_t>(ranks.size(), evidence.run.processors));
    return std::max(0.0, life - work / at_once);
}

}  // namespace kymo::findings
