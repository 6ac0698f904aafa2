// The program's listing of its own descriptors (/proc/self/fd) leaves out the monitor's.
//
// A program that closes what it finds there, round after round until nothing is left, would go on for ever: close()
// lets ours be. Only readdir(), as everybody lists folders; a raw getdents64 sees them. A folder is asked about only
// when a name in it is a number of ours. Called by the program's threads in plain context; errno is kept.
#include "monitor/interpose/real.h"
#include "monitor/process/log.h"
#include "monitor/text.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
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

// Is it this process's /proc/PID/fd, or the same of one of its threads (or fdinfo, which lists the same numbers)?
bool lists_own_descriptors(DIR* folder) {
    char link[64];
    char told[64];
    char own[32];
    Text(link, sizeof link) << "/proc/self/fd/" << static_cast<unsigned long>(dirfd(folder));
    Text begin(own, sizeof own);
    begin << "/proc/" << static_cast<unsigned long>(syscall(SYS_getpid)) << "/";
    const std::size_t begins = begin.view().size();
    const long read = syscall(SYS_readlink, link, told, sizeof told);
    const auto length = static_cast<std::size_t>(read < 0 ? 0 : read);
    const auto ends_with = [&](std::string_view last) {
        return length > last.size() && std::memcmp(told + length - last.size(), last.data(), last.size()) == 0;
    };
    return length > begins && std::memcmp(told, own, begins) == 0 && (ends_with("/fd") || ends_with("/fdinfo"));
}

bool is_ours(DIR* folder, const char* name) {
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
}  // namespace

KYMO_INTERPOSE dirent* readdir(DIR* folder) {
    dirent* entry = real_readdir.get()(folder);
    while (entry != nullptr && is_ours(folder, entry->d_name)) {
        entry = real_readdir.get()(folder);
    }
    return entry;
}

KYMO_INTERPOSE dirent64* readdir64(DIR* folder) {
    dirent64* entry = real_readdir64.get()(folder);
    while (entry != nullptr && is_ours(folder, entry->d_name)) {
        entry = real_readdir64.get()(folder);
    }
    return entry;
}
