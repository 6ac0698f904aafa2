// LLVM's OpenMP run time (libomp), and any other with the tools interface: it calls ompt_start_tool, and then
// reports everything by itself. libgomp does not look for a tool.
//
// A tool that the program has, or names in OMP_TOOL_LIBRARIES, has priority: only one tool is possible.

#include "monitor/openmp/tool.h"

#include "monitor/openmp/gnu.h"
#include "monitor/process/log.h"
#include "monitor/process/process.h"
#include "monitor/sampling/path.h"
#include "monitor/threads/registry.h"

#include <dlfcn.h>
#include <new>
#include <stdlib.h>

namespace kymo::monitor {

namespace {

using namespace ompt;

constinit std::atomic<bool> is_active{false};

std::uint64_t address(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

Region* region_of(const Data* parallel) {
    return parallel == nullptr ? nullptr : static_cast<Region*>(parallel->pointer);
}

// ---- regions -----------------------------------------------------------------------------------------------

void on_parallel_begin(Data*, const void*, Data* parallel, unsigned, int, const void* construct) {
    parallel->pointer = nullptr;
    ThreadState* thread = waiting_thread();
    if (thread == nullptr || thread->open_regions == ThreadState::kOpenRegions) {
        return;
    }
    Region& region = *new (thread->regions[thread->open_regions]) Region;
    if (!construct_registers(*thread, unwind::capture_here(), &region.registers)) {
        return;
    }
    ++thread->open_regions;
    open_region(*thread, region, address(construct));
    parallel->pointer = &region;
}

void on_parallel_end(Data* parallel, Data*, int, const void*) {
    ThreadState* thread = this_thread();
    Region* region = region_of(parallel);
    if (thread == nullptr || region == nullptr || region->tid != thread->tid || thread->open_regions == 0) {
        return;
    }
    close_region(*thread, *region);
    --thread->open_regions;
    parallel->pointer = nullptr;
}

void on_implicit_task(int scope, Data* parallel, Data*, unsigned, unsigned, int flags) {
    ThreadState* thread = waiting_thread();
    Region* region = region_of(parallel);
    if (thread != nullptr && region != nullptr && scope == Scope::kBegin && (flags & kTaskImplicit) != 0) {
        begin_share(*thread, *region);
    }
}

// ---- waits -----------------------------------------------------------------------------------------------------

// A callback's frame is gone before the wait is over: its path is taken at the end.
void begin_wait(ThreadState& thread, WaitKind kind, std::uint64_t object, std::uint64_t holder) {
    WaitState& wait = thread.waits;
    wait.kind = kind;
    wait.object = object;
    wait.holder = holder;
    wait.registers = {};
    wait.registers.set_sp(~std::uint64_t{0});
    wait.open(clock_now(), thread.taken_ns);
}

void end_wait_of(ThreadState& thread, WaitKind kind, std::uint64_t waker) {
    WaitState& wait = thread.waits;
    const std::uint64_t begin = wait.begin.load(std::memory_order_relaxed);
    if (begin != 0 && wait.kind == kind) {
        unwind::capture_here(wait.registers);
        end_wait(thread, begin, waker);
    }
}

// The barrier at the end of the region. The specification distinguishes it from those of work-sharing constructs
// since 5.1; before, its place is that of the construct itself for the opener, and none in the program for the
// others.
bool ends_share(int kind, const Region& region, const void* place) {
    return kind == kBarrierImplicitParallel ||
           (kind == kBarrierImplicit && (place == nullptr || address(place) == region.construct));
}

void on_sync_region_wait(int kind, int scope, Data* parallel, Data*, const void* place) {
    ThreadState* thread = waiting_thread();
    if (thread == nullptr) {
        return;
    }
    const bool is_barrier = kind != kTaskwait && kind != kTaskgroup && kind != kReduction;
    Region* region = region_of(parallel);
    TeamState& team = thread->team;
    if (scope == Scope::kBegin) {
        if (is_barrier && region != nullptr && ends_share(kind, *region, place)) {
            end_share(*thread, *region);
            return;
        }
        if (is_barrier) {
            arrive(*thread);
        }
        const std::uint64_t construct = team.region != nullptr && team.is_inside() ? team.region->construct : 0;
        begin_wait(*thread, is_barrier ? WaitKind::kOmpBarrier : WaitKind::kOmpTasks, construct, 0);
        return;
    }
    if (scope != Scope::kEnd || region == nullptr) {
        return;  // of a region that is over: the opener's next event, or the next share, ends the wait
    }
    if (is_barrier && thread->waits.kind == WaitKind::kOmpIdle) {
        // It was not the region's end.
        thread->waits.kind = WaitKind::kOmpBarrier;
        team.in_share = true;
    }
    end_wait_of(*thread, is_barrier ? WaitKind::kOmpBarrier : WaitKind::kOmpTasks,
                is_barrier && team.rounds != 0 ? last_to_arrive(*thread, team.rounds - 1) : 0);
}

WaitKind kind_of_mutex(int kind) {
    switch (kind) {
        case kCritical:
            return WaitKind::kOmpCritical;
        case kAtomic:
            return WaitKind::kOmpAtomic;
        case kOrdered:
            return WaitKind::kOmpOrdered;
        default:
            return WaitKind::kOmpLock;
    }
}

void on_mutex_acquire(int kind, unsigned, unsigned, std::uint64_t mutex, const void*) {
    if (kind == kTestLock || kind == kTestNestLock) {
        return;  // never waits
    }
    if (ThreadState* thread = waiting_thread(); thread != nullptr) {
        const auto* lock = reinterpret_cast<const void*>(mutex);
        begin_wait(*thread, kind_of_mutex(kind), mutex, owner_of(lock));
    }
}

void on_mutex_acquired(int kind, std::uint64_t mutex, const void*) {
    if (ThreadState* thread = waiting_thread(); thread != nullptr) {
        end_wait_of(*thread, kind_of_mutex(kind), 0);
        note_owner(*thread, reinterpret_cast<const void*>(mutex));
    }
}

// A nestable lock that the thread has already.
void on_nest_lock(int, std::uint64_t, const void*) {
    if (ThreadState* thread = waiting_thread(); thread != nullptr) {
        end_wait_of(*thread, WaitKind::kOmpLock, 0);
    }
}

// ---- tasks ---------------------------------------------------------------------------------------------------

const SuspendedTask& suspended_task(ThreadState& thread, unsigned index) {
    return *std::launder(reinterpret_cast<const SuspendedTask*>(thread.suspended[index]));
}

// A waiting task is suspended for another, and continues when that is done.
void on_task_schedule(Data* before, int, Data* next) {
    ThreadState* thread = waiting_thread();
    if (thread == nullptr) {
        return;
    }
    if (thread->suspended_count != 0) {
        const SuspendedTask& last = suspended_task(*thread, thread->suspended_count - 1);
        if (last.task == next) {
            --thread->suspended_count;
            end_task(*thread, last.wait);
            return;
        }
    }
    WaitState& wait = thread->waits;
    const bool waits = wait.begin.load(std::memory_order_relaxed) != 0 && wait.kind >= WaitKind::kOmpBarrier;
    if (!waits || next == nullptr || thread->suspended_count == ThreadState::kSuspended) {
        return;
    }
    if (wait.kind != WaitKind::kOmpIdle) {
        unwind::capture_here(wait.registers);
    }
    SuspendedTask& suspended = *new (thread->suspended[thread->suspended_count++]) SuspendedTask;
    suspended.task = before;
    suspended.wait = begin_task(*thread);
    suspended.wait.registers = {};
    suspended.wait.registers.set_sp(~std::uint64_t{0});
}

// ---- the interface -----------------------------------------------------------------------------------------------

int initialize(Lookup lookup, int, Data*) {
    const auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
    if (set == nullptr) {
        return 0;
    }
    {
        const kymo::Quiet quiet;
        note_openmp_runtime(address(reinterpret_cast<const void*>(lookup)));
    }
    const struct {
        int which;
        Function callback;
    } callbacks[] = {
        {kParallelBegin, reinterpret_cast<Function>(on_parallel_begin)},
        {kParallelEnd, reinterpret_cast<Function>(on_parallel_end)},
        {kImplicitTask, reinterpret_cast<Function>(on_implicit_task)},
        {kSyncRegionWait, reinterpret_cast<Function>(on_sync_region_wait)},
        {kMutexAcquire, reinterpret_cast<Function>(on_mutex_acquire)},
        {kMutexAcquired, reinterpret_cast<Function>(on_mutex_acquired)},
        {kNestLockAgain, reinterpret_cast<Function>(on_nest_lock)},
        {kTaskSchedule, reinterpret_cast<Function>(on_task_schedule)},
    };
    for (const auto& entry : callbacks) {
        set(entry.which, entry.callback);
    }
    is_active.store(true, std::memory_order_release);
    return 1;
}

void finalize(Data*) {
    is_active.store(false, std::memory_order_release);
}

constinit StartResult our_tool{initialize, finalize, {0}};

void tell_other_tool() {
    const kymo::Quiet quiet;
    recording::Unavailable row;
    row.what = "OpenMP regions and waits of the LLVM run time";
    row.why = "another OpenMP tool is in use (the program's own, or OMP_TOOL_LIBRARIES)";
    row.remedy = "run without that tool";
    process_log.write(row);
}

}  // namespace

bool told_by_tool_interface() {
    return is_active.load(std::memory_order_relaxed);
}

}  // namespace kymo::monitor

using namespace kymo::monitor;

KYMO_INTERPOSE ompt::StartResult* ompt_start_tool(unsigned version, const char* run_time) {
    using Start = ompt::StartResult* (*)(unsigned, const char*);
    const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "ompt_start_tool"));
    ompt::StartResult* other = next == nullptr ? nullptr : next(version, run_time);
    if (!process.running() || !process.is_this_process()) {
        return other;
    }
    const char* libraries = getenv("OMP_TOOL_LIBRARIES");
    if (other != nullptr || (libraries != nullptr && *libraries != 0)) {
        tell_other_tool();
        return other;
    }
    return &our_tool;
}
