// Calls that may block in the kernel: sleeping, reading and writing, polling, connecting, syncing, waiting for
// children, for signals. Whether they blocked shows only afterwards, so each is timed: two clock readings beside a
// system call.
//
// The C library's own calls do not pass here (those of stdio's streams: waits/streams.h). All are
// async-signal-safe and stay so: everything is looked up beforehand.

#include "monitor/channels/counting.h"
#include "monitor/channels/end.h"
#include "monitor/interpose/program_signals.h"
#include "monitor/waits/waits.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

using namespace kymo::monitor;

namespace {

// Receiving with these flags consumes no message.
constexpr int kLeaves = MSG_PEEK | MSG_ERRQUEUE;

Moved moved_messages(const mmsghdr* messages, int count, bool is_taken = true) {
    Moved moved{0, 0, 0, 0, has_failed(count)};
    for (int i = 0; i < count && is_taken; ++i) {
        ++moved.messages;
        moved.bytes += messages[i].msg_len;
        moved.largest = messages[i].msg_len > moved.largest ? messages[i].msg_len : moved.largest;
    }
    return moved;
}

// A pipe to a child that is no descriptor any more.
int closed(FILE* stream, int (*close)(FILE*)) {
    const int descriptor = fileno(stream);
    const int result = close(stream);
    descriptor_changes.note(descriptor);
    return result;
}

// The descriptor is connected from now on.
int connected(int descriptor, int result) {
    if (result == 0 || errno == EINPROGRESS) {
        descriptor_changes.note(descriptor);
    }
    return result;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the C library's names
KYMO_END_CALL(ssize_t, read, kRead, fd, true, moved_bytes(result), (int fd, void* to, size_t bytes), (fd, to, bytes))
KYMO_END_CALL(ssize_t, __read_chk, kRead, fd, true, moved_bytes(result),
              (int fd, void* to, size_t bytes, size_t room), (fd, to, bytes, room))
KYMO_END_CALL(ssize_t, readv, kRead, fd, true, moved_bytes(result), (int fd, const iovec* parts, int count),
              (fd, parts, count))
KYMO_WAITING_CALL(ssize_t, pread, kRead, fd, (int fd, void* to, size_t bytes, off_t at), (fd, to, bytes, at))
KYMO_WAITING_CALL(ssize_t, pread64, kRead, fd, (int fd, void* to, size_t bytes, off64_t at), (fd, to, bytes, at))
KYMO_WAITING_CALL(ssize_t, preadv, kRead, fd, (int fd, const iovec* parts, int count, off_t at),
                  (fd, parts, count, at))
KYMO_WAITING_CALL(ssize_t, preadv64, kRead, fd, (int fd, const iovec* parts, int count, off64_t at),
                  (fd, parts, count, at))
KYMO_END_CALL(ssize_t, preadv2, kRead, fd, true, moved_bytes(result),
              (int fd, const iovec* parts, int count, off_t at, int flags), (fd, parts, count, at, flags))
KYMO_END_CALL(ssize_t, preadv64v2, kRead, fd, true, moved_bytes(result),
              (int fd, const iovec* parts, int count, off64_t at, int flags), (fd, parts, count, at, flags))
KYMO_END_CALL(ssize_t, recv, kRead, fd, true, moved_bytes(result, (flags & kLeaves) == 0),
              (int fd, void* to, size_t bytes, int flags), (fd, to, bytes, flags))
KYMO_END_CALL(ssize_t, recvfrom, kRead, fd, true, moved_bytes(result, (flags & kLeaves) == 0),
              (int fd, void* to, size_t bytes, int flags, sockaddr* from, socklen_t* length),
              (fd, to, bytes, flags, from, length))
KYMO_END_CALL(ssize_t, recvmsg, kRead, fd, true, moved_bytes(result, (flags & kLeaves) == 0),
              (int fd, msghdr* message, int flags), (fd, message, flags))

KYMO_END_CALL(int, recvmmsg, kRead, fd, true, moved_messages(messages, result, (flags & kLeaves) == 0),
              (int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout),
              (fd, messages, count, flags, timeout))

KYMO_END_CALL(ssize_t, write, kWrite, fd, false, moved_bytes(result), (int fd, const void* from, size_t bytes),
              (fd, from, bytes))
KYMO_END_CALL(ssize_t, writev, kWrite, fd, false, moved_bytes(result), (int fd, const iovec* parts, int count),
              (fd, parts, count))
KYMO_WAITING_CALL(ssize_t, pwrite, kWrite, fd, (int fd, const void* from, size_t bytes, off_t at),
                  (fd, from, bytes, at))
KYMO_WAITING_CALL(ssize_t, pwrite64, kWrite, fd, (int fd, const void* from, size_t bytes, off64_t at),
                  (fd, from, bytes, at))
KYMO_WAITING_CALL(ssize_t, pwritev, kWrite, fd, (int fd, const iovec* parts, int count, off_t at),
                  (fd, parts, count, at))
KYMO_WAITING_CALL(ssize_t, pwritev64, kWrite, fd, (int fd, const iovec* parts, int count, off64_t at),
                  (fd, parts, count, at))
KYMO_END_CALL(ssize_t, pwritev2, kWrite, fd, false, moved_bytes(result),
              (int fd, const iovec* parts, int count, off_t at, int flags), (fd, parts, count, at, flags))
KYMO_END_CALL(ssize_t, pwritev64v2, kWrite, fd, false, moved_bytes(result),
              (int fd, const iovec* parts, int count, off64_t at, int flags), (fd, parts, count, at, flags))
KYMO_END_CALL(ssize_t, send, kWrite, fd, false, moved_bytes(result),
              (int fd, const void* from, size_t bytes, int flags), (fd, from, bytes, flags))
KYMO_END_CALL(ssize_t, sendto, kWrite, fd, false, moved_bytes(result),
              (int fd, const void* from, size_t bytes, int flags, const sockaddr* to, socklen_t length),
              (fd, from, bytes, flags, to, length))
KYMO_END_CALL(ssize_t, sendmsg, kWrite, fd, false, moved_bytes(result), (int fd, const msghdr* message, int flags),
              (fd, message, flags))

KYMO_END_CALL(int, sendmmsg, kWrite, fd, false, moved_messages(messages, result),
              (int fd, mmsghdr* messages, unsigned count, int flags), (fd, messages, count, flags))
// From one descriptor to another, within the kernel. Recorded as a wait for the one that is written to.
KYMO_THROUGH_CALL(ssize_t, sendfile, kWrite, out, false, in, moved_bytes(result),
                  (int out, int in, off_t* at, size_t bytes), (out, in, at, bytes), noexcept)
KYMO_THROUGH_CALL(ssize_t, sendfile64, kWrite, out, false, in, moved_bytes(result),
                  (int out, int in, off64_t* at, size_t bytes), (out, in, at, bytes), noexcept)
KYMO_WAITING_CALL(ssize_t, copy_file_range, kWrite, out,
                  (int in, off64_t* in_at, int out, off64_t* out_at, size_t bytes, unsigned flags),
                  (in, in_at, out, out_at, bytes, flags))
KYMO_THROUGH_CALL(ssize_t, splice, kWrite, out, false, in, moved_bytes(result),
                  (int in, off64_t* in_at, int out, off64_t* out_at, size_t bytes, unsigned flags),
                  (in, in_at, out, out_at, bytes, flags))
KYMO_END_CALL(ssize_t, tee, kWrite, out, false, moved_bytes(result), (int in, int out, size_t bytes, unsigned flags),
              (in, out, bytes, flags))
KYMO_END_CALL(ssize_t, vmsplice, kWrite, fd, false, moved_bytes(result),
              (int fd, const iovec* parts, size_t count, unsigned flags), (fd, parts, count, flags))

KYMO_WAITING_CALL(int, poll, kPoll, 0, (pollfd * set, nfds_t count, int timeout), (set, count, timeout))
KYMO_WAITING_CALL(int, ppoll, kPoll, 0, (pollfd * set, nfds_t count, const timespec* timeout, const sigset_t* mask),
                  (set, count, timeout, MaskWhileWaiting(mask).get()))
KYMO_WAITING_CALL(int, select, kPoll, 0, (int count, fd_set* in, fd_set* out, fd_set* error, timeval* timeout),
                  (count, in, out, error, timeout))
KYMO_WAITING_CALL(int, pselect, kPoll, 0,
                  (int count, fd_set* in, fd_set* out, fd_set* error, const timespec* timeout, const sigset_t* mask),
                  (count, in, out, error, timeout, MaskWhileWaiting(mask).get()))
KYMO_WAITING_CALL(int, epoll_wait, kPoll, fd, (int fd, epoll_event* events, int most, int timeout),
                  (fd, events, most, timeout))
KYMO_WAITING_CALL(int, epoll_pwait, kPoll, fd,
                  (int fd, epoll_event* events, int most, int timeout, const sigset_t* mask),
                  (fd, events, most, timeout, MaskWhileWaiting(mask).get()))
KYMO_WAITING_CALL(int, epoll_pwait2, kPoll, fd,
                  (int fd, epoll_event* events, int most, const timespec* timeout, const sigset_t* mask),
                  (fd, events, most, timeout, MaskWhileWaiting(mask).get()))
KYMO_WAITING_CALL(int, __poll_chk, kPoll, 0, (pollfd * set, nfds_t count, int timeout, size_t room),
                  (set, count, timeout, room))
KYMO_WAITING_CALL(int, __ppoll_chk, kPoll, 0,
                  (pollfd * set, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room),
                  (set, count, timeout, MaskWhileWaiting(mask).get(), room))

KYMO_WAITING_CALL(int, accept, kAccept, fd, (int fd, sockaddr* from, socklen_t* length), (fd, from, length))
KYMO_WAITING_CALL(int, accept4, kAccept, fd, (int fd, sockaddr* from, socklen_t* length, int flags),
                  (fd, from, length, flags))
KYMO_MEASURED_CALL(int, connect, (int fd, const sockaddr* to, socklen_t length), (fd, to, length),
                   (waited(WaitKind::kConnect, static_cast<std::uint64_t>(fd), 0,
                           [&] { return connected(fd, real(fd, to, length)); })))

KYMO_WAITING_CALL(int, fsync, kSync, fd, (int fd), (fd))
KYMO_WAITING_CALL(int, fdatasync, kSync, fd, (int fd), (fd))

KYMO_WAITING_CALL(int, syncfs, kSync, fd, (int fd), (fd), noexcept)
KYMO_WAITING_CALL(int, sync_file_range, kSync, fd, (int fd, off64_t at, off64_t bytes, unsigned flags),
                  (fd, at, bytes, flags))

KYMO_WAITING_CALL(int, nanosleep, kSleep, 0, (const timespec* length, timespec* left), (length, left))
KYMO_WAITING_CALL(int, clock_nanosleep, kSleep, 0,
                  (clockid_t clock, int flags, const timespec* length, timespec* left), (clock, flags, length, left))
KYMO_WAITING_CALL(int, usleep, kSleep, 0, (useconds_t microseconds), (microseconds))
KYMO_WAITING_CALL(unsigned, sleep, kSleep, 0, (unsigned seconds), (seconds))

KYMO_WAITING_CALL(pid_t, wait, kChild, 0, (int* status), (status))
KYMO_WAITING_CALL(pid_t, waitpid, kChild, 0, (pid_t child, int* status, int options), (child, status, options))
KYMO_WAITING_CALL(pid_t, wait3, kChild, 0, (int* status, int options, rusage* usage), (status, options, usage),
                  noexcept)
KYMO_WAITING_CALL(pid_t, wait4, kChild, 0, (pid_t child, int* status, int options, rusage* usage),
                  (child, status, options, usage), noexcept)
KYMO_WAITING_CALL(int, waitid, kChild, 0, (idtype_t type, id_t id, siginfo_t* info, int options),
                  (type, id, info, options))

// These wait inside the C library, for a child's end, or until it executes a program.
KYMO_WAITING_CALL(int, system, kChild, 0, (const char* command), (command))
KYMO_WAITING_CALL(FILE*, popen, kChild, 0, (const char* command, const char* mode), (command, mode))
KYMO_MEASURED_CALL(int, pclose, (FILE * stream), (stream),
                   (waited(WaitKind::kChild, 0, 0, [&] { return closed(stream, real); })))

KYMO_WAITING_CALL(int, sigwait, kSignal, 0, (const sigset_t* set, int* signal), (set, signal))
KYMO_WAITING_CALL(int, sigwaitinfo, kSignal, 0, (const sigset_t* set, siginfo_t* info), (set, info))
KYMO_WAITING_CALL(int, sigtimedwait, kSignal, 0, (const sigset_t* set, siginfo_t* info, const timespec* length),
                  (set, info, length))
KYMO_WAITING_CALL(int, sigsuspend, kSignal, 0, (const sigset_t* mask), (MaskWhileWaiting(mask).get()))
KYMO_WAITING_CALL(int, pause, kSignal, 0, (), ())
// NOLINTEND(readability-identifier-naming)
