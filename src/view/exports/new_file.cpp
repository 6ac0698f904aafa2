#include "view/exports/new_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace kymo::view {
namespace {

Error cannot_make(const std::string& name) {
    return errno == EEXIST
               ? Error{ErrorKind::kOutputExists, name + " exists already", "name another file with -o, or remove it"}
               : Error{ErrorKind::kPermission, name + ": " + std::strerror(errno), "name another file with -o"};
}

std::string own_descriptor(int descriptor) {
    return fmt::format("/proc/self/fd/{}", descriptor);
}

// −1 if the file system has no nameless files (O_TMPFILE), or cannot give one a name later.
int open_nameless(const std::string& name) {
    const auto folder = std::filesystem::path(name).parent_path();
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (descriptor >= 0 && ::access(own_descriptor(descriptor).c_str(), F_OK) != 0) {
        ::close(descriptor);
        return -1;
    }
    return descriptor;
}

}  // namespace

Result<NewFile> NewFile::make(const std::string& name, const char* binary) {
    NewFile made;
    if (name.empty() || name == "-") {
        if (binary != nullptr && ::isatty(STDOUT_FILENO) != 0) {
            return Error{ErrorKind::kUsage, std::string(binary) + " is nothing for a terminal",
                         "name a file with -o"};
        }
        made.descriptor_ = STDOUT_FILENO;
        return made;
    }
    if (const auto checked = check_new_name(name); !checked) {
        return checked.error();
    }
    made.name_ = name;
    made.descriptor_ = open_nameless(name);
    if (made.descriptor_ < 0) {
        made.descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        made.has_name_ = made.descriptor_ >= 0;
    }
    if (made.descriptor_ < 0) {
        return cannot_make(name);
    }
    return made;
}

NewFile::NewFile(NewFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      has_name_(std::exchange(other.has_name_, false)) {}

void NewFile::close() {
    if (!name_.empty() && descriptor_ >= 0) {
        ::close(descriptor_);
        descriptor_ = -1;
    }
}

NewFile::~NewFile() {
    close();
    if (has_name_) {
        ::unlink(name_.c_str());
    }
}

Result<void> NewFile::keep() {
    if (!name_.empty() && !has_name_ &&
        ::linkat(AT_FDCWD, own_descriptor(descriptor_).c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        return cannot_make(name_);
    }
    has_name_ = false;
    close();
    return {};
}

Result<void> check_new_name(const std::string& name) {
    std::error_code unseen;
    if (name != "-" && std::filesystem::exists(std::filesystem::symlink_status(name, unseen))) {
        errno = EEXIST;
        return cannot_make(name);
    }
    return {};
}

Result<void> write_new_file(const std::string& name, std::string_view bytes) {
    auto file = NewFile::make(name);
    if (!file) {
        return file.error();
    }
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(file->descriptor(), bytes.data(), bytes.size());
        if (wrote < 0 && errno != EINTR) {
            return Error{ErrorKind::kNoSpace, name + ": " + std::strerror(errno),
                         "nothing was left behind; make space or write elsewhere"};
        }
        bytes.remove_prefix(wrote < 0 ? 0 : static_cast<std::size_t>(wrote));
    }
    return file->keep();
}

}  // namespace kymo::view
