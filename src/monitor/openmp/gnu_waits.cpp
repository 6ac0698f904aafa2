// Where threads of a team wait for each other in libgomp: barriers, also those at the end of work-sharing constructs,
// tasks, critical sections and locks.
//
// Locks try first, as the others do (waits/locks.cpp). Critical sections cannot be tried: they pay two clock
// readings.

#include "monitor/openmp/gnu.h"

using namespace kymo::monitor;

namespace {

// As waited(), for waits in which tasks may be executed: the wait that ends is then not the one that began.
template <typename Call, typename Waker>
__attribute__((always_inline)) inline auto team_waited(ThreadState* thread, WaitKind kind, std::uint64_t object,
                                                       const Call& call, const Waker& waker) {
    if (thread == nullptr) {
        return call();
    }
    WaitState& state = thread->waits;
    state.kind = kind;
    state.object = object;
    state.holder = 0;
    kymo::unwind::capture_here(state.registers);
    state.open(clock_now(), thread->taken_ns);
    const auto result = call();
    if (this_thread() == thread && state.kind == kind && state.object == object) {
        if (const std::uint64_t begin = state.begin.load(std::memory_order_relaxed); begin != 0) {
            end_wait(*thread, begin, waker());
        }
    }
    return result;
}

std::uint64_t construct_of(const ThreadState* thread) {
    return thread != nullptr && thread->team.is_inside() && thread->team.region != nullptr
               ? thread->team.region->construct
               : 0;
}

template <typename Call>
__attribute__((always_inline)) inline auto meet(const Call& call) {
    ThreadState* thread = openmp_thread();
    const std::uint32_t round = thread == nullptr ? 0 : arrive(*thread);
    return team_waited(thread, WaitKind::kOmpBarrier, construct_of(thread), call,
                       [&] { return last_to_arrive(*thread, round); });
}

template <typename Call>
__attribute__((always_inline)) inline auto meet_in(WaitKind kind, const Call& call) {
    ThreadState* thread = openmp_thread();
    return team_waited(thread, kind, construct_of(thread), call, [] { return std::uint64_t{0}; });
}

template <typename Call>
__attribute__((always_inline)) inline auto take(WaitKind kind, const void* lock, const Call& call) {
    if (openmp_thread() == nullptr) {
        return call();
    }
    const auto result = waited(kind, address_of(lock), owner_of(lock), call);
    if (const ThreadState* thread = this_thread(); thread != nullptr) {
        note_owner(*thread, lock);
    }
    return result;
}

}  // namespace

// ---- barriers --------------------------------------------------------------------------------------------

#define KYMO_GNU_MEETING(NAME, VERSION)        \
    KYMO_GNU(void, NAME, VERSION)() {          \
        const auto real = KYMO_REAL_GNU(NAME); \
        meet([&] {                             \
            real();                            \
            return 0;                          \
        });                                    \
    }
#define KYMO_GNU_CANCELLABLE_MEETING(NAME, VERSION) \
    KYMO_GNU(bool, NAME, VERSION)() {               \
        const auto real = KYMO_REAL_GNU(NAME);      \
        return meet([&] { return real(); });        \
    }

KYMO_GNU_MEETING(GOMP_barrier, "GOMP_1.0")
KYMO_GNU_MEETING(GOMP_loop_end, "GOMP_1.0")
KYMO_GNU_MEETING(GOMP_sections_end, "GOMP_1.0")
KYMO_GNU_CANCELLABLE_MEETING(GOMP_barrier_cancel, "GOMP_4.0")
KYMO_GNU_CANCELLABLE_MEETING(GOMP_loop_end_cancel, "GOMP_4.0")
KYMO_GNU_CANCELLABLE_MEETING(GOMP_sections_end_cancel, "GOMP_4.0")

KYMO_GNU(void, GOMP_workshare_task_reduction_unregister, "GOMP_5.0")(bool is_cancelled) {
    const auto real = KYMO_REAL_GNU(GOMP_workshare_task_reduction_unregister);
    meet([&] {
        real(is_cancelled);
        return 0;
    });
}

// ---- single with copyprivate -------------------------------------------------------------------------------

