// open, pread and close as bare system calls: glibc's are cancellation points, and a cancellation inside a signal
// handler would end the thread with the handler. errno is kept; failures are -1.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <span>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::image {

class RawFile {
  public:
    explicit RawFile(const char* path) {
        const int saved = errno;
        descriptor_ = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0));
        errno = saved;
    }
    ~RawFile() {
        if (descriptor_ >= 0) {
            const int saved = errno;
            syscall(SYS_close, descriptor_);
            errno = saved;
        }
    }
    RawFile(const RawFile&) = delete;
    RawFile& operator=(const RawFile&) = delete;

    bool is_open() const { return descriptor_ >= 0; }

    // Bytes read at `offset`; fewer than asked only at the end of the file or on error.
    std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const {
        const int saved = errno;
        std::size_t done = 0;
        while (done < out.size()) {
            const long got = syscall(SYS_pread64, descriptor_, out.data() + done, out.size() - done, offset + done);
            if (got <= 0) {
                if (got < 0 && errno == EINTR) {
                    continue;
                }
                break;
            }
            done += static_cast<std::size_t>(got);
        }
        errno = saved;
        return done;
    }

  private:
    int descriptor_ = -1;
};

}  // namespace kymo::image
