#include "launch/private_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

Error cannot_write(const recording::Folder& folder, const std::string& name, int error) {
    return {error == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kPermission,
            "cannot write " + (folder.path() / name).string() + ": " + std::strerror(error),
            "use -o with another directory"};
}

}  // namespace

Result<void> write_private(const recording::Folder& folder, const std::string& name, const std::string& text) {
    const int file =
        openat(folder.descriptor(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool written = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    if (file >= 0) {
        close(file);
    }
    if (!written) {
        return cannot_write(folder, name, error);
    }
    return {};
}

Result<void> write_shared(const recording::Folder& folder, const std::string& name, const std::string& text,
                          std::uint64_t rank) {
    const std::string aside = name + "." + std::to_string(rank);
    if (auto written = write_private(folder, aside, text); !written) {
        return written.error();
    }
    if (!folder.rename(aside, name)) {
        return cannot_write(folder, name, errno);
    }
    return {};
}

}  // namespace kymo::launch
