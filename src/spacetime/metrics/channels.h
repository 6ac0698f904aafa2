// Channels of a run: who sent how much to whom, and how long each was inside the calls.
//
// From the standard metrics of channels (cells/standard.h). Of MPI the parties are ranks, and a rank's sends, its
// receives, its collectives and its one-sided accesses are channels of their own, each of which names its peer. Of
// descriptors and declared channels each row describes one end: the other one shows from the rows of that
// end. Messages of a pair are known twice, by the sender and by the receiver. Times are those of who called.
#pragma once

#include "base/channels/kind.h"
#include "spacetime/metrics/run_metrics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
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

// Who sends or receives: a rank of a job, a process, a thread, or something that was not recorded.
struct Party {
    std::optional<std::uint64_t> rank;
    bool is_outside = false;   // not of the recording: `name` alone says what is known of it
    std::uint32_t host = 0;    // index in RunMetrics::hosts
    std::uint64_t pid = 0;     // 0: not known, of a rank
    std::uint64_t thread = 0;  // 0: all threads of the process
    std::string name;          // its program's; empty: not known

    // Ranks first, what is outside last.
    [[nodiscard]] auto order() const { return std::tuple(is_outside, !rank, rank, host, pid, thread, name); }
    bool operator<(const Party& other) const { return order() < other.order(); }
};

struct Channel {
    ChannelKind kind = ChannelKind::kMpi;
    std::size_t party = 0;  // who calls: index in RunChannels::parties
    // Index in RunChannels::parties. None: of MPI nobody in particular (a collective, a receive from anyone, a file),
    // or a rank of another world; of ends one of several, and nothing says which.
    std::optional<std::size_t> peer;
    // Of ends: both ends may have counted a message. It goes into sums from the rows that are accounts.
    bool is_account = false;
    ChannelDirection direction = ChannelDirection::kSend;
    // Of MPI. Of a program that is not a rank of a job: 0, its own rank.
    std::uint64_t rank = 0;
    std::optional<std::uint64_t> peer_rank;
    std::optional<std::uint64_t> elsewhere;  // the peer's rank in the communicator
    std::uint64_t communicator = 0;          // 0: MPI_COMM_WORLD; of ends: the own one
    std::string name;                        // of the communicator, window, file, pipe or socket
    std::uint64_t number = 0;                // in its process
    std::uint64_t begin = 0;                 // its first call; ns of the recording's clock; 0: not known
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t blocked_ns = 0;
    std::int64_t outstanding = 0;
    std::uint64_t largest = 0;
    std::uint64_t most_outstanding = 0;
    std::uint64_t calls = 0;
    std::uint64_t errors = 0;  // of them, that failed

    [[nodiscard]] bool is_of_mpi() const { return kind == ChannelKind::kMpi; }
};

struct RunChannels {
    std::vector<Party> parties;  // ranks, then processes, then what is outside
    // MPI's by rank, direction, peer (none last), communicator; then ends by party, kind and end.
    std::vector<Channel> channels;
};

// Parties of ends are processes, or, where one process alone has such channels, its threads; ranks of a job stay
// ranks. Linear in the rows, times the logarithm of the ends.
RunChannels channels_of(const RunMetrics& run);

struct Exchanged {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t blocked_ns = 0;
    Exchanged& operator+=(const Channel& channel);
};

// Of MPI's channels, or of all others: MPI's messages may be carried by pipes and sockets, and would be there twice.
// Parties by their index in RunChannels::parties.
struct ChannelMatrix {
    std::vector<std::size_t> parties;  // that call, or are called; ascending
    // By sender and receiver. Messages and bytes as the sender counts them, where it does not (it was not measured)
    // as the receiver does; where several receive of one sender, as each of them does. One-sided accesses are
    // messages from who calls to its target. The time is not in it.
    std::map<std::pair<std::size_t, std::size_t>, Exchanged> sent;
    // By sender and receiver: how long each of them was inside calls for it.
    struct Times {
        std::uint64_t sending_ns = 0;
        std::uint64_t receiving_ns = 0;
    };
    std::map<std::pair<std::size_t, std::size_t>, Times> times;
    std::map<std::size_t, Exchanged> collective;  // by rank; rooted ones, too
    std::map<std::size_t, Exchanged> files;       // by rank: read and written
    std::map<std::size_t, Exchanged> elsewhere;   // by rank: sent to ranks of other worlds, and the time for them
    std::map<std::size_t, Exchanged> several;     // of ends: with one of several, and nothing says which
    // In calls before or without it being known who the other is: receives from anyone, ends that several use.
    std::map<std::size_t, std::uint64_t> anyone_ns;

    // How long `party` was inside calls for `peer`, in either direction.
    [[nodiscard]] std::uint64_t blocked_ns(std::size_t party, std::size_t peer) const;
};

ChannelMatrix matrix_of(const RunChannels& run, bool of_mpi);

}  // namespace kymo::spacetime
