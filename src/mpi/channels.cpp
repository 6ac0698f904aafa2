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
constexpr std::uint32_t kMostGroups = 4096;

Lock lock;  // of all that is below and not a thread's own

struct Arena {
    std::uint8_t* next = nullptr;
    std::size_t left = 0;
};
Arena arena;

Group* groups[kMostGroups];
std::uint32_t group_count = 0;

const kymo_cells_interface* monitor_cells = nullptr;

// Channels by number, for a thread whose row is not the channel's first.
struct Known {
    std::uint64_t key[3];
};
constexpr std::uint32_t kMostKnown = 65536;  // so many rows a segment has at most
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

std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93U;
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93U;
    return x ^ (x >> 32U);
}

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

int destinations_in(MPI_Comm communicator, int rank) {
    int kind = MPI_UNDEFINED;
    int count = 0;
    if (real_calls.Topo_test(communicator, &kind) != MPI_SUCCESS) {
        return 0;
    }
    if (kind == MPI_CART && real_calls.Cartdim_get(communicator, &count) == MPI_SUCCESS) {
        return 2 * count;
    }
    if (kind == MPI_GRAPH && real_calls.Graph_neighbors_count(communicator, rank, &count) == MPI_SUCCESS) {
        return count;
    }
    int in = 0;
    int weighted = 0;
    return kind == MPI_DIST_GRAPH &&
                   real_calls.Dist_graph_neighbors_count(communicator, &in, &count, &weighted) == MPI_SUCCESS
               ? count
               : 0;
}

// Ranks of `members` in MPI_COMM_WORLD, into the arena. The lock is not held: MPI calls.
const int* world_ranks(MPI_Group members, int size) {
    auto* ranks = static_cast<int*>(allocate(sizeof(int) * 2 * static_cast<std::size_t>(size)));
    MPI_Group world{};
    if (ranks == nullptr || real_calls.Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) {
        return nullptr;
    }
    int* const own_ranks = ranks + size;
    for (int i = 0; i < size; ++i) {
        own_ranks[i] = i;
    }
    const int result = real_calls.Group_translate_ranks(members, size, own_ranks, world, ranks);
    real_calls.Group_free(&world);
    for (int i = 0; i < size; ++i) {
        ranks[i] = ranks[i] == MPI_UNDEFINED ? -1 : ranks[i];
    }
    return result == MPI_SUCCESS ? ranks : nullptr;
}

const Group* find_group(std::uint64_t handle, GroupKind kind) {
    for (std::uint32_t i = group_count; i > 0; --i) {
        if (groups[i - 1]->handle == handle && groups[i - 1]->kind == kind) {
            return groups[i - 1];
        }
    }
    return nullptr;
}

std::uint64_t hash_of(std::uint64_t hash, const int* world, int size) {
    for (int i = 0; i < size; ++i) {
        hash = mix(hash + static_cast<std::uint64_t>(world[i]) + 1);
    }
    return hash;
}

