// Computes for two seconds (or as many milliseconds as the second argument says) at the end of a recursion, 1,000
// calls deep (or as many as the first one says). Prints the depth.
#include "account.h"

#include <cstdio>
#include <cstdlib>

namespace {

std::int64_t computes_ns = 2'000'000'000;

[[gnu::noinline]] int descend(int left) {
    if (left > 1) {
        const int below = descend(left - 1);
        asm volatile("" ::"r"(below));  // keeps the frame
        return below + 1;
    }
    const std::int64_t begin = account::thread_time();
    while (account::thread_time() - begin < computes_ns) {
        account::microseconds(1000);
    }
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    computes_ns = argc > 2 ? std::atoll(argv[2]) * 1'000'000 : computes_ns;
    std::printf("{\"depth\": %d}\n", descend(argc > 1 ? std::atoi(argv[1]) : 1000));
}
