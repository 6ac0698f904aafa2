#include "cells/reader/folder.h"

#include "cells/layout.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::cells {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> bases() {
    std::vector<fs::path> all;
    if (const char* run = std::getenv("XDG_RUNTIME_DIR"); run != nullptr && *run == '/') {
        all.emplace_back(run);
    }
    all.emplace_back("/dev/shm");
    all.emplace_back("/tmp");
    return all;
}

fs::path of_user(const fs::path& base) {
    return base / ("kymo-" + std::to_string(getuid()));
}

// Whether the folder is accessible to this user only: where every user may write, another one may have made it
// first.
bool is_private(const fs::path& folder) {
    struct stat facts{};
    return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == getuid() &&
           (facts.st_mode & 077U) == 0;
}

bool launcher_lives(const fs::path& folder) {
    const std::string name = folder.filename();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    return error == std::errc{} && *end == '-' && pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> all;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        all.push_back(entry.path());
    }
    std::sort(all.begin(), all.end());
    return all;
}

void sweep(const fs::path& home) {
    for (const fs::path& folder : entries(home)) {
        if (!launcher_lives(folder)) {
            std::error_code ignored;
            fs::remove_all(folder, ignored);
        }
    }
}

// Nothing: not here (errno has the reason).
std::optional<fs::path> make_in(const fs::path& base) {
    constexpr int kMostOfOneLauncher = 1000;
    const fs::path home = of_user(base);
    if (mkdir(home.c_str(), 0700) != 0 && errno != EEXIST) {
        return std::nullopt;
    }
    if (!is_private(home)) {
        errno = EACCES;
        return std::nullopt;
    }
    sweep(home);
    for (int i = 0; i < kMostOfOneLauncher; ++i) {
        fs::path folder = home / (std::to_string(getpid()) + "-" + std::to_string(i));
        if (mkdir(folder.c_str(), 0700) == 0) {
            return folder;
        }
        if (errno == ENOENT) {  // another launcher has just removed the empty home
            mkdir(home.c_str(), 0700);
        } else if (errno != EEXIST) {
            break;
        }
    }
    return std::nullopt;
}

}  // namespace

Result<Folder> Folder::make() {
    int error = 0;
    for (const fs::path& base : bases()) {
        if (auto folder = make_in(base)) {
            return Folder(std::move(*folder));
        }
        error = errno;
    }
    return Error{
        error == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kPermission,
        std::string("no place for metric cells in XDG_RUNTIME_DIR, /dev/shm or /tmp: ") + std::strerror(error),
        "set XDG_RUNTIME_DIR to a directory in memory that you may write to"};
}

Folder::~Folder() {
    if (!path_.empty()) {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
        fs::remove(path_.parent_path(), ignored);  // only when empty
    }
}

std::vector<fs::path> find_folders() {
    std::vector<fs::path> found;
    for (const fs::path& base : bases()) {
        if (is_private(of_user(base))) {
            for (fs::path& folder : entries(of_user(base))) {
                if (launcher_lives(folder)) {
                    found.push_back(std::move(folder));
                }
            }
        }
    }
    return found;
}

std::vector<fs::path> segments_in(const fs::path& folder) {
    std::vector<fs::path> found = entries(folder);
    std::erase_if(found, [](const fs::path& path) { return path.extension() != kSegmentSuffix; });
    return found;
}

}  // namespace kymo::cells
