// Reads from descriptors of several types what a child writes 20 ms later, and prints which descriptor was open on
// what:
//     {"pipe": 3, "socket": 5, "fifo": 7, "eventfd": 8}
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kCount = 4 };

static void must(int good) {
    if (!good) {
        perror("read_kinds");
        exit(1);
    }
}

int main(int argc, char** argv) {
    must(argc == 2 && mkfifo(argv[1], 0600) == 0);
    const int fifo = open(argv[1], O_RDWR);
    int pipes[2];
    int sockets[2];
    must(fifo >= 0 && pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    const int event = eventfd(0, 0);
    const int in[kCount] = {pipes[0], sockets[0], fifo, event};
    const int out[kCount] = {pipes[1], sockets[1], fifo, event};
    const pid_t child = fork();
    const uint64_t message = 1;
    if (child == 0) {
        const struct timespec while_it_waits = {0, 20000000};
        for (int i = 0; i < kCount; ++i) {
            nanosleep(&while_it_waits, NULL);
            must(write(out[i], &message, sizeof message) == sizeof message);
        }
        _exit(0);
    }
    for (int i = 0; i < kCount; ++i) {
        uint64_t got = 0;
        must(read(in[i], &got, sizeof got) == sizeof got);
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child && status == 0);
    printf("{\"pipe\": %d, \"socket\": %d, \"fifo\": %d, \"eventfd\": %d}\n", pipes[0], sockets[0], fifo, event);
    return 0;
}
