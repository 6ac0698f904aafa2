// Of 200 requests seven, at no regular distance, find their server's reply late and try again after 80 milliseconds,
// though they are requests like any other. Fixed: the server answers at once. C++ threads.
#include "planted.h"

#include <chrono>
#include <thread>

namespace {

constexpr int kRequests = 200;

bool is_late(int request) {
    for (const int late : {17, 41, 47, 99, 109, 153, 189}) {
        if (request == late) {
            return true;
        }
    }
    return false;
}

constexpr int kHandleBegin = __LINE__;
[[gnu::noinline]] void handle(planted::Program& program, int request) {
    if (program.is_bad() && is_late(request)) {
        const planted::Planted planted(program);
        std::this_thread::sleep_for(std::chrono::milliseconds(80));
    }
    const std::uint64_t sum = planted::work(6'000, static_cast<std::uint64_t>(request));
    planted::keep(&sum);
}
constexpr int kHandleEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void log(int request) {
    const std::uint64_t sum = planted::work(4'000, static_cast<std::uint64_t>(request));
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void serve(planted::Program& program, int number) {
    planted::name_thread("server", number);
    for (int request = 0; request < kRequests; ++request) {
        handle(program, number == 0 ? request : kRequests - 1 - request);
        log(request);
    }
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "slow-instance", __FILE__);
    std::thread other(serve, std::ref(program), 1);
    serve(program, 0);
    other.join();
    return program.end({{"handle", kHandleBegin, kHandleEnd}}, {"server-0", "server-1"},
                       {"log", kDecoyBegin, kDecoyEnd});
}
