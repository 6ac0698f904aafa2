// A file that was not there before, whole or not at all.
#pragma once

#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace kymo::gpu {

// Returns the result of `write`, which is called with a std::FILE*; after an error no file is left behind. Errors:
// kOutputExists, kPermission, kNotFound, kNoSpace, and those of `write`.
template <typename Write>
auto write_new_file(const std::filesystem::path& path, Write&& write) -> decltype(write(nullptr)) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        const int why = errno;
        return Error{why == EEXIST   ? ErrorKind::kOutputExists
                     : why == EACCES ? ErrorKind::kPermission
                                     : ErrorKind::kNotFound,
                     path.string() + ": " + std::strerror(why), "name another file with -o"};
    }
    std::FILE* const file = fdopen(descriptor, "wb");
    if (file == nullptr) {
        const int why = errno;
        (void)close(descriptor);
        (void)unlink(path.c_str());
        return Error{ErrorKind::kNoSpace, path.string() + ": " + std::strerror(why), "close some files"};
    }
    auto written = write(file);
    if (std::fclose(file) != 0 && written) {
        written = Error{ErrorKind::kNoSpace, path.string() + ": " + std::strerror(errno), "check the space left"};
    }
    if (!written) {
        (void)unlink(path.c_str());
    }
    return written;
}

}  // namespace kymo::gpu
