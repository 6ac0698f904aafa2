// Parallel regions of libgomp. The function that the compiler made of the construct's body is replaced by one of
// ours, which calls it: so each thread's share of the region has a begin and an end.
//
// GOMP_parallel_reductions reads the first word of the data that it hands over; Region begins with a copy of it.

#include "monitor/openmp/gnu.h"

using namespace kymo::monitor;

namespace {

using Body = void (*)(void*);

void run_share(void* given) {
    Region& region = *static_cast<Region*>(given);
    ThreadState* thread = openmp_thread();
    if (thread != nullptr) {
        begin_share(*thread, region);
    }
    region.function(region.data);
    if (thread != nullptr && this_thread() == thread) {
        end_share(*thread, region);
    }
}

// call(body, data): the real function. `construct`: the return address of the wrapper.
template <typename Call>
__attribute__((always_inline)) inline auto in_region(Body body, void* data, const void* construct, bool reads_data,
                                                     const Call& call) {
    ThreadState* thread = openmp_thread();
    if (thread == nullptr) {
        return call(body, data);
    }
    Region region;
    region.first_word = reads_data ? *static_cast<void**>(data) : nullptr;
    region.function = body;
    region.data = data;
    kymo::unwind::capture_here(region.registers);
    open_region(*thread, region, reinterpret_cast<std::uint64_t>(construct));
    const auto result = call(run_share, &region);
    close_region(*thread, region);
    return result;
}

}  // namespace

// The wrapper's parameters in brackets, and its arguments behind body and data.
#define KYMO_GNU_REGION(NAME, VERSION, PARAMETERS, ...)                                             \
    KYMO_GNU(void, NAME, VERSION) PARAMETERS {                                                      \
        const auto real = KYMO_REAL_GNU(NAME);                                                      \
        in_region(body, data, __builtin_return_address(0), false, [&](Body function, void* given) { \
            real(function, given, __VA_ARGS__);                                                     \
            return 0;                                                                               \
        });                                                                                         \
    }

KYMO_GNU_REGION(GOMP_parallel, "GOMP_4.0", (Body body, void* data, unsigned threads, unsigned flags), threads, flags)
KYMO_GNU_REGION(GOMP_parallel_sections, "GOMP_4.0",
                (Body body, void* data, unsigned threads, unsigned count, unsigned flags), threads, count, flags)

#define KYMO_GNU_LOOP(NAME, VERSION)                                                                            \
    KYMO_GNU_REGION(                                                                                            \
        NAME, VERSION,                                                                                          \
        (Body body, void* data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags), \
        threads, begin, end, step, chunk, flags)
KYMO_GNU_LOOP(GOMP_parallel_loop_static, "GOMP_4.0")
KYMO_GNU_LOOP(GOMP_parallel_loop_dynamic, "GOMP_4.0")
KYMO_GNU_LOOP(GOMP_parallel_loop_guided, "GOMP_4.0")
KYMO_GNU_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic, "GOMP_4.5")
KYMO_GNU_LOOP(GOMP_parallel_loop_nonmonotonic_guided, "GOMP_4.5")

#define KYMO_GNU_RUNTIME_LOOP(NAME, VERSION)                                                                    \
    KYMO_GNU_REGION(NAME, VERSION,                                                                              \
                    (Body body, void* data, unsigned threads, long begin, long end, long step, unsigned flags), \
                    threads, begin, end, step, flags)
KYMO_GNU_RUNTIME_LOOP(GOMP_parallel_loop_runtime, "GOMP_4.0")
KYMO_GNU_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime, "GOMP_5.0")
KYMO_GNU_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime, "GOMP_5.0")

KYMO_GNU(unsigned, GOMP_parallel_reductions, "GOMP_5.0")(Body body, void* data, unsigned threads, unsigned flags) {
    const auto real = KYMO_REAL_GNU(GOMP_parallel_reductions);
    return in_region(body, data, __builtin_return_address(0), true,
                     [&](Body function, void* given) { return real(function, given, threads, flags); });
}
