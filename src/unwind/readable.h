// Whether code may be read now: a program may have changed the access rights of its file (PROT_NONE while a page
// is being rewritten; PROT_EXEC alone, which processors with protection keys enforce).
//
// Contract: usable in signal handlers; errno is kept. One system call for each page that is not among the last few
// (0.15 µs). A change by another thread after the check is not noticed.
#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

namespace kymo::unwind {

// Checked by a call with a set of signals that is in the page: the kernel reads the set first, then refuses the
// invalid operation. (seccomp.cpp handles this call.)
inline constexpr long kNoChangeOfMask = 0x6B796D6F;

class ReadablePages {
  public:
    static constexpr std::uint64_t kPage = 4096;

    // [begin, end) lies in at most two pages.
    bool hold(std::uint64_t begin, std::uint64_t end) {
        return begin < end && is_readable(begin / kPage) &&
               (begin / kPage == (end - 1) / kPage || is_readable((end - 1) / kPage));
    }

    bool is_readable(std::uint64_t page) {
        Known& known = known_[page % known_.size()];
        if (known.page != page || page == 0) {
            known = {page, ask(page * kPage)};
        }
        return known.is_readable;
    }

  private:
    struct Known {
        std::uint64_t page = 0;
        bool is_readable = false;
    };

    static bool ask(std::uint64_t address) {
        const int saved = errno;
        const bool is_readable =
            syscall(SYS_rt_sigprocmask, kNoChangeOfMask, address, nullptr, sizeof(std::uint64_t)) == -1 &&
            errno == EINVAL;
        errno = saved;
        return is_readable;
    }

    std::array<Known, 8> known_{};
};

}  // namespace kymo::unwind
