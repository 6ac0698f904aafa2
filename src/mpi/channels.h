// Channels of MPI and their cells: (communicator, peer, direction), peers in ranks of MPI_COMM_WORLD.
//
// A channel's row belongs to one thread, the only one that writes it; the reader adds up the rows of a channel.
// The cells come from the monitor (kymo/cells_interface.h); without a measurement there are none, and the wrappers
// call through.
//
// A communicator's identity is the same in all processes that belong to it: a hash of its members in world ranks,
// and its ordinal among communicators of these members (creating one is collective, so all count alike). Handles
// are reused once freed, so the wrappers of the freeing calls report them (forget).
//
// Contract: called from the program's own threads, not from handlers. No malloc, no exceptions. Cost: a look-up of
// the thread's last channel, or in its own small hash table; a channel's first use, and a communicator's, take
// locks.
#pragma once

#include "cells/standard.h"
#include "cells/ticks.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace kymo::mpi {

using Direction = cells::ChannelDirection;

inline constexpr int kEverybody = -1000;  // the peer of operations without one

// A peer outside MPI_COMM_WORLD, in the world of processes that were spawned or connected to, is identified by
// this and its rank in the communicator.
inline constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 32U;

enum class GroupKind : std::uint8_t { kCommunicator, kWindow, kFile };

// Communicators, windows and files. The place of a freed one without a channel is reused.
struct Group {
    std::uint64_t handle = 0;  // 0: forgotten
    std::uint64_t id = 0;
    std::uint32_t number = 0;  // in this process, from 0
    GroupKind kind = GroupKind::kCommunicator;
    bool is_between = false;     // an intercommunicator
    int size = 0;                // of the peers: the remote group's, if there is one
    int rank = 0;                // own
    int destinations = 0;        // of a neighbour collective
    const int* world = nullptr;  // peers' ranks in MPI_COMM_WORLD; -1: not in it
    mutable char name[32] = {};
    mutable std::atomic<bool> is_used{false};  // has channels
};

// Null: MPI is not initialised, the handle is null, or there is no memory.
const Group* group_of(MPI_Comm communicator);
// The same, without any MPI call; null also: not used before.
const Group* known_group_of(MPI_Comm communicator);
const Group* group_of_window(MPI_Win window);
const Group* group_of_file(MPI_File file);
// When opened: sets its name (the part behind the last slash).
void note_file(MPI_File file, const char* path);
// When it is made: all its members make communicators in the same order, and so number them alike. A null handle
// is ignored.
void note_communicator(MPI_Comm communicator);
void note_window(MPI_Win window);
// Its present name: programs set it after it was made.
void read_name(const Group& group);
void forget_communicator(MPI_Comm communicator);
void forget_window(MPI_Win window);
void forget_file(MPI_File file);

void forget_type(MPI_Datatype type);

// The calling thread's cells of a channel (cells::ChannelCell); null: none available. `peer`: rank in the group,
// or kEverybody.
std::uint64_t* cells_of(const Group& group, int peer, Direction direction);

// What all threads read at every call.
struct Counting {
    std::atomic<int> state{0};                // 0: not known yet, 1: measured, 2: not measured
    std::atomic<std::uint32_t> forgotten{1};  // changes when handles may have been reused
    bool timed = true;                        // KYMO_MPI=count leaves the time out
    cells::TickRate rate;                     // of the monitor's clock
};
extern Counting counting;

// Finds the real calls, and whether a measurement is running.
bool find_out();
inline bool is_counting() {
    return __builtin_expect(counting.state.load(std::memory_order_acquire) == 1, 1) || find_out();
}

// What the thread used last: channels and types whose handles need not be looked up again.
struct Recent {
    static constexpr std::uint32_t kChannels = 32;
    static constexpr std::uint32_t kTypes = 16;
    struct alignas(64) Channel {
        std::uint64_t communicator = 0;
        std::uint64_t peer_and_direction = 0;
        std::uint64_t* cells = nullptr;
        std::uint64_t type = 0;  // that was last sent by it; 0: none
        std::int64_t type_size = 0;
    };
    struct Type {
        std::uint64_t handle = 0;
        std::int64_t size = 0;
    };
    std::uint32_t seen = 0;  // `forgotten` at the look-up; 0: nothing was looked up, counting may be off
    Channel channels[kChannels];
    Type types[kTypes];
};
extern thread_local constinit Recent recent;

inline std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93U;
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93U;
    return x ^ (x >> 32U);
}

// Zeroed memory that is never freed; null: none available.
void* allocate(std::size_t bytes);

template <typename Handle>
std::uint64_t bits_of(const Handle& handle) {
    static_assert(sizeof handle <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &handle, sizeof handle);
    return bits;
}

// ---- the fast path

std::uint64_t* look_up(MPI_Comm communicator, int peer, Direction direction, Recent::Channel& place);
std::int64_t look_up(MPI_Datatype type, Recent::Type& place);
void forget_recent(std::uint32_t now);

inline void check_forgotten() {
    const std::uint32_t now = counting.forgotten.load(std::memory_order_acquire);
    if (__builtin_expect(recent.seen != now, 0)) {
        forget_recent(now);
    }
}

// Where a channel is kept if the thread has used it lately.
inline std::uint64_t peer_and_direction(int peer, Direction direction) {
    return std::uint64_t{static_cast<std::uint32_t>(peer)} << 3U | static_cast<std::uint64_t>(direction);
}
inline Recent::Channel& place_of(MPI_Comm communicator, std::uint64_t peer_and_direction) {
    return recent.channels[(bits_of(communicator) / 64 + peer_and_direction) % Recent::kChannels];
}

// A channel that the thread has used recently; null: it has not, or counting is off. No look-up.
inline const Recent::Channel* known_channel(MPI_Comm communicator, int peer, Direction direction) {
    const std::uint64_t rest = peer_and_direction(peer, direction);
    const Recent::Channel& place = place_of(communicator, rest);
    const bool is_known = recent.seen == counting.forgotten.load(std::memory_order_acquire) &&
                          place.communicator == bits_of(communicator) && place.peer_and_direction == rest;
    return __builtin_expect(is_known, 1) ? &place : nullptr;
}

// As group_of() and cells_of(); null also for MPI_PROC_NULL as the peer.
inline std::uint64_t* cells_of(MPI_Comm communicator, int peer, Direction direction) {
    check_forgotten();
    const std::uint64_t rest = peer_and_direction(peer, direction);
    Recent::Channel& place = place_of(communicator, rest);
    if (__builtin_expect(place.communicator == bits_of(communicator) && place.peer_and_direction == rest, 1)) {
        return place.cells;
    }
    return look_up(communicator, peer, direction, place);
}

inline std::int64_t size_of(MPI_Datatype type) {
    check_forgotten();
    const std::uint64_t handle = bits_of(type);
    Recent::Type& place = recent.types[handle / 64 % Recent::kTypes];
    return __builtin_expect(place.handle == handle, 1) ? place.size : look_up(type, place);
}

}  // namespace kymo::mpi
