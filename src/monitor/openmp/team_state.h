// The state that a thread and a parallel region keep of each other (team.h describes them).
#pragma once

#include "base/ids.h"
#include "recording/tables.h"
#include "unwind/native.h"

#include <atomic>
#include <cstdint>

namespace kymo::monitor {

struct Region;

struct TeamState {
    Region* region = nullptr;  // the innermost that it has a share in; valid while in_share or tasks != 0
    Region* joint = nullptr;   // the one whose construct its own stack does not lead to; nullptr: it leads to all
    std::uint64_t region_id = 0;
    bool in_share = false;
    std::uint32_t tasks = 0;   // explicit tasks that this thread is in
    std::uint32_t rounds = 0;  // barriers of the region that it has come to

    bool is_inside() const { return in_share || tasks != 0; }
    Region* known_joint() const { return is_inside() ? joint : nullptr; }
};

struct Region {
    // The first word must be that of the data which the construct passes: libgomp reads it (gnu_regions.cpp).
    void* first_word = nullptr;
    void (*function)(void*) = nullptr;
    void* data = nullptr;

    std::uint64_t id = 0;
    std::uint64_t construct = 0;  // where it was opened: the return address of the run time's call
    StreamId stream{0};           // the opener's
    int tid = 0;

    // The opener's stack from the construct outwards. The program counter is an address in the call, not behind it.
    unwind::Registers registers{};
    std::uint64_t stack_high = 0;  // 0: not known
    // The region that the outer end of that stack belongs to: not nullptr where the opener is itself a worker.
    Region* joint = nullptr;

    static constexpr unsigned kRounds = 8;
    std::atomic<std::uint32_t> arrived[kRounds] = {};  // thread id of the last at each barrier in it, by round
    std::atomic<std::uint64_t> first_done{0};          // when the first share was done; 0: none yet
    std::atomic<std::uint64_t> last_active{0};         // when a thread last worked in it
    std::atomic<std::uint32_t> last_tid{0};            // and which

    TeamState before;  // the opener's
};

// The wait that an explicit task runs in: it is over until the task ends.
struct SuspendedWait {
    bool waited = false;
    recording::WaitKind kind{};
    std::uint64_t object = 0;
    std::uint64_t holder = 0;
    unwind::Registers registers{};
};
struct SuspendedTask {
    const void* task = nullptr;
    SuspendedWait wait;
};

}  // namespace kymo::monitor
