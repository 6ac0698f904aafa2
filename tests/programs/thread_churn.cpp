// For every small piece of work a thread is started and joined. Fixed: two threads live for the whole run and share
// the pieces. C++ threads.
#include "planted.h"

#include <thread>

namespace {

constexpr int kPieces = 6'000;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void render(int piece) {
    const std::uint64_t sum = planted::work(60, static_cast<std::uint64_t>(piece));
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kStartBegin = __LINE__;
[[gnu::noinline]] void render_in_threads() {
    for (int piece = 0; piece < kPieces; piece += 2) {
        std::thread first(render, piece);
        std::thread second(render, piece + 1);
        first.join();
        second.join();
    }
}
constexpr int kStartEnd = __LINE__;

void render_in_two() {
    const auto every_second = [](int piece) {
        for (; piece < kPieces; piece += 2) {
            render(piece);
        }
    };
    std::thread first(every_second, 0);
    std::thread second(every_second, 1);
    first.join();
    second.join();
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program program(argc, argv, "thread-churn", __FILE__);
    if (program.is_bad()) {
        render_in_threads();
    } else {
        render_in_two();
    }
    return program.end({{"render_in_threads", kStartBegin, kStartEnd}}, {}, {"render", kDecoyBegin, kDecoyEnd});
}
