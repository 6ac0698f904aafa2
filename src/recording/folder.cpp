#include "recording/folder.h"

#include "recording/format.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace kymo::recording {

namespace {

namespace fs = std::filesystem;

Error refused(const fs::path& path, int error) {
    const std::string name = path.string();
    std::error_code ignored;
    if (error == ENOTDIR && fs::exists(path, ignored)) {
        const bool part = path.extension() == kFileSuffix;
        return {ErrorKind::kMalformed, name + " is not a recording: recordings are directories",
                part ? "give the directory that holds it" : "give the directory that kymo record made"};
    }
    switch (error) {
        case ENOENT:
        case ENOTDIR:
            return {ErrorKind::kNotFound, "no recording " + name,
                    "check the name, or make one: kymo record -o " + name + " -- PROGRAM"};
        case EACCES:
        case EPERM:
            return {ErrorKind::kPermission, name + " may not be read by this user",
                    "only the user who made a recording can read it: run as that user, or get a copy"};
        default:
            return {ErrorKind::kNotFound, name + " cannot be read: " + std::strerror(error), "check the name"};
    }
}

struct CloseListing {
    void operator()(DIR* listing) const { closedir(listing); }
};

// Calls visit(name) for every entry but "." and "..", until it returns false. 0 or an errno.
template <typename Visit>
int list(int folder, const Visit& visit) {
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // with a position of its own
    if (again < 0) {
        return errno;
    }
    const std::unique_ptr<DIR, CloseListing> listing(fdopendir(again));
    if (listing == nullptr) {
        const int error = errno;
        close(again);
        return error;
    }
    errno = 0;
    while (const dirent* entry = readdir(listing.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != ".." && !visit(name)) {
            return 0;
        }
        errno = 0;
    }
    return errno;
}

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

Result<Folder> Folder::open_with(const fs::path& path, int flags) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (descriptor < 0) {
        return refused(path, errno);
    }
    return Folder(path, descriptor);
}

Result<Folder> Folder::open(const fs::path& path) {
    return open_with(path, 0);
}

Result<Folder> Folder::open_own(const fs::path& path) {
    Result<Folder> folder = open_with(path, O_NOFOLLOW);
    struct stat status{};
    if (!folder || fstat(folder->descriptor_, &status) != 0 || status.st_uid != geteuid()) {
        return Error{
            ErrorKind::kPermission, path.string() + " is not the directory that was made there",
            "other users can write to the directory above it: use -o with a directory inside one of your own"};
    }
    return folder;
}

Folder::Folder(Folder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Folder& Folder::operator=(Folder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Folder::~Folder() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::string Folder::reach(const std::string& name) const {
    return "/proc/self/fd/" + std::to_string(descriptor_) + "/" + name;
}

Result<std::vector<std::string>> Folder::names(const std::string& suffix) const {
    std::vector<std::string> found;
    const int error = list(descriptor_, [&](std::string_view name) {
        if (name.size() > suffix.size() && name.ends_with(suffix)) {
            found.emplace_back(name);
        }
        return true;
    });
    if (error != 0) {
        return refused(path_, error);
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool Folder::is_empty() const {
    bool empty = true;
    const int error = list(descriptor_, [&](std::string_view) { return empty = false; });
    return error == 0 && empty;
}

bool Folder::remove(const std::string& name) const {
    return unlinkat(descriptor_, name.c_str(), 0) == 0;
}

bool Folder::rename(const std::string& from, const std::string& to) const {
    return renameat(descriptor_, from.c_str(), descriptor_, to.c_str()) == 0;
}

std::optional<fs::path> Folder::where_now() const {
    struct stat here{};
    struct stat there{};
    std::error_code error;
    const fs::path now = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor_), error);
    // The kernel reports a removed folder's last name with " (deleted)" behind it, which may be a name too.
    if (error || fstat(descriptor_, &here) != 0 || lstat(now.c_str(), &there) != 0 || !is_same(here, there)) {
        return std::nullopt;
    }
    return now;
}

bool Folder::is_in_place() const {
    struct stat here{};
    struct stat there{};
    return fstat(descriptor_, &here) == 0 && lstat(path_.c_str(), &there) == 0 && is_same(here, there);
}

}  // namespace kymo::recording
