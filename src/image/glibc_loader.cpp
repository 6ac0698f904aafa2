#include "image/glibc_loader.h"

#include "base/native.h"

#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::image {
namespace {

bool find(const char* path, struct stat* status) {
    return syscall(SYS_newfstatat, AT_FDCWD, path, status, 0) == 0;
}

}  // namespace

bool is_glibc_loader(const char* path) {
    std::string_view name = path;
    name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
    if (name.starts_with("ld-linux") || name.starts_with("ld64")) {
        return true;
    }
    const int saved = errno;
    struct stat usual{};
    struct stat asked{};
    const bool is_same = path[0] == '/' && find(processor::kGlibcLoader, &usual) && find(path, &asked) &&
                         usual.st_dev == asked.st_dev && usual.st_ino == asked.st_ino;
    errno = saved;
    return is_same;
}

}  // namespace kymo::image
