// Images that go. What is loaded is noticed when a sample meets it (the unwinder asks about an address it does not
// know), so dlopen is left alone: interposing it would change where libraries are searched, because the C library
// goes by its caller. dlclose has no such trap.

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
