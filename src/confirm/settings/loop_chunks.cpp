// Replaces the functions of GNU's OpenMP library by which compiled loops with schedule(dynamic) and schedule(guided)
// begin, and calls them for other pieces than the program asks for: KYMO_LOOP_CHUNKS=larger or smaller.
//
// What they are: GCC, libgomp/libgomp_g.h. Loops with schedule(static) have no such call: their shares are compiled
// in.
#include "confirm/settings/loop_chunks.h"

#include "confirm/settings/next.h"

#include <cstdlib>
#include <cstring>

namespace kymo::settings {
namespace {

constexpr const char* kLibrary = "libgomp.so.1";

Chunks wanted() {
    static const Chunks kWanted = [] {
        const char* const set = std::getenv("KYMO_LOOP_CHUNKS");
        return set == nullptr                     ? Chunks::kAsTheyAre
               : std::strcmp(set, "larger") == 0  ? Chunks::kLarger
               : std::strcmp(set, "smaller") == 0 ? Chunks::kSmaller
                                                  : Chunks::kAsTheyAre;
    }();
    return kWanted;
}

std::uint64_t ask(const char* name) {
    const auto function = next<int (*)()>(name, kLibrary);
    return function != nullptr ? static_cast<std::uint64_t>(function()) : 1;
}

// `threads`: 0: as many as there are by default.
std::uint64_t made_chunk(std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t chunk,
                         std::uint64_t threads) {
    return chunk_of(wanted(), rounds_of(begin, end, step), threads != 0 ? threads : ask("omp_get_max_threads"),
                    chunk > 0 ? static_cast<std::uint64_t>(chunk) : 0);
}

}  // namespace
}  // namespace kymo::settings

using kymo::settings::ask;
using kymo::settings::made_chunk;

extern "C" {

using Body = void (*)(void*);
using Large = unsigned long long;

#define KYMO_LOOP_START(name)                                                                                       \
    __attribute__((visibility("default"))) bool name(long begin, long end, long step, long chunk, long* from,       \
                                                     long* to) {                                                    \
        static const auto kNext = kymo::settings::next<decltype(&name)>(#name, kymo::settings::kLibrary);           \
        return kNext(begin, end, step,                                                                              \
                     static_cast<long>(made_chunk(begin, end, step, chunk, ask("omp_get_num_threads"))), from, to); \
    }

// Unsigned: `up` says which way it counts. Those of 2^63 rounds and more keep their chunks.
#define KYMO_LARGE_LOOP_START(name)                                                                                 \
    __attribute__((visibility("default"))) bool name(bool up, Large begin, Large end, Large step, Large chunk,      \
                                                     Large* from, Large* to) {                                      \
        static const auto kNext = kymo::settings::next<decltype(&name)>(#name, kymo::settings::kLibrary);           \
        const auto way = static_cast<std::int64_t>(up ? end - begin : begin - end);                                 \
        const auto stride = static_cast<std::int64_t>(up ? step : 0 - step);                                        \
        const bool is_known = way > 0 && stride > 0 && static_cast<std::int64_t>(chunk) > 0;                        \
        return kNext(up, begin, end, step,                                                                          \
                     is_known                                                                                       \
                         ? made_chunk(0, way, stride, static_cast<std::int64_t>(chunk), ask("omp_get_num_threads")) \
                         : chunk,                                                                                   \
                     from, to);                                                                                     \
    }

#define KYMO_PARALLEL_LOOP(name)                                                                                    \
    __attribute__((visibility("default"))) void name(Body body, void* data, unsigned threads, long begin, long end, \
                                                     long step, long chunk, unsigned flags) {                       \
        static const auto kNext = kymo::settings::next<decltype(&name)>(#name, kymo::settings::kLibrary);           \
        kNext(body, data, threads, begin, end, step,                                                                \
              static_cast<long>(made_chunk(begin, end, step, chunk, threads)), flags);                              \
    }

KYMO_LOOP_START(GOMP_loop_dynamic_start)
KYMO_LOOP_START(GOMP_loop_guided_start)
KYMO_LOOP_START(GOMP_loop_nonmonotonic_dynamic_start)
KYMO_LOOP_START(GOMP_loop_nonmonotonic_guided_start)
KYMO_LARGE_LOOP_START(GOMP_loop_ull_dynamic_start)
KYMO_LARGE_LOOP_START(GOMP_loop_ull_guided_start)
KYMO_LARGE_LOOP_START(GOMP_loop_ull_nonmonotonic_dynamic_start)
KYMO_LARGE_LOOP_START(GOMP_loop_ull_nonmonotonic_guided_start)
KYMO_PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
KYMO_PARALLEL_LOOP(GOMP_parallel_loop_guided)
KYMO_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
KYMO_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

}  // extern "C"
