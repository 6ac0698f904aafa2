// A client asks a server for one record at a time and waits for each reply; the server needs 3 milliseconds for one,
// though it takes on many at once. Fixed: the client asks for all records of a block at once, and for the next
// block before it works on this one. Two processes, a socket, and a second thread with work of its own. pthreads.
#include "planted.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kBlocks = 24;
constexpr int kRecords = 10;
constexpr int kServerUs = 3'000;
constexpr int kDigestUs = 1'500;

struct Message {
    std::int64_t asked_ns;
    std::int64_t number;
};

// Answers each request 3 ms after it was made.
void serve(int socket) {
    Message message{};
    while (read(socket, &message, sizeof message) == sizeof message) {
        const std::int64_t left_us = kServerUs - (planted::now_ns() - message.asked_ns) / 1'000;
        if (left_us > 0) {
            usleep(static_cast<useconds_t>(left_us));
        }
        if (write(socket, &message, sizeof message) != sizeof message) {
            break;
        }
    }
}

void must(bool good) {
    if (!good) {
        std::perror("io_wait");
        std::exit(1);
    }
}

constexpr int kAskBegin = __LINE__;
[[gnu::noinline]] void ask(int socket, int number) {
    const Message message{planted::now_ns(), number};
    must(write(socket, &message, sizeof message) == sizeof message);
}
constexpr int kAskEnd = __LINE__;

constexpr int kReceiveBegin = __LINE__;
[[gnu::noinline]] std::uint64_t receive(planted::Program& program, int socket) {
    const planted::Planted planted(program);
    Message message{};
    must(read(socket, &message, sizeof message) == sizeof message);
    return static_cast<std::uint64_t>(message.number);
}
constexpr int kReceiveEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void digest(std::uint64_t record) {
    const std::uint64_t sum = planted::work(kDigestUs, record);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kFetchBegin = __LINE__;
[[gnu::noinline]] void fetch_block(planted::Program& program, int socket) {
    for (int record = 0; record < kRecords; ++record) {
        ask(socket, record);
        if (program.is_bad()) {
            digest(receive(program, socket));
        }
    }
}

// The replies to a block that was asked for, while the next one is on its way.
[[gnu::noinline]] void digest_block(planted::Program& program, int socket) {
    for (int record = 0; record < kRecords; ++record) {
        digest(receive(program, socket));
    }
}
constexpr int kFetchEnd = __LINE__;

void* help(void*) {
    planted::name_thread("helper", 0);
    for (int i = 0; i < kBlocks * kRecords; ++i) {
        digest(static_cast<std::uint64_t>(i));
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    int ends[2];
    must(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    const pid_t server = fork();
    must(server >= 0);
    if (server == 0) {
        close(ends[0]);
        serve(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    planted::Program program(argc, argv, "io-wait", __FILE__);
    pthread_t helper{};
    pthread_create(&helper, nullptr, help, nullptr);
    for (int block = 0; block < kBlocks; ++block) {
        fetch_block(program, ends[0]);
        if (!program.is_bad() && block > 0) {
            digest_block(program, ends[0]);
        }
    }
    if (!program.is_bad()) {
        digest_block(program, ends[0]);
    }
    pthread_join(helper, nullptr);
    close(ends[0]);
    waitpid(server, nullptr, 0);
    return program.end({{"receive", kReceiveBegin, kReceiveEnd},
                        {"ask", kAskBegin, kAskEnd},
                        {"fetch_block", kFetchBegin, kFetchEnd}},
                       {"io_wait"}, {"digest", kDecoyBegin, kDecoyEnd});
}
