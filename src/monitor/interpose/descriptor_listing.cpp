// Hides the monitor's descriptors in the program's listing of its own descriptors (/proc/self/fd).
//
// A program that closes what it finds there, round after round until nothing is left, would never end, because
// close() spares ours. Covered are readdir() and getdents64, by the C library's function or by syscall(); listings
// by the C library itself (scandir, glob, nftw) show them. A folder is only examined when a name in it is a number
// of ours. Called by the program's threads in plain context; errno is kept.
#include "monitor/interpose/raw_system_calls.h"
#include "monitor/interpose/real.h"
#include "monitor/process/log.h"
#include "monitor/text.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

using kymo::monitor::process;
using kymo::monitor::process_log;
using kymo::monitor::Text;

namespace {
kymo::monitor::Real<dirent* (*)(DIR*)> real_readdir{"readdir"};
kymo::monitor::Real<dirent64* (*)(DIR*)> real_readdir64{"readdir64"};

constexpr int kMostDigits = 9;

// −1: no number.
int number_in(const char* text) {
    int number = 0;
    int digits = 0;
    for (; text[digits] >= '0' && text[digits] <= '9' && digits < kMostDigits; ++digits) {
        number = number * 10 + (text[digits] - '0');
    }
    return digits > 0 && text[digits] == '\0' ? number : -1;
}

// Whether it is this process's /proc/PID/fd, or the same of one of its threads (or fdinfo, which lists the same
// numbers).
bool lists_own_descriptors(int folder) {
    char link[64];
    char told[64];
    char own[32];
    Text(link, sizeof link) << "/proc/self/fd/" << static_cast<unsigned long>(folder);
    Text begin(own, sizeof own);
    begin << "/proc/" << static_cast<unsigned long>(syscall(SYS_getpid)) << "/";
    const std::size_t begins = begin.view().size();
    const long read = syscall(SYS_readlinkat, AT_FDCWD, link, told, sizeof told);
    const auto length = static_cast<std::size_t>(read < 0 ? 0 : read);
    const auto ends_with = [&](std::string_view last) {
        return length > last.size() && std::memcmp(told + length - last.size(), last.data(), last.size()) == 0;
    };
    return length > begins && std::memcmp(told, own, begins) == 0 && (ends_with("/fd") || ends_with("/fdinfo"));
}

bool is_ours(int folder, const char* name) {
    const int number = number_in(name);
    if (number < 0 || !(process.descriptors().is_ours(number) || process_log.is_its_descriptor(number)) ||
        !process.running() || !process.is_this_process()) {
        return false;
    }
    const int kept = errno;
    const bool found = lists_own_descriptors(folder);
    errno = kept;
    return found;
}

// Removes our entries from the kernel's list; returns the remaining bytes. Reads on while there are none: 0 would
// mean the folder's end.
long without_ours(int folder, char* entries, long bytes) {
    long kept = 0;
    for (long at = 0; at < bytes;) {
        const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
        const long length = entry->d_reclen;
        if (!is_ours(folder, entry->d_name)) {
            std::memmove(entries + kept, entry, static_cast<std::size_t>(length));
            kept += length;
        }
        at += length;
    }
    return kept;
}

template <typename List>
long list_without_ours(int folder, void* entries, const List& list) {
    for (;;) {
        const long bytes = list();
        if (bytes <= 0 || !process.running() || !process.is_this_process()) {
            return bytes;
        }
        if (const long kept = without_ours(folder, static_cast<char*>(entries), bytes); kept != 0) {
            return kept;
        }
    }
}

kymo::monitor::Real<ssize_t (*)(int, void*, std::size_t)> real_getdents64{"getdents64"};
}  // namespace

KYMO_INTERPOSE dirent* readdir(DIR* folder) {
    dirent* entry = real_readdir.get()(folder);
    while (entry != nullptr && is_ours(dirfd(folder), entry->d_name)) {
        entry = real_readdir.get()(folder);
    }
    return entry;
}

KYMO_INTERPOSE dirent64* readdir64(DIR* folder) {
    dirent64* entry = real_readdir64.get()(folder);
    while (entry != nullptr && is_ours(dirfd(folder), entry->d_name)) {
        entry = real_readdir64.get()(folder);
    }
    return entry;
}

KYMO_INTERPOSE ssize_t getdents64(int folder, void* entries, std::size_t room) noexcept {
    return list_without_ours(folder, entries, [=] { return real_getdents64.get()(folder, entries, room); });
}

long kymo_listing_call(long number, long folder, long entries, long room, long fourth, long fifth, long sixth) {
    return list_without_ours(static_cast<int>(folder), reinterpret_cast<void*>(entries),
                             [=] { return kymo_next_syscall(number, folder, entries, room, fourth, fifth, sixth); });
}
