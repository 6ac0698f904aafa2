#include "archive/remove_at_end.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace kymo::archive {

void remove_at_end(const std::filesystem::path& path) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return;  // it stays
    }
    const pid_t between = ::fork();  // its child is then the system's to reap
    if (between == 0) {
        if (::fork() == 0) {
            ::setsid();
            const int nothing = ::open("/dev/null", O_RDWR);
            for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
                ::dup2(nothing, standard);
            }
            ::dup2(ends[0], STDERR_FILENO + 1);
            ::close_range(STDERR_FILENO + 2, ~0U, 0);
            char byte = 0;
            while (::read(STDERR_FILENO + 1, &byte, 1) < 0 && errno == EINTR) {
            }
            std::error_code ignored;
            std::filesystem::remove_all(path, ignored);
        }
        ::_exit(0);
    }
    ::close(ends[0]);
    if (between > 0) {
        ::waitpid(between, nullptr, 0);
    }
    // ends[1] stays open until the process ends
}

}  // namespace kymo::archive
