// The program's closing of descriptors is kept off the monitor's own. A program that closes everything it does not
// know (daemons, shells, job starters) gets what it would have got without the monitor.

#include "monitor/process.h"
#include "monitor/real.h"

#include <cerrno>
#include <linux/close_range.h>
#include <unistd.h>

using kymo::monitor::process;

namespace {
kymo::monitor::Real<int (*)(int)> real_close{"close"};
kymo::monitor::Real<int (*)(unsigned, unsigned, int)> real_close_range{"close_range"};

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
}  // namespace

KYMO_INTERPOSE int close(int descriptor) {
    if (process.descriptors().is_ours(descriptor) && guarded()) {
        errno = EBADF;
        return -1;
    }
    return real_close.get()(descriptor);
}

KYMO_INTERPOSE int close_range(unsigned first, unsigned last, int flags) noexcept {
    const auto real = real_close_range.get();
    // With CLOEXEC nothing is closed now, and ours are marked so anyway; an invalid range is the C library's to
    // refuse.
    if ((static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) != 0 || first > last || first > 0x7FFFFFFFU ||
        !guarded()) {
        return real(first, last, flags);
    }
    return around_ours(first, last, [&](unsigned from, unsigned to) { return real(from, to, flags); });
}

KYMO_INTERPOSE void closefrom(int first) noexcept {
    close_range(first < 0 ? 0U : static_cast<unsigned>(first), ~0U, 0);
}
