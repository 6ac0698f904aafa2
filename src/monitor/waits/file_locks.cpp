// Locks on files: of whole files (flock) and of parts of them (fcntl, lockf). Another process may hold them.

#include "monitor/waits/waits.h"

#include <cstdarg>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace kymo::monitor;

namespace {

using Fcntl = int (*)(int, int, ...);
Real<Fcntl> real_fcntl{"fcntl"};
Real<Fcntl> real_fcntl64{"fcntl64"};

__attribute__((constructor)) void look_up_fcntl() {
    real_fcntl.get();
    real_fcntl64.get();
}

bool may_wait(int command) {
    return command == F_SETLKW || command == F_OFD_SETLKW;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the C library's names
KYMO_WAITING_CALL(int, flock, kFileLock, fd, (int fd, int operation), (fd, operation), noexcept)
KYMO_WAITING_CALL(int, lockf, kFileLock, fd, (int fd, int operation, off_t bytes), (fd, operation, bytes))
KYMO_WAITING_CALL(int, lockf64, kFileLock, fd, (int fd, int operation, off64_t bytes), (fd, operation, bytes))
// NOLINTEND(readability-identifier-naming)

// Arguments are numbers or pointers: both are passed in the same place.
#define KYMO_FCNTL(NAME)                                                        \
    KYMO_INTERPOSE int NAME(int file, int command, ...) {                       \
        va_list list;                                                           \
        va_start(list, command);                                                \
        void* const argument = va_arg(list, void*);                             \
        va_end(list);                                                           \
        const Fcntl real = real_##NAME.get();                                   \
        if (!may_wait(command)) {                                               \
            return real(file, command, argument);                               \
        }                                                                       \
        return waited(WaitKind::kFileLock, static_cast<std::uint64_t>(file), 0, \
                      [&] { return real(file, command, argument); });           \
    }
KYMO_FCNTL(fcntl)
KYMO_FCNTL(fcntl64)
