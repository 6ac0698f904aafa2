// The GNU OpenMP run time (libgomp), whose barriers and locks are futex calls of its own: its entry points are
// wrapped.
//
// The wrappers are symbols of libgomp's own versions and hidden (GOMP_barrier@GOMP_1.0, openmp.map): only code
// that was linked with libgomp finds them. A program without it sees no change, even if it looks up such a name (a
// weak reference, dlsym).
//
// The real function is the one that the caller would have got: the next in the global scope, otherwise (libgomp
// came with a plug-in; several of its kind may be loaded) the one in the scope of the caller's own image. All
// functions of a run time are looked up at once, for linked ones before main, so that a wrapper usually costs one
// comparison. The look-up itself takes the loader's lock.
#pragma once

#include "monitor/openmp/team.h"
#include "monitor/waits/waits.h"

#include <cstddef>
#include <cstdint>

namespace kymo::monitor {

// clang-format off
#define KYMO_GNU_OPENMP(X)                                          \
    X(GOMP_parallel, "GOMP_4.0")                                    \
    X(GOMP_parallel_reductions, "GOMP_5.0")                         \
    X(GOMP_parallel_sections, "GOMP_4.0")                           \
    X(GOMP_parallel_loop_static, "GOMP_4.0")                        \
    X(GOMP_parallel_loop_dynamic, "GOMP_4.0")                       \
    X(GOMP_parallel_loop_guided, "GOMP_4.0")                        \
    X(GOMP_parallel_loop_runtime, "GOMP_4.0")                       \
    X(GOMP_parallel_loop_nonmonotonic_dynamic, "GOMP_4.5")          \
    X(GOMP_parallel_loop_nonmonotonic_guided, "GOMP_4.5")           \
    X(GOMP_parallel_loop_nonmonotonic_runtime, "GOMP_5.0")          \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, "GOMP_5.0")    \
    X(GOMP_task, "GOMP_2.0")                                        \
    X(GOMP_taskloop, "GOMP_4.5")                                    \
    X(GOMP_taskloop_ull, "GOMP_4.5")                                \
    X(GOMP_barrier, "GOMP_1.0")                                     \
    X(GOMP_barrier_cancel, "GOMP_4.0")                              \
    X(GOMP_loop_end, "GOMP_1.0")                                    \
    X(GOMP_loop_end_cancel, "GOMP_4.0")                             \
    X(GOMP_sections_end, "GOMP_1.0")                                \
    X(GOMP_sections_end_cancel, "GOMP_4.0")                         \
    X(GOMP_single_copy_start, "GOMP_1.0")                           \
    X(GOMP_single_copy_end, "GOMP_1.0")                             \
    X(GOMP_workshare_task_reduction_unregister, "GOMP_5.0")         \
    X(GOMP_taskwait, "GOMP_2.0")                                    \
    X(GOMP_taskwait_depend, "GOMP_5.0")                             \
    X(GOMP_taskgroup_end, "GOMP_4.0")                               \
    X(GOMP_critical_start, "GOMP_1.0")                              \
    X(GOMP_critical_name_start, "GOMP_1.0")                         \
    X(GOMP_atomic_start, "GOMP_1.0")                                \
    X(GOMP_ordered_start, "GOMP_1.0")                               \
    X(omp_set_lock, "OMP_3.0")                                      \
    X(omp_set_lock_, "OMP_3.0")                                     \
    X(omp_test_lock, "OMP_3.0")                                     \
    X(omp_test_lock_, "OMP_3.0")                                    \
    X(omp_set_nest_lock, "OMP_3.0")                                 \
    X(omp_set_nest_lock_, "OMP_3.0")                                \
    X(omp_test_nest_lock, "OMP_3.0")                                \
    X(omp_test_nest_lock_, "OMP_3.0")
// clang-format on

enum class GnuFunction : std::uint32_t {
#define KYMO_GNU_NAME(NAME, VERSION) k##NAME,
    KYMO_GNU_OPENMP(KYMO_GNU_NAME)
#undef KYMO_GNU_NAME
        kCount
};
inline constexpr std::size_t kGnuFunctions = static_cast<std::size_t>(GnuFunction::kCount);

struct GnuRunTime {
    void* functions[kGnuFunctions] = {};
};

// The run time that is linked with the program, found before main; functions of nullptr: none.
extern GnuRunTime linked_gnu;

class GnuOpenMp : public Part {
  public:
    // From now on, frames of the linked run time are known (sampling/path.h).
    static bool begin();
    // The holder of a lock may not exist there.
    static void after_fork(ThreadState* own);
};

extern GnuOpenMp gnu_openmp;

// For a caller in an image that has its own.
void* find_gnu(GnuFunction function, const void* caller);

template <GnuFunction kFunction, typename Function>
__attribute__((always_inline)) inline Function real_gnu(const void* caller) {
    void* linked = linked_gnu.functions[static_cast<std::size_t>(kFunction)];
    return reinterpret_cast<Function>(__builtin_expect(linked != nullptr, 1) ? linked : find_gnu(kFunction, caller));
}

// The run time reports its events by its tool interface: LLVM's, in place of libgomp.
bool told_by_tool_interface();

// The calling thread, if wrappers record its part in OpenMP; otherwise nullptr.
inline ThreadState* openmp_thread() {
    ThreadState* thread = waiting_thread();
    return thread != nullptr && !told_by_tool_interface() ? thread : nullptr;
}

// Forgets which image calls which run time; after dlclose.
void forget_gnu_callers();

}  // namespace kymo::monitor

// A wrapper of the libgomp function NAME, which is only seen by that name and version.
#define KYMO_GNU(RESULT, NAME, VERSION) \
    extern "C" __attribute__((visibility("default"), symver(#NAME "@" VERSION))) RESULT kymo_##NAME
// The real one, inside the wrapper.
#define KYMO_REAL_GNU(NAME) real_gnu<GnuFunction::k##NAME, decltype(&kymo_##NAME)>(__builtin_return_address(0))
