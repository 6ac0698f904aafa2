// What a call costs that reads or writes, ns, one line each: for channel_bench.py.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kCalls = 100000 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(void) {
    int ends[2], sockets[2];
    char bytes[8] = {0};
    const int null = open("/dev/null", O_WRONLY);
    const int zero = open("/dev/zero", O_RDONLY);
    long moved = 0;
    if (null < 0 || zero < 0 || pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0) {
        return 1;
    }
    for (int turn = 0; turn < 2; turn++) {  // the first one warms up
        const double begin = now();
        for (int i = 0; i < kCalls; i++) {
            moved += write(null, bytes, 1);
        }
        const double written = now();
        for (int i = 0; i < kCalls; i++) {
            moved += read(zero, bytes, 1);
        }
        const double read_zero = now();
        for (int i = 0; i < kCalls; i++) {
            moved += write(ends[1], bytes, sizeof bytes);
            moved += read(ends[0], bytes, sizeof bytes);
        }
        const double piped = now();
        for (int i = 0; i < kCalls; i++) {
            moved += send(sockets[0], bytes, sizeof bytes, 0);
            moved += recv(sockets[1], bytes, sizeof bytes, 0);
        }
        const double sent = now();
        if (turn == 1) {
            printf("write /dev/null %.1f\n", (written - begin) / kCalls);
            printf("read /dev/zero %.1f\n", (read_zero - written) / kCalls);
            printf("write or read of a pipe %.1f\n", (piped - read_zero) / (2 * kCalls));
            printf("send or recv of a socket pair %.1f\n", (sent - piped) / (2 * kCalls));
        }
    }
    return moved > 0 ? 0 : 1;
}
