// Protects the monitor's descriptors from the program's closing of descriptors. A program that closes all unknown
// descriptors (daemons, shells, job starters) gets the same results as without the monitor.

#include "monitor/channels/changes.h"
#include "monitor/channels/end.h"
#include "monitor/interpose/raw_system_calls.h"
#include "monitor/interpose/real.h"
#include "monitor/process/process.h"

#include <cerrno>
#include <linux/close_range.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

using kymo::monitor::descriptor_changes;
using kymo::monitor::process;

namespace {
kymo::monitor::Real<int (*)(int)> real_close{"close"};
kymo::monitor::Real<int (*)(unsigned, unsigned, int)> real_close_range{"close_range"};
kymo::monitor::Real<int (*)(FILE*)> real_fclose{"fclose"};
kymo::monitor::Real<int (*)(int, int)> real_dup2{"dup2"};
kymo::monitor::Real<int (*)(int, int, int)> real_dup3{"dup3"};
kymo::monitor::Real<int (*)(int, int, int, int*)> real_socketpair{"socketpair"};

// All are looked up when the library is loaded: they are async-signal-safe, but the lookup is not.
__attribute__((constructor)) void look_up() {
    real_close.get();
    real_close_range.get();
    real_fclose.get();
    real_dup2.get();
    real_dup3.get();
    real_socketpair.get();
}

bool guarded() {
    return process.running() && process.is_this_process();
}

// Calls act(first, last) for every stretch of [first, last] that holds no descriptor of ours; stops at the first
// failure.
template <typename Act>
int around_ours(unsigned first, unsigned last, const Act& act) {
    while (first <= last) {
        const int ours = process.descriptors().next_ours(static_cast<int>(first));
        if (ours < 0 || static_cast<unsigned>(ours) > last) {
            return act(first, last);
        }
        const auto stop = static_cast<unsigned>(ours);
        if (stop > first) {
            const int result = act(first, stop - 1);
            if (result != 0) {
                return result;
            }
        }
        first = stop + 1;
    }
    return 0;
}

// Whether a close of this one fails as it would without the monitor.
bool is_hidden(int descriptor) {
    return process.descriptors().is_ours(descriptor) && guarded();
}

// Whether some of these must not be closed now. With CLOEXEC none is closed, and ours are marked so anyway; the
// kernel refuses an invalid range.
bool may_hold_ours(unsigned first, unsigned last, unsigned flags) {
    return (flags & CLOSE_RANGE_CLOEXEC) == 0 && first <= last && first <= 0x7FFFFFFFU && guarded();
}
}  // namespace

KYMO_INTERPOSE int close(int descriptor) {
    if (is_hidden(descriptor)) {
        errno = EBADF;
        return -1;
    }
    const int result = real_close.get()(descriptor);
    descriptor_changes.note(descriptor);
    return result;
}

// Calls that close a descriptor without calling the function above (pclose: waits/system_calls.cpp), or reassign one.
KYMO_INTERPOSE int fclose(FILE* file) {
    const int descriptor = fileno(file);
    const int result = real_fclose.get()(file);
    descriptor_changes.note(descriptor);
    return result;
}

KYMO_INTERPOSE int dup2(int from, int to) noexcept {
    const int result = real_dup2.get()(from, to);
    descriptor_changes.note(to);
    return result;
}

KYMO_INTERPOSE int dup3(int from, int to, int flags) noexcept {
    const int result = real_dup3.get()(from, to, flags);
    descriptor_changes.note(to);
    return result;
}

// Each end of a pair is identified by the other one.
KYMO_INTERPOSE int socketpair(int family, int type, int protocol, int* pair) noexcept {
    const int result = real_socketpair.get()(family, type, protocol, pair);
    if (result == 0 && family == AF_UNIX && guarded()) {
        const int error = errno;
        kymo::monitor::note_pair(pair[0], pair[1]);
        errno = error;
    }
    return result;
}

KYMO_INTERPOSE int close_range(unsigned first, unsigned last, int flags) noexcept {
    const auto real = real_close_range.get();
    if (!may_hold_ours(first, last, static_cast<unsigned>(flags))) {
        const int result = real(first, last, flags);
        descriptor_changes.note_all();
        return result;
    }
    const int result = around_ours(first, last, [&](unsigned from, unsigned to) { return real(from, to, flags); });
    descriptor_changes.note_all();
    return result;
}

KYMO_INTERPOSE void closefrom(int first) noexcept {
    close_range(first < 0 ? 0U : static_cast<unsigned>(first), ~0U, 0);
}

long kymo_close_call(long number, long descriptor, long second, long third, long fourth, long fifth, long sixth) {
    if (is_hidden(static_cast<int>(descriptor))) {
        errno = EBADF;
        return -1;
    }
    const long result = kymo_next_syscall(number, descriptor, second, third, fourth, fifth, sixth);
    descriptor_changes.note(static_cast<int>(descriptor));
    return result;
}

long kymo_close_range_call(long number, long first, long last, long flags, long fourth, long fifth, long sixth) {
    const auto real = [&](unsigned from, unsigned to) {
        return static_cast<int>(kymo_next_syscall(number, from, to, flags, fourth, fifth, sixth));
    };
    const auto from = static_cast<unsigned>(first);
    const auto to = static_cast<unsigned>(last);
    const long result =
        may_hold_ours(from, to, static_cast<unsigned>(flags)) ? around_ours(from, to, real) : real(from, to);
    descriptor_changes.note_all();
    return result;
}
