// Communicators, windows and files: the members of each, and its identity in all processes.
#include "base/exclusion.h"
#include "mpi/channels.h"
#include "mpi/generated.h"
#include "mpi/real.h"

#include <stdlib.h>

namespace kymo::mpi {
namespace {

constexpr std::uint32_t kMostGroups = 4096;

Lock lock;  // of these
Group* groups[kMostGroups];
std::uint32_t group_count = 0;

// How many there have been of the same members, including freed ones.
struct Members {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;
};
Members members_seen[kMostGroups];
std::uint32_t members_count = 0;

// The number before this one; nothing: no room to remember it.
bool count_members(std::uint64_t hash, std::uint64_t* before) {
    std::uint32_t at = 0;
    while (at < members_count && members_seen[at].hash != hash) {
        ++at;
    }
    if (at == kMostGroups) {
        return false;
    }
    if (at == members_count) {
        members_seen[members_count++] = {hash, 0};
    }
    *before = members_seen[at].count++;
    return true;
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

// Room for the ranks of a group while it is examined.
struct Ranks {
    int* at = nullptr;
    int size = 0;
};
thread_local constinit Ranks scratch[2];

// Ranks of `members` in MPI_COMM_WORLD, into a scratch of the thread's. The lock is not held: MPI calls.
const int* world_ranks(MPI_Group members, int size, Ranks& room) {
    if (room.size < size) {
        room = {static_cast<int*>(allocate(sizeof(int) * 2 * static_cast<std::size_t>(size))), size};
    }
    int* const ranks = room.at;
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

const Group* known_group(std::uint64_t handle, GroupKind kind) {
    const Locked locked(lock);
    return find_group(handle, kind);
}

std::uint64_t hash_of(std::uint64_t hash, const int* world, int size) {
    for (int i = 0; i < size; ++i) {
        hash = mix(hash + static_cast<std::uint64_t>(world[i]) + 1);
    }
    return hash;
}

std::uint64_t hash_of(std::uint64_t hash, const char* text) {
    for (const char* at = text; *at != 0; ++at) {
        hash = mix(hash + static_cast<std::uint8_t>(*at));
    }
    return hash;
}

// Of the world of spawned processes: a recording may contain ranks of several worlds.
std::uint64_t hash_of_own_world() {
    MPI_Comm parent = MPI_COMM_NULL;
    const char* job = getenv("PMIX_NAMESPACE");
    if (real_calls.Comm_get_parent(&parent) != MPI_SUCCESS || parent == MPI_COMM_NULL || job == nullptr) {
        return 0;
    }
    return hash_of(13, job);
}

// A file of this identity that has been closed.
Group* find_closed(std::uint64_t hash) {
    for (std::uint32_t i = 0; i < group_count; ++i) {
        if (groups[i]->kind == GroupKind::kFile && groups[i]->handle == 0 && groups[i]->id >> 12U == hash >> 12U) {
            return groups[i];
        }
    }
    return nullptr;
}

// What identifies a group beside its members, and how to enter it.
struct NewGroup {
    std::uint64_t handle = 0;
    GroupKind kind = GroupKind::kCommunicator;
    MPI_Group members{};  // the remote ones of an intercommunicator
    MPI_Comm communicator = MPI_COMM_NULL;
    bool is_between = false;
    const char* name = "";
    const char* path = "";  // of a file: the same whenever the same processes open it
};

// The same in all its members, as far as they are of one world. 0: MPI_COMM_WORLD.
std::uint64_t identity_of(const NewGroup& made, const int* world, int size) {
    constexpr std::uint64_t kSeeds[] = {3, 7, 11};
    if (made.kind == GroupKind::kCommunicator && made.communicator == MPI_COMM_WORLD) {
        return hash_of_own_world();
    }
    std::uint64_t hash = hash_of(hash_of(kSeeds[static_cast<std::size_t>(made.kind)], world, size), made.path);
    MPI_Group own{};
    if (made.is_between && real_calls.Comm_group(made.communicator, &own) == MPI_SUCCESS) {
        int own_size = 0;
        real_calls.Group_size(own, &own_size);
        if (const int* own_world = own_size > 0 ? world_ranks(own, own_size, scratch[1]) : nullptr;
            own_world != nullptr) {
            hash += hash_of(kSeeds[0], own_world, own_size);  // the other side adds the same two
        }
        real_calls.Group_free(&own);
    }
    return hash;
}

// Ranks as a group keeps them: shared with a group of the same members, or a copy. The lock is held.
const int* keep_ranks(const int* world, int size) {
    const std::size_t bytes = sizeof(int) * static_cast<std::size_t>(size);
    for (std::uint32_t i = 0; i < group_count; ++i) {
        if (groups[i]->size == size && __builtin_memcmp(groups[i]->world, world, bytes) == 0) {
            return groups[i]->world;
        }
    }
    auto* kept = static_cast<int*>(allocate(bytes));
    if (kept != nullptr) {
        __builtin_memcpy(kept, world, bytes);
    }
    return kept;
}

// A place: that of a freed one without a channel, or a new one. The lock is held.
Group* free_group() {
    for (std::uint32_t i = 0; i < group_count; ++i) {
        if (groups[i]->handle == 0 && !groups[i]->is_used.load(std::memory_order_acquire)) {
            return groups[i];
        }
    }
    auto* group = group_count < kMostGroups ? static_cast<Group*>(allocate(sizeof(Group))) : nullptr;
    if (group != nullptr) {
        group->number = group_count;
        groups[group_count++] = group;
    }
    return group;
}

void set_name(const Group& group, const char* name) {
    std::size_t i = 0;
    for (; i + 1 < sizeof group.name && name[i] != 0; ++i) {
        group.name[i] = name[i];
    }
    __builtin_memset(group.name + i, 0, sizeof group.name - i);
}

const Group* enter_group(const NewGroup& made) {
    int size = 0;
    real_calls.Group_size(made.members, &size);
    const int* world = size > 0 ? world_ranks(made.members, size, scratch[0]) : nullptr;
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
        return known;  // another thread was faster
    }
    if (Group* before = made.kind == GroupKind::kFile ? find_closed(hash) : nullptr; before != nullptr) {
        before->handle = made.handle;
        return before;
    }
    world = keep_ranks(world, size);
    std::uint64_t same = 0;  // members' hash is kept in the id's high bits, the count below
    Group* group = world == nullptr || !count_members(hash >> 12U, &same) ? nullptr : free_group();
    if (group == nullptr) {
        return nullptr;
    }
    group->id = hash == 0 ? 0 : ((hash >> 12U) << 12U | (same & 0xFFFU));
    group->kind = made.kind;
    group->is_between = made.is_between;
    group->size = size;
    group->rank = rank;
    group->destinations = destinations;
    group->world = world;
    set_name(*group, made.name);
    group->handle = made.handle;
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
    const Group* group =
        enter_group({bits_of(communicator), GroupKind::kCommunicator, members, communicator, between != 0, name});
    real_calls.Group_free(&members);
    return group;
}

const Group* make_file(MPI_File file, const char* path) {
    const char* name = path;
    for (const char* at = path; *at != 0; ++at) {
        name = *at == '/' ? at + 1 : name;
    }
    MPI_Group members{};
    if (real_calls.File_get_group(file, &members) != MPI_SUCCESS) {
        return nullptr;
    }
    const Group* group = enter_group({bits_of(file), GroupKind::kFile, members, MPI_COMM_NULL, false, name, path});
    real_calls.Group_free(&members);
    return group;
}

// False: not known.
bool take_out(std::uint64_t handle, GroupKind kind) {
    const Locked locked(lock);
    bool found = false;
    for (std::uint32_t i = 0; i < group_count; ++i) {
        if (groups[i]->handle == handle && groups[i]->kind == kind) {
            groups[i]->handle = 0;
            found = true;
        }
    }
    return found;
}

void forget(std::uint64_t handle, GroupKind kind) {
    take_out(handle, kind);
    counting.forgotten.fetch_add(1, std::memory_order_release);
}

}  // namespace

const Group* group_of(MPI_Comm communicator) {
    if (communicator == MPI_COMM_NULL) {
        return nullptr;
    }
    if (const Group* group = known_group(bits_of(communicator), GroupKind::kCommunicator)) {
        return group;
    }
    return make_communicator(communicator);
}

const Group* known_group_of(MPI_Comm communicator) {
    return known_group(bits_of(communicator), GroupKind::kCommunicator);
}

const Group* group_of_window(MPI_Win window) {
    if (window == MPI_WIN_NULL) {
        return nullptr;
    }
    if (const Group* group = known_group(bits_of(window), GroupKind::kWindow)) {
        return group;
    }
    MPI_Group members{};
    char name[MPI_MAX_OBJECT_NAME] = {};
    int length = 0;
    if (real_calls.Win_get_group(window, &members) != MPI_SUCCESS) {
        return nullptr;
    }
    real_calls.Win_get_name(window, name, &length);
    const Group* group = enter_group({bits_of(window), GroupKind::kWindow, members, MPI_COMM_NULL, false, name});
    real_calls.Group_free(&members);
    return group;
}

const Group* group_of_file(MPI_File file) {
    if (file == MPI_FILE_NULL) {
        return nullptr;
    }
    if (const Group* group = known_group(bits_of(file), GroupKind::kFile)) {
        return group;
    }
    return make_file(file, "");
}

void note_communicator(MPI_Comm communicator) {
    if (communicator == MPI_COMM_NULL) {
        return;
    }
    if (take_out(bits_of(communicator), GroupKind::kCommunicator)) {  // one that was not freed through us
        counting.forgotten.fetch_add(1, std::memory_order_release);
    }
    make_communicator(communicator);
}

void note_window(MPI_Win window) {
    if (window == MPI_WIN_NULL) {
        return;
    }
    if (take_out(bits_of(window), GroupKind::kWindow)) {
        counting.forgotten.fetch_add(1, std::memory_order_release);
    }
    group_of_window(window);
}

void read_name(const Group& group) {
    char name[MPI_MAX_OBJECT_NAME] = {};
    int length = 0;
    if (group.handle == 0 || group.kind == GroupKind::kFile) {
        return;
    }
    if (group.kind == GroupKind::kCommunicator) {
        MPI_Comm communicator = MPI_COMM_NULL;
        __builtin_memcpy(&communicator, &group.handle, sizeof communicator);
        real_calls.Comm_get_name(communicator, name, &length);
    } else {
        MPI_Win window = MPI_WIN_NULL;
        __builtin_memcpy(&window, &group.handle, sizeof window);
        real_calls.Win_get_name(window, name, &length);
    }
    const Locked locked(lock);
    set_name(group, name);
}

void note_file(MPI_File file, const char* path) {
    forget_file(file);  // one that was not closed through us
    make_file(file, path);
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

}  // namespace kymo::mpi
