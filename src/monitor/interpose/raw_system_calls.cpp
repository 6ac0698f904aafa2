#include "monitor/interpose/raw_system_calls.h"

#include <cerrno>
#include <dlfcn.h>

// The entry and kymo_plain_syscall are the processor's (x86_64/system_call_entry.cpp); the latter serves until the
// library's constructor has looked the next one up. NOLINTBEGIN(readability-identifier-naming)
extern "C" {
__attribute__((visibility("hidden"))) long kymo_plain_syscall(long, long, long, long, long, long, long);
__attribute__((visibility("hidden"), used)) SystemCall kymo_next_syscall = kymo_plain_syscall;
__attribute__((visibility("hidden"), used)) long kymo_syscall_failed(int error) {
    errno = error;
    return -1;
}
}
// NOLINTEND(readability-identifier-naming)

namespace {

__attribute__((constructor)) void look_up_syscall() {
    if (void* next = dlsym(RTLD_NEXT, "syscall"); next != nullptr) {
        kymo_next_syscall = reinterpret_cast<SystemCall>(next);
    }
}

}  // namespace
