#include "monitor/openmp/gnu.h"

#include "image/linked_object.h"
#include "monitor/sampling/path.h"

#include <dlfcn.h>
#include <link.h>

namespace kymo::monitor {

constinit GnuRunTime linked_gnu;
constinit GnuOpenMp gnu_openmp;

namespace {

Real<int (*)(void*)> real_dlclose{"dlclose"};

struct Name {
    const char* name;
    const char* version;
};
constexpr Name kNames[] = {
#define KYMO_GNU_NAME(NAME, VERSION) {#NAME, VERSION},
    KYMO_GNU_OPENMP(KYMO_GNU_NAME)
#undef KYMO_GNU_NAME
};
static_assert(sizeof kNames / sizeof *kNames == kGnuFunctions);

void fill(GnuRunTime& run_time, void* scope) {
    for (std::size_t i = 0; i < kGnuFunctions; ++i) {
        run_time.functions[i] = dlvsym(scope, kNames[i].name, kNames[i].version);
    }
}

void note(const GnuRunTime& run_time) {
    for (const void* function : run_time.functions) {
        if (function != nullptr) {
            note_openmp_runtime(reinterpret_cast<std::uint64_t>(function));
            return;
        }
    }
}

bool has_openmp(void* scope) {
    return dlvsym(scope, "GOMP_barrier", "GOMP_1.0") != nullptr ||
           dlvsym(scope, "omp_set_lock", "OMP_3.0") != nullptr;
}

__attribute__((constructor)) void find_linked() {
    if (has_openmp(RTLD_NEXT)) {
        fill(linked_gnu, RTLD_NEXT);
    }
}

// Images that call a libgomp of their own. Entries are only added, and read without the lock: `end` is written last.
struct Caller {
    std::uint64_t begin = 0;
    std::atomic<std::uint64_t> end{0};
    const GnuRunTime* run_time = nullptr;
};
constexpr std::size_t kCallers = 256;
constexpr std::size_t kRunTimes = 32;
constinit Caller callers[kCallers];
constinit std::atomic<std::size_t> caller_count{0};
constinit GnuRunTime run_times[kRunTimes];
constinit std::size_t run_time_count = 0;
constinit Lock callers_lock;

const GnuRunTime* find(std::uint64_t address) {
    const std::size_t count = caller_count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t end = callers[i].end.load(std::memory_order_acquire);
        if (address >= callers[i].begin && address < end) {
            return callers[i].run_time;
        }
    }
    return nullptr;
}

// The run time in the scope of the image around an address.
void fill_for(GnuRunTime& run_time, const void* address) {
    if (has_openmp(RTLD_NEXT)) {
        fill(run_time, RTLD_NEXT);  // loaded globally since
        return;
    }
    Dl_info info;
    link_map* map = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr) {
        return;
    }
    if (void* image = dlopen(map->l_name, RTLD_NOLOAD | RTLD_LAZY); image != nullptr) {
        fill(run_time, image);
        real_dlclose.get()(image);
    }
}

// Without room, the next call looks it up again.
void remember(const GnuRunTime& found, std::uint64_t begin, std::uint64_t end) {
    const Quiet quiet;
    if (process.running()) {
        note(found);
    }
    const Locked locked(callers_lock);
    std::size_t same = 0;
    while (same < run_time_count && __builtin_memcmp(&run_times[same], &found, sizeof found) != 0) {
        ++same;
    }
    const std::size_t at = caller_count.load(std::memory_order_relaxed);
    if (same == kRunTimes || at == kCallers) {
        return;
    }
    if (same == run_time_count) {
        run_times[run_time_count++] = found;
    }
    callers[at].begin = begin;
    callers[at].run_time = &run_times[same];
    callers[at].end.store(end, std::memory_order_release);
    caller_count.store(at + 1, std::memory_order_release);
}

}  // namespace

bool GnuOpenMp::begin() {
    note(linked_gnu);
    return true;
}

void* find_gnu(GnuFunction function, const void* caller) {
    const auto index = static_cast<std::size_t>(function);
    if (const GnuRunTime* known = find(reinterpret_cast<std::uint64_t>(caller)); known != nullptr) {
        return known->functions[index];
    }
    GnuRunTime found;
    fill_for(found, caller);
    if (image::LinkedObject image; image::find_linked_object(reinterpret_cast<std::uint64_t>(caller), &image)) {
        remember(found, image.begin, image.end);
    }
    return found.functions[index];
}

void GnuOpenMp::after_fork(ThreadState* /*own*/) {
    callers_lock.reset();
}

void forget_gnu_callers() {
    const Locked locked(callers_lock);
    const std::size_t count = caller_count.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < count; ++i) {
        callers[i].end.store(0, std::memory_order_release);
    }
    caller_count.store(0, std::memory_order_release);
}

}  // namespace kymo::monitor
