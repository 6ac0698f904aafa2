// Nothing is wrong: a server that has little to do. It waits for requests, which come every 60 milliseconds from
// another process, and answers each at once. C++.
#include "planted.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kRequests = 25;

void must(bool good) {
    if (!good) {
        std::perror("idle_server");
        std::exit(1);
    }
}

[[gnu::noinline]] std::uint64_t answer(std::uint64_t request) {
    return planted::work(4'000, request);
}

void serve(int socket) {
    for (;;) {
        pollfd ready{socket, POLLIN, 0};
        must(poll(&ready, 1, -1) == 1);
        std::uint64_t message = 0;
        if (read(socket, &message, sizeof message) != sizeof message) {
            return;
        }
        message = answer(message);
        must(write(socket, &message, sizeof message) == sizeof message);
    }
}

void ask(int socket) {
    for (std::uint64_t request = 0; request < kRequests; ++request) {
        usleep(60'000);
        std::uint64_t message = request;
        must(write(socket, &message, sizeof message) == sizeof message);
        must(read(socket, &message, sizeof message) == sizeof message);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    int ends[2];
    must(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    const pid_t client = fork();
    must(client >= 0);
    if (client == 0) {
        close(ends[0]);
        ask(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    serve(ends[0]);
    waitpid(client, nullptr, 0);
    return program.end();
}
