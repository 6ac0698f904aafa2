// Images that are unloaded. A loaded image is noticed when a sample meets it (the unwinder looks up an unknown
// address), so dlopen is not interposed: that would change where libraries are searched, because the C library
// depends on its caller. dlclose has no such problem.

#include "monitor/interpose/real.h"
#include "monitor/openmp/gnu.h"
#include "monitor/process/images.h"
#include "monitor/sampling/own_stack.h"
#include "monitor/threads/busy.h"
#include "monitor/threads/registry.h"

using namespace kymo::monitor;

namespace {

Real<int (*)(void*)> real_dlclose{"dlclose"};

void forget_unloaded() {
    const auto forget = [](std::uintptr_t stack) {
        const kymo::Quiet quiet;
        on_own_stack(stack, [] { images.remove_unloaded(); });
        forget_gnu_callers();
    };
    if (ThreadState* here = this_thread(); here != nullptr) {
        const OwnWork work(*here);
        forget(here->own_stack_top);
    } else {
        forget(0);
    }
}

}  // namespace

KYMO_INTERPOSE int dlclose(void* handle) {
    const int result = real_dlclose.get()(handle);
    if (process.running() && process.is_this_process()) {
        forget_unloaded();
    }
    return result;
}
