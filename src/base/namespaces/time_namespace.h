// Processes in a time namespace of their own, as containers may be (time_namespaces(7)), read a shifted
// CLOCK_MONOTONIC. The kernel's records and other processes' rows are not shifted: this code finds the shift and
// subtracts it.
#pragma once

#include "base/namespaces/proc_link.h"
#include "base/time.h"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo {

// The shift by /proc/PID/timens_offsets, ns; nothing if the text is malformed. The file has a line per clock: its
// name (up to Linux 5.6 its number), seconds, nanoseconds.
inline std::optional<std::int64_t> monotonic_shift_of(std::string_view text) {
    constexpr std::int64_t kMost = 4'000'000'000;  // seconds; the kernel allows 146 years
    for (const std::string_view name : {std::string_view("monotonic"), std::string_view("1 ")}) {
        if (!text.starts_with(name)) {
            continue;
        }
        text.remove_prefix(name.size());
        std::int64_t values[2] = {};
        for (std::int64_t& value : values) {
            while (text.starts_with(' ')) {
                text.remove_prefix(1);
            }
            const bool is_negative = text.starts_with('-');
            text.remove_prefix(is_negative ? 1 : 0);
            bool has_digits = false;
            while (!text.empty() && text[0] >= '0' && text[0] <= '9' && value < kMost) {
                value = value * 10 + (text[0] - '0');
                text.remove_prefix(1);
                has_digits = true;
            }
            if (!has_digits || value >= kMost) {
                return std::nullopt;
            }
            value = is_negative ? -value : value;
        }
        return values[0] * 1'000'000'000 + values[1];
    }
    return std::nullopt;
}

// At the start, and in a forked child: makes monotonic_now() the first time namespace's. Bare system calls: one if
// that is the process's own, or a parent's that was examined already; otherwise five. Usable under Quiet; errno is
// kept. Without /proc, and before Linux 5.6, nothing changes.
inline void find_time_namespace() {
    constexpr std::uint64_t kFirst = 4'026'531'834;  // the kernel's TIME_NS_INIT_INO
    static std::uint64_t known = kFirst;
    const std::uint64_t own = number_behind_link("/proc/self/ns/time", "[");
    if (own == 0 || own == known) {
        return;
    }
    known = own;
    if (own == kFirst) {
        monotonic_shift = 0;
        return;
    }
    // The offsets are those of its child processes. If these get another namespace than its own, its own is the
    // one that it was started in.
    if (number_behind_link("/proc/self/ns/time_for_children", "[") != own) {
        return;
    }
    const int saved = errno;
    const long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0) {
        char text[256];
        const long size = syscall(SYS_pread64, file, text, sizeof text, 0L);
        syscall(SYS_close, file);
        if (const auto shift = monotonic_shift_of({text, static_cast<std::size_t>(size > 0 ? size : 0)})) {
            monotonic_shift = *shift;
        }
    }
    errno = saved;
}

}  // namespace kymo
