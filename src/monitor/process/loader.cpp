// Images that go. What is loaded is noticed when a sample meets it (the unwinder asks about an address it does not
// know), so dlopen is left alone: interposing it would change where libraries are searched, because the C library
// goes by its caller. dlclose has no such trap.

#include "monitor/interpose/real.h"
#include "monitor/openmp/gnu.h"
#include "monitor/process/images.h"
#include "monitor/sampling/own_stack.h"
#include "monitor/threads/registry.h"

using namespace kymo::monitor;

namespace {

Real<int (*)(void*)> real_dlclose{"dlclose"};

void forget_unloaded() {
    const kymo::Quiet quiet;
    ThreadState* here = this_thread();
    const std::uint64_t begin = clock_now();
    on_own_stack(here == nullptr ? 0 : here->own_stack_top, [] { images.remove_unloaded(); });
    if (here != nullptr) {
        here->own_work_begin = begin;
        here->own_work_end = clock_now();
    }
    forget_gnu_callers();
}

}  // namespace

KYMO_INTERPOSE int dlclose(void* handle) {
    const int result = real_dlclose.get()(handle);
    if (process.running() && process.is_this_process()) {
        forget_unloaded();
    }
    return result;
}
