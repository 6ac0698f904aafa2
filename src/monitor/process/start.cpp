// Program start: the C library's entry point, which the program's start code calls with main.

#include "monitor/interpose/real.h"
#include "monitor/process/children.h"
#include "monitor/process/life.h"

namespace {

using Main = int (*)(int, char**, char**);
using LibcStart = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

kymo::monitor::Real<LibcStart> real_start{"__libc_start_main"};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the C library's name
KYMO_INTERPOSE int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                     void (*loader_fini)(), void* stack_end) {
    kymo::monitor::start(argc, argv, reinterpret_cast<std::uint64_t>(stack_end));
    kymo::monitor::remember_for_children();
    return real_start.get()(main, argc, argv, init, fini, loader_fini, stack_end);
}
