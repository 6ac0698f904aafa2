// Blocking transfers of a megabyte and more through pipes and sockets, by every call: all of it at once, as long as
// no signal of the program's own comes; and random numbers in one piece.
#include "../burn.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kBytes = 1 << 20 };
static char bytes[kBytes];
static int channel[2];

// Takes all of them, slowly, in odd pieces.
static void* take(void* unused) {
    static char piece[60000];
    for (size_t left = kBytes; left != 0;) {
        const ssize_t got = read(channel[0], piece, left < sizeof piece ? left : sizeof piece);
        MUST(got > 0);
        left -= (size_t)got;
        burn(left % 7 == 0 ? 1 : 0);
    }
    return unused;
}

static ssize_t send_by(int way, int file) {
    const struct iovec parts[3] = {
        {bytes, 100}, {bytes + 100, kBytes / 2}, {bytes + 100 + kBytes / 2, kBytes - 100 - kBytes / 2}};
    const struct msghdr message = {.msg_iov = (struct iovec*)parts, .msg_iovlen = 3};
    off_t at = 0;
    switch (way) {
        case 0:
            return write(channel[1], bytes, kBytes);
        case 1:
            return writev(channel[1], parts, 3);
        case 2:
            return write(channel[1], bytes, kBytes);
        case 3:
            return sendfile(channel[1], file, &at, kBytes);
        case 4:
            return send(channel[1], bytes, kBytes, 0);
        default:
            return sendmsg(channel[1], &message, 0);
    }
}

int main(void) {
    const int file = memfd_create("bytes", MFD_CLOEXEC);
    memset(bytes, 'b', sizeof bytes);
    MUST(file >= 0 && write(file, bytes, kBytes) == kBytes);
    for (int way = 0; way < 6; ++way) {
        pthread_t thread;
        MUST((way < 2 ? pipe(channel) : socketpair(AF_UNIX, SOCK_STREAM, 0, channel)) == 0);
        MUST(pthread_create(&thread, NULL, take, NULL) == 0);
        burn(3);
        printf("%zd at once\n", send_by(way, file));
        MUST(pthread_join(thread, NULL) == 0 && close(channel[0]) == 0 && close(channel[1]) == 0);
    }
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, channel) == 0);
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, take, NULL) == 0 && write(channel[1], bytes, kBytes) == kBytes);
    MUST(pthread_join(thread, NULL) == 0 && write(channel[1], bytes, 50000) == 50000);
    printf("%zd waited for\n", recv(channel[0], bytes, 50000, MSG_WAITALL));
    for (int i = 0; i < 5; ++i) {
        burn(2);
        printf("%zd random\n", getrandom(bytes, kBytes, 0));
    }
    const struct iovec from = {bytes, kBytes / 2}, to = {bytes + kBytes / 2, kBytes / 2};
    printf("%zd of its own memory\n", process_vm_readv(getpid(), &to, 1, &from, 1, 0));
    return 0;
}
