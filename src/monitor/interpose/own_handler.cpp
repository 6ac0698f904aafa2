#include "monitor/interpose/own_handler.h"

#include "monitor/interpose/raw_system_calls.h"
#include "monitor/native.h"
#include "monitor/process/log.h"
#include "monitor/process/process.h"

#include <cerrno>
#include <cstdint>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::monitor {

namespace {

using native::KernelAction;

std::uint64_t installed_handler = 0;

std::uint64_t handler_of(int signal) {
    KernelAction action;
    const int error = errno;
    // Bypasses syscall()'s own entry, which would answer for the program.
    kymo_next_syscall(SYS_rt_sigaction, signal, 0, reinterpret_cast<long>(&action), sizeof action.mask, 0, 0);
    errno = error;
    return action.handler;
}

}  // namespace

void remember_handler(int signal) {
    installed_handler = handler_of(signal);
}

void tell_if_handler_is_gone(int signal) {
    if (installed_handler == 0 || handler_of(signal) == installed_handler) {
        return;
    }
    recording::Unavailable row;
    row.what = "samples, from some time on";
    row.why = "the program has taken the sampling signal by a system call of its own";
    row.remedy = "kymo record --signal N chooses another signal (SIGPROF is 27)";
    process_log.write(row);
}

}  // namespace kymo::monitor

using namespace kymo::monitor;

// Calls for the sampling signal are answered as sigaction() would. The kernel checks whether the addresses are
// mapped: it is called for a signal that cannot be handled, and then for the existing action.
long kymo_sigaction_call(long number, long signal, long action, long before, long bytes, long fifth, long sixth) {
    const auto real = kymo_next_syscall;
    const bool is_ours = process.running() && process.is_this_process() &&
                         signal == static_cast<long>(process.session().signal) && bytes == sizeof(std::uint64_t);
    if (!is_ours) {
        return real(number, signal, action, before, bytes, fifth, sixth);
    }
    const int error = errno;
    if (action != 0 && real(number, SIGKILL, action, 0, bytes, 0, 0) != 0 && errno == EFAULT) {
        return -1;
    }
    errno = error;
    if (before != 0 && real(number, signal, 0, before, bytes, 0, 0) != 0) {
        return -1;
    }
    struct sigaction wanted{};
    struct sigaction had{};
    static_assert(sizeof wanted.sa_mask >= sizeof(std::uint64_t));
    if (action != 0) {
        const auto* given = reinterpret_cast<const KernelAction*>(action);
        wanted.sa_handler = reinterpret_cast<__sighandler_t>(given->handler);
        wanted.sa_flags = static_cast<int>(given->flags);
        wanted.sa_restorer = reinterpret_cast<void (*)()>(given->restorer);
        __builtin_memcpy(&wanted.sa_mask, &given->mask, sizeof given->mask);
    }
    if (sigaction(static_cast<int>(signal), action == 0 ? nullptr : &wanted, &had) != 0) {
        return -1;
    }
    if (before != 0) {
        auto* told = reinterpret_cast<KernelAction*>(before);
        told->handler = reinterpret_cast<std::uint64_t>(had.sa_handler);
        told->flags = static_cast<std::uint32_t>(had.sa_flags);
        told->restorer = reinterpret_cast<std::uint64_t>(had.sa_restorer);
        __builtin_memcpy(&told->mask, &had.sa_mask, sizeof told->mask);
    }
    return 0;
}