// Of the world of processes that others have spawned: ranks of several worlds stand beside each other in a recording.
std::uint64_t hash_of_own_world() {
    MPI_Comm parent = MPI_COMM_NULL;
    const char* job = getenv("PMIX_NAMESPACE");
    if (real_calls.Comm_get_parent(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL || job == nullptr) {
        return 0;
    }
    std::uint64_t hash = 13;
    for (const char* at = job; *at != 0; ++at) {
        hash = mix(hash + static_cast<std::uint8_t>(*at));
    }
    return hash;
}

// What identifies a group beside its members, and how it is to be entered.
struct NewGroup {
    std::uint64_t handle = 0;
    GroupKind kind = GroupKind::kCommunicator;
    MPI_Group members{};  // the remote ones of an intercommunicator
    MPI_Comm communicator = MPI_COMM_NULL;
    bool is_between = false;
    const char* name = "";
};

// The same for all that belong to it, as far as they are of one world. 0: MPI_COMM_WORLD.
std::uint64_t identity_of(const NewGroup& made, const int* world, int size) {
    constexpr std::uint64_t kSeeds[] = {3, 7, 11};
    if (made.kind == GroupKind::kCommunicator && made.communicator == MPI_COMM_WORLD) {
        return hash_of_own_world();
    }
    std::uint64_t hash = hash_of(kSeeds[static_cast<std::size_t>(made.kind)], world, size);
    MPI_Group own{};
    if (made.is_between && real_calls.Comm_group(made.communicator, &own) == MPI_SUCCESS) {
        int own_size = 0;
        real_calls.Group_size(own, &own_size);
        if (const int* own_world = own_size > 0 ? world_ranks(own, own_size) : nullptr; own_world != nullptr) {
            hash += hash_of(kSeeds[0], own_world, own_size);  // the other side adds the same two
        }
        real_calls.Group_free(&own);
    }
    return hash;
}

const Group* enter_group(const NewGroup& made) {
    int size = 0;
    real_calls.Group_size(made.members, &size);
    const int* world = size > 0 ? world_ranks(made.members, size) : nullptr;
    if (world == nullptr) {
        return nullptr;
    }
    const std::uint64_t hash = identity_of(made, world, size);
    int rank = 0;
    int destinations = 0;
    if (made.kind == GroupKind::kCommunicator) {
        real_calls.Comm_rank(made.communicator, &rank);
        destinations = destinations_in(made.communicator, rank);
    } else {
        real_calls.Group_rank(made.members, &rank);
    }
    const Locked locked(lock);
    if (const Group* known = find_group(made.handle, made.kind)) {
        return known;  // another thread was quicker
    }
    auto* group = group_count < kMostGroups ? static_cast<Group*>(allocate_locked(sizeof(Group))) : nullptr;
    if (group == nullptr) {
        return nullptr;
    }
    std::uint64_t same = 0;  // members' hash is kept in the id's high bits, the count below
    for (std::uint32_t i = 0; i < group_count; ++i) {
        same += groups[i]->id >> 12U == hash >> 12U ? 1 : 0;
    }
    group->id = hash == 0 ? 0 : ((hash >> 12U) << 12U | (same & 0xFFFU));
    group->number = group_count;
    group->kind = made.kind;
    group->is_between = made.is_between;
    group->size = size;
    group->rank = rank;
    group->destinations = destinations;
    group->world = world;
    for (std::size_t i = 0; i + 1 < sizeof group->name && made.name[i] != 0; ++i) {
        group->name[i] = made.name[i];
    }
    group->handle = made.handle;
    groups[group_count++] = group;
    return group;
}

const Group* make_communicator(MPI_Comm communicator) {
    int between = 0;
    MPI_Group members{};
    char name[MPI_MAX_OBJECT_NAME] = {};
    int length = 0;
    if (real_calls.Comm_test_inter(communicator, &between) != MPI_SUCCESS ||
        (between != 0 ? real_calls.Comm_remote_group(communicator, &members)
                      : real_calls.Comm_group(communicator, &members)) != MPI_SUCCESS) {
        return nullptr;
    }
    real_calls.Comm_get_name(communicator, name, &length);
    const Group* group = enter_group(
        {bits_of(communicator), GroupKind::kCommunicator, members, communicator, between != 0, name});
    real_calls.Group_free(&members);
    return group;
}

const Group* make_file(MPI_File file, const char* name) {
    MPI_Group members{};
    if (real_calls.File_get_group(file, &members) != MPI_SUCCESS) {
        return nullptr;
    }
    const Group* group = enter_group({bits_of(file), GroupKind::kFile, members, MPI_COMM_NULL, false, name});
    real_calls.Group_free(&members);
    return group;
}

void forget(std::uint64_t handle, GroupKind kind) {
    const Locked locked(lock);
    for (std::uint32_t i = 0; i < group_count; ++i) {
        if (groups[i]->handle == handle && groups[i]->kind == kind) {
            groups[i]->handle = 0;
        }
    }
    counting.forgotten.fetch_add(1, std::memory_order_release);
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

const Group* group_of(MPI_Comm communicator) {
    if (communicator == MPI_COMM_NULL) {
        return nullptr;
    }
    {
        const Locked locked(lock);
        if (const Group* group = find_group(bits_of(communicator), GroupKind::kCommunicator)) {
            return group;
        }
    }
    return make_communicator(communicator);
}

const Group* group_of_window(MPI_Win window) {
    if (window == MPI_WIN_NULL) {
        return nullptr;
    }
    {
        const Locked locked(lock);
        if (const Group* group = find_group(bits_of(window), GroupKind::kWindow)) {
            return group;
        }
    }
    MPI_Group members{};
    char name[MPI_MAX_OBJECT_NAME] = {};
    int length = 0;
    if (real_calls.Win_get_group(window, &members) != MPI_SUCCESS) {
        return nullptr;
    }
    real_calls.Win_get_name(window, name, &length);
    const Group* group =
        enter_group({bits_of(window), GroupKind::kWindow, members, MPI_COMM_NULL, false, name});
    real_calls.Group_free(&members);
    return group;
}

const Group* group_of_file(MPI_File file) {
    if (file == MPI_FILE_NULL) {
        return nullptr;
    }
    {
        const Locked locked(lock);
        if (const Group* group = find_group(bits_of(file), GroupKind::kFile)) {
            return group;
        }
    }
    return make_file(file, "");
}

void note_file(MPI_File file, const char* path) {
    const char* name = path;
    for (const char* at = path; *at != 0; ++at) {
        name = *at == '/' ? at + 1 : name;
    }
    forget_file(file);  // one that was not closed through us
    make_file(file, name);
}

void forget_communicator(MPI_Comm communicator) {
    forget(bits_of(communicator), GroupKind::kCommunicator);
}

void forget_window(MPI_Win window) {
    forget(bits_of(window), GroupKind::kWindow);
}

void forget_file(MPI_File file) {
    forget(bits_of(file), GroupKind::kFile);
}

void forget_type(MPI_Datatype /*type*/) {
    counting.forgotten.fetch_add(1, std::memory_order_release);
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
                              std::uint64_t{static_cast<std::uint32_t>(direction)} << 32U |
                              static_cast<std::uint32_t>(peer);
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
