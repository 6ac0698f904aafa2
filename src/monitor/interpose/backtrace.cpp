// backtrace(3) for a program with hooks: the result that it would have without them. The C library's passes
// through the hooks' stubs by their call-frame information, but includes them, and gives the callers' addresses as
// those of a signal's frames: one less.

#include "monitor/interpose/real.h"
#include "monitor/metrics/program_hooks.h"

#include <cstddef>
#include <cstdint>

namespace {

kymo::monitor::Real<int (*)(void**, int)> real_backtrace{"backtrace"};

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;  // NOLINT: the linker's
extern "C" __attribute__((visibility("hidden"))) const char etext;         // NOLINT

bool is_own(const void* address) {
    return address >= &__ehdr_start && address < &etext;
}

}  // namespace

KYMO_INTERPOSE int backtrace(void** buffer, int size) {
    if (size <= 0) {
        return 0;
    }
    // Between two frames of the program there is one stub at most, and one frame is this function's.
    const int room = 2 * size + 2;
    auto** all = static_cast<void**>(__builtin_alloca(static_cast<std::size_t>(room) * sizeof(void*)));
    const int got = real_backtrace.get()(all, room);
    int kept = 0;
    bool behind_stub = false;
    for (int i = 0; i < got && kept < size; ++i) {
        std::uint64_t caller = 0;
        if (i == 0 && is_own(all[i])) {
            continue;
        }
        if (kymo::monitor::ProgramHooks::is_hooked_return(reinterpret_cast<std::uint64_t>(all[i]), &caller)) {
            behind_stub = true;
            continue;
        }
        buffer[kept++] = static_cast<char*>(all[i]) + (behind_stub ? 1 : 0);
        behind_stub = false;
    }
    return kept;
}
