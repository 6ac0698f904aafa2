// Channels of a run: which rank sent how much to which, and how long it was inside the calls.
//
// From the standard metrics of channels (cells/standard.h), summed over the threads of a rank. A rank's sends, its
// receives, its collectives and its one-sided accesses are channels of their own: messages of a pair are known twice,
// by the sender and by the receiver. Times are those of the rank that called.
#pragma once

#include "spacetime/metrics/run_metrics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kymo::spacetime {

enum class ChannelDirection : std::uint8_t {
    kSend = 0,
    kReceive = 1,
    kCollective = 2,
    kOneSided = 3,
    kRead = 4,  // of a file
    kWrite = 5,
};

struct Channel {
    std::uint64_t rank = 0;             // of a program that is no rank of a job: 0, its own rank
    std::optional<std::uint64_t> peer;  // none: nobody in particular (collective, receive from anyone, a file)
    // Rank in the communicator of a peer that is of another world: spawned, or connected to. Then `peer` is none.
    std::optional<std::uint64_t> elsewhere;
    ChannelDirection direction = ChannelDirection::kSend;
    std::uint64_t communicator = 0;  // 0: MPI_COMM_WORLD
    std::string name;                // of the communicator, window or file
    std::uint64_t begin = 0;         // its first call; ns of the recording's clock; 0: not known
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t blocked_ns = 0;
    std::int64_t outstanding = 0;
    std::uint64_t largest = 0;
    std::uint64_t most_outstanding = 0;
    std::uint64_t calls = 0;
};

// By rank, direction, peer (none last), communicator.
std::vector<Channel> channels_of(const RunMetrics& run);

struct Exchanged {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t blocked_ns = 0;
    Exchanged& operator+=(const Channel& channel);
};

struct ChannelMatrix {
    std::vector<std::uint64_t> ranks;  // that call, or are called; ascending
    // By sender and receiver. Messages and bytes as the sender counts them, where it does not (it was not measured)
    // as the receiver does; one-sided accesses are messages from who calls to its target. The time is not in it.
    std::map<std::pair<std::uint64_t, std::uint64_t>, Exchanged> sent;
    // By rank and the peer that it was inside calls for, in any direction: only the time.
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> blocked_ns;
    std::map<std::uint64_t, Exchanged> collective;  // by rank; rooted ones, too
    std::map<std::uint64_t, Exchanged> files;       // by rank: read and written
    std::map<std::uint64_t, Exchanged> elsewhere;   // by rank: sent to ranks of other worlds, and the time for them
    std::map<std::uint64_t, std::uint64_t> anyone_ns;  // by rank: in receives from anyone, before the sender is known
};

ChannelMatrix matrix_of(const std::vector<Channel>& channels);

}  // namespace kymo::spacetime
