#include "image/record_locks.h"

#include "image/raw_file.h"

#include <string_view>
#include <sys/stat.h>

namespace kymo::image {

namespace {

constexpr std::uint64_t kMostBytes = 256 * 1024;  // of /proc/locks: some 4,000 locks of the whole machine

std::string_view next_word(std::string_view& line) {
    while (!line.empty() && line.front() == ' ') {
        line.remove_prefix(1);
    }
    std::string_view word = line;
    while (!line.empty() && line.front() != ' ') {
        line.remove_prefix(1);
    }
    word.remove_suffix(line.size());
    return word;
}

std::uint64_t number_of(std::string_view digits) {
    std::uint64_t number = 0;
    for (const char digit : digits) {
        number = number * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return number;
}

// "3: POSIX  ADVISORY  READ 4711 fe:01:262171 0 EOF". The device is left out: file systems in layers have two.
bool is_lock_on(std::string_view line, std::uint64_t process, std::uint64_t inode) {
    next_word(line);
    if (next_word(line) != "POSIX") {
        return false;
    }
    next_word(line);
    next_word(line);
    if (number_of(next_word(line)) != process) {
        return false;
    }
    std::string_view file = next_word(line);
    file.remove_prefix(file.rfind(':') + 1);
    return number_of(file) == inode;
}

bool is_listed(std::uint64_t process, std::uint64_t inode) {
    const RawFile locks("/proc/locks");
    std::uint8_t block[1024];
    char line[128];
    std::size_t used = 0;
    for (std::uint64_t offset = 0; locks.is_open() && offset < kMostBytes;) {
        const std::size_t got = locks.read_at(offset, block);
        for (std::size_t i = 0; i < got; ++i) {
            if (block[i] != '\n') {
                line[used] = static_cast<char>(block[i]);
                used += used + 1 < sizeof line ? 1 : 0;
                continue;
            }
            if (is_lock_on({line, used}, process, inode)) {
                return true;
            }
            used = 0;
        }
        if (got < sizeof block) {
            break;
        }
        offset += got;
    }
    return false;
}

}  // namespace

bool holds_record_lock(int folder, const char* path) {
    const int saved = errno;
    struct stat status{};
    const bool holds = syscall(SYS_newfstatat, folder, path, &status, 0) == 0 &&
                       is_listed(static_cast<std::uint64_t>(syscall(SYS_getpid)), status.st_ino);
    errno = saved;
    return holds;
}

}  // namespace kymo::image
