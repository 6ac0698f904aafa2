#include "mpi/channels.h"

#include "base/exclusion.h"
#include "cells/ticks.h"
#include "kymo/cells_interface.h"
#include "mpi/generated.h"
#include "mpi/real.h"

#include <atomic>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace kymo::mpi {
namespace {

constexpr std::size_t kArenaPiece = 256U << 10U;

Lock lock;  // protects everything below that does not belong to one thread

struct Arena {
    std::uint8_t* next = nullptr;
    std::size_t left = 0;
};
Arena arena;

const kymo_cells_interface* monitor_cells = nullptr;

// Channels by number, for a thread whose row is not the channel's first.
struct Known {
    std::uint64_t key[3];
};
constexpr std::uint32_t kMostKnown = 65536;  // maximum number of rows of a segment
Known* known = nullptr;
std::uint32_t known_count = 0;

// One channel of the thread.
struct OwnRow {
    std::uint64_t key = 0;  // 0: free
    std::uint64_t* cells = nullptr;
};

// Open addressing, at most half full.
struct ThreadChannels {
    OwnRow last;
    OwnRow* rows = nullptr;
    std::uint32_t capacity = 0;
    std::uint32_t used = 0;
};
thread_local constinit ThreadChannels own;

void* allocate_locked(std::size_t bytes) {
    bytes = (bytes + 15) & ~std::size_t{15};
    if (bytes > arena.left) {
        const std::size_t piece = bytes > kArenaPiece ? bytes : kArenaPiece;
        void* at = mmap(nullptr, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) {
            return nullptr;
        }
        arena = {static_cast<std::uint8_t*>(at), piece};
    }
    void* at = arena.next;
    arena.next += bytes;
    arena.left -= bytes;
    return at;
}

// Linear, but only at a row's making.
std::uint64_t number_of(const kymo_channel_key& key) {
    const Locked locked(lock);
    if (known == nullptr) {
        known = static_cast<Known*>(allocate_locked(sizeof(Known) * kMostKnown));
    }
    std::uint32_t number = 0;
    while (known != nullptr && number < known_count &&
           (known[number].key[0] != key.communicator || known[number].key[1] != key.peer ||
            known[number].key[2] != key.direction)) {
        ++number;
    }
    if (known != nullptr && number == known_count && known_count < kMostKnown) {
        known[known_count++] = {{key.communicator, key.peer, key.direction}};
    }
    return number;
}

std::uint64_t* new_row(const Group& group, int peer, Direction direction) {
    if (!group.is_used.exchange(true, std::memory_order_acq_rel)) {
        read_name(group);
    }
    kymo_channel_key key{};
    key.communicator = group.id;
    key.peer = ~std::uint64_t{0};
    if (peer >= 0 && peer < group.size) {
        const auto rank = static_cast<std::uint32_t>(peer);
        key.peer = group.world[peer] < 0 ? kElsewhere + rank : static_cast<std::uint32_t>(group.world[peer]);
    }
    key.direction = static_cast<std::uint64_t>(direction);
    return monitor_cells->channel(&key, number_of(key), group.name);
}

bool grow() {
    const std::uint32_t capacity = own.capacity == 0 ? 64 : 2 * own.capacity;
    auto* rows = static_cast<OwnRow*>(allocate(sizeof(OwnRow) * capacity));
    if (rows == nullptr) {
        return false;
    }
    for (std::uint32_t i = 0; i < own.capacity; ++i) {
        if (own.rows[i].key != 0) {
            std::uint64_t at = mix(own.rows[i].key);
            while (rows[at & (capacity - 1)].key != 0) {
                ++at;
            }
            rows[at & (capacity - 1)] = own.rows[i];
        }
    }
    own.rows = rows;
    own.capacity = capacity;
    return true;
}

}  // namespace

constinit Counting counting;
thread_local constinit Recent recent;

void* find_real(const char* name, const char* library) {
    void* at = dlsym(RTLD_DEFAULT, name);
    if (at == nullptr) {
        void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        at = loaded != nullptr ? dlsym(loaded, name) : nullptr;
    }
    return at;
}

bool find_out() {
    const Locked locked(lock);
    if (const int state = counting.state.load(std::memory_order_acquire); state != 0) {
        return state == 1;
    }
    find_real_calls();
    const auto find = reinterpret_cast<kymo_monitor_cells_function>(dlsym(RTLD_DEFAULT, "kymo_monitor_cells"));
    monitor_cells = find != nullptr ? find() : nullptr;
    if (monitor_cells == nullptr || &ompi_mpi_comm_world == nullptr) {
        counting.state.store(2, std::memory_order_release);
        return false;
    }
    kymo_task task{};
    monitor_cells->enter(&task);
    if (task.rate != nullptr) {
        counting.rate.kind = static_cast<cells::TickKind>(task.rate->kind);
        counting.rate.shift = task.rate->shift;
        counting.rate.multiplier = task.rate->multiplier;
    }
    const char* asked = getenv("KYMO_MPI");
    counting.timed = asked == nullptr || __builtin_strcmp(asked, "count") != 0;
    counting.state.store(1, std::memory_order_release);
    return true;
}

void* allocate(std::size_t bytes) {
    const Locked locked(lock);
    return allocate_locked(bytes);
}

void forget_recent(std::uint32_t now) {
    recent = Recent{};
    recent.seen = now;
}

std::uint64_t* look_up(MPI_Comm communicator, int peer, Direction direction, Recent::Channel& place) {
    const Group* group = group_of(communicator);
    std::uint64_t* cells =
        group != nullptr && peer >= 0 && peer < group->size ? cells_of(*group, peer, direction) : nullptr;
    if (cells != nullptr) {
        place = {bits_of(communicator), peer_and_direction(peer, direction), cells};
    }
    return cells;
}

std::int64_t look_up(MPI_Datatype type, Recent::Type& place) {
    MPI_Count size = 0;
    if (type == MPI_DATATYPE_NULL || real_calls.Type_size_x(type, &size) != MPI_SUCCESS || size < 0) {
        return 0;
    }
    place = {bits_of(type), size};
    return size;
}

std::uint64_t* cells_of(const Group& group, int peer, Direction direction) {
    const std::uint64_t key = (std::uint64_t{group.number} + 1) << 36U |
                              static_cast<std::uint64_t>(direction) << 32U | static_cast<std::uint32_t>(peer);
    if (own.last.key == key) {
        return own.last.cells;
    }
    if (2 * (own.used + 1) > own.capacity && !grow()) {
        return nullptr;
    }
    std::uint64_t at = mix(key);
    while (own.rows[at & (own.capacity - 1)].key != key) {
        OwnRow& row = own.rows[at & (own.capacity - 1)];
        if (row.key == 0) {
            row.cells = new_row(group, peer, direction);
            row.key = key;
            ++own.used;
            break;
        }
        ++at;
    }
    own.last = own.rows[at & (own.capacity - 1)];
    return own.last.cells;
}

}  // namespace kymo::mpi
