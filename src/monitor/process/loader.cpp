// Images that go. What is loaded is noticed when a sample meets it (the unwinder asks about an address it does not
// know), so dlopen is left alone: interposing it would change where libraries are searched, because the C library
// goes by its caller. dlclose has no such trap.

#include "monitor/interpose/real.h"
#include "monitor/openmp/gnu.h"
#include "monitor/process/process.h"

namespace {
kymo::monitor::Real<int (*)(void*)> real_dlclose{"dlclose"};
}  // namespace

KYMO_INTERPOSE int dlclose(void* handle) {
    using kymo::monitor::process;
    const int result = real_dlclose.get()(handle);
    if (process.running() && process.is_this_process()) {
        process.forget_unloaded();
        const kymo::Quiet quiet;
        kymo::monitor::forget_gnu_callers();
    }
    return result;
}