// nullptr: the calling thread is to execute it, and has not waited.
KYMO_GNU(void*, GOMP_single_copy_start, "GOMP_1.0")() {
    const auto real = KYMO_REAL_GNU(GOMP_single_copy_start);
    return meet_in(WaitKind::kOmpSingle, [&] { return real(); });
}

KYMO_GNU(void, GOMP_single_copy_end, "GOMP_1.0")(void* data) {
    const auto real = KYMO_REAL_GNU(GOMP_single_copy_end);
    meet_in(WaitKind::kOmpSingle, [&] {
        real(data);
        return 0;
    });
}

// ---- tasks -------------------------------------------------------------------------------------------------

KYMO_GNU(void, GOMP_taskwait, "GOMP_2.0")() {
    const auto real = KYMO_REAL_GNU(GOMP_taskwait);
    meet_in(WaitKind::kOmpTasks, [&] {
        real();
        return 0;
    });
}

KYMO_GNU(void, GOMP_taskwait_depend, "GOMP_5.0")(void** depend) {
    const auto real = KYMO_REAL_GNU(GOMP_taskwait_depend);
    meet_in(WaitKind::kOmpTasks, [&] {
        real(depend);
        return 0;
    });
}

KYMO_GNU(void, GOMP_taskgroup_end, "GOMP_4.0")() {
    const auto real = KYMO_REAL_GNU(GOMP_taskgroup_end);
    meet_in(WaitKind::kOmpTasks, [&] {
        real();
        return 0;
    });
}

// ---- critical sections ---------------------------------------------------------------------------------------

// All without a name are one: it has the address of the function.
KYMO_GNU(void, GOMP_critical_start, "GOMP_1.0")() {
    const auto real = KYMO_REAL_GNU(GOMP_critical_start);
    take(WaitKind::kOmpCritical, reinterpret_cast<const void*>(real), [&] {
        real();
        return 0;
    });
}

KYMO_GNU(void, GOMP_critical_name_start, "GOMP_1.0")(void** name) {
    const auto real = KYMO_REAL_GNU(GOMP_critical_name_start);
    take(WaitKind::kOmpCritical, name, [&] {
        real(name);
        return 0;
    });
}

KYMO_GNU(void, GOMP_atomic_start, "GOMP_1.0")() {
    const auto real = KYMO_REAL_GNU(GOMP_atomic_start);
    take(WaitKind::kOmpAtomic, reinterpret_cast<const void*>(real), [&] {
        real();
        return 0;
    });
}

KYMO_GNU(void, GOMP_ordered_start, "GOMP_1.0")() {
    const auto real = KYMO_REAL_GNU(GOMP_ordered_start);
    const auto* lock = reinterpret_cast<const void*>(construct_of(this_thread()));
    take(WaitKind::kOmpOrdered, lock, [&] {
        real();
        return 0;
    });
}

// ---- locks -----------------------------------------------------------------------------------------------------

namespace {

using SetLock = void (*)(void*);
using TestLock = int (*)(void*);

__attribute__((noinline)) void wait_for_lock(void* lock, SetLock set) {
    take(WaitKind::kOmpLock, lock, [&] {
        set(lock);
        return 0;
    });
}

__attribute__((always_inline)) inline int try_lock(void* lock, TestLock test) {
    const int taken = test(lock);
    if (taken != 0) {
        if (const ThreadState* thread = this_thread(); thread != nullptr) {
            note_owner(*thread, lock);
        }
    }
    return taken;
}

}  // namespace

#define KYMO_GNU_LOCK(SET, TEST)                        \
    KYMO_GNU(int, TEST, "OMP_3.0")(void* lock) {        \
        return try_lock(lock, KYMO_REAL_GNU(TEST));     \
    }                                                   \
    KYMO_GNU(void, SET, "OMP_3.0")(void* lock) {        \
        const auto set = KYMO_REAL_GNU(SET);            \
        if (try_lock(lock, KYMO_REAL_GNU(TEST)) == 0) { \
            wait_for_lock(lock, set);                   \
        }                                               \
    }

KYMO_GNU_LOCK(omp_set_lock, omp_test_lock)
KYMO_GNU_LOCK(omp_set_lock_, omp_test_lock_)
KYMO_GNU_LOCK(omp_set_nest_lock, omp_test_nest_lock)
KYMO_GNU_LOCK(omp_set_nest_lock_, omp_test_nest_lock_)
