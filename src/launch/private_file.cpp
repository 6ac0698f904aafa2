#include "launch/private_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace kymo::launch {

namespace fs = std::filesystem;

Result<void> write_private(const fs::path& path, const std::string& text) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool written = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    if (file >= 0) {
        close(file);
    }
    if (!written) {
        return Error{error == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kPermission,
                     "cannot write " + path.string() + ": " + std::strerror(error), "use -o with another folder"};
    }
    return {};
}

Result<void> write_shared(const fs::path& path, const std::string& text, std::uint64_t rank) {
    const fs::path aside = path.string() + "." + std::to_string(rank);
    if (auto written = write_private(aside, text); !written) {
        return written.error();
    }
    if (rename(aside.c_str(), path.c_str()) != 0) {
        return Error{ErrorKind::kPermission, "cannot write " + path.string() + ": " + std::strerror(errno),
                     "use -o with another folder"};
    }
    return {};
}

}  // namespace kymo::launch
