#include "unwind/memory_view.h"

#include <cerrno>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace kymo::unwind {

MemoryView copy_memory(std::uint64_t address, std::span<std::uint8_t> buffer) {
    // The kernel copies iovec by iovec and stops at the first it cannot read completely: pieces that end at page
    // boundaries return everything up to the first missing page.
    constexpr std::uint64_t kPage = 4096;
    constexpr std::size_t kPieces = 16;
    const int saved = errno;
    const pid_t self = static_cast<pid_t>(syscall(SYS_getpid));
    std::size_t done = 0;
    while (done < buffer.size()) {
        iovec remote[kPieces];
        std::size_t pieces = 0;
        std::size_t asked = 0;
        while (pieces < kPieces && done + asked < buffer.size()) {
            const std::uint64_t at = address + done + asked;
            const std::uint64_t to_page_end = kPage - at % kPage;
            const std::uint64_t left = buffer.size() - done - asked;
            const std::uint64_t size = left < to_page_end ? left : to_page_end;
            remote[pieces++] = {reinterpret_cast<void*>(at), size};
            asked += size;
        }
        const iovec local{buffer.data() + done, asked};
        const long got = syscall(SYS_process_vm_readv, self, &local, 1UL, remote, pieces, 0UL);
        if (got <= 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
        if (static_cast<std::size_t>(got) < asked) {
            break;
        }
    }
    errno = saved;
    return MemoryView::copied(address, buffer.first(done));
}

}  // namespace kymo::unwind
