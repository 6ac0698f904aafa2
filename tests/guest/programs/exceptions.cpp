// C++ exceptions thrown through many frames, in two threads, while samples arrive: all are caught where they should
// be.
#include "../burn.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

struct Guard {
    explicit Guard(int& count) : count_(count) {}
    ~Guard() { ++count_; }
    int& count_;
};

[[gnu::noinline]] void dig(int depth, int& unwound) {
    const Guard guard(unwound);
    if (depth == 0) {
        throw std::runtime_error("bottom");
    }
    dig(depth - 1, unwound);
    asm volatile("");
}

void throw_often(long& caught) {
    const int64_t end = burn_clock(CLOCK_THREAD_CPUTIME_ID) + 200'000'000;
    while (burn_clock(CLOCK_THREAD_CPUTIME_ID) < end) {
        int unwound = 0;
        try {
            dig(30, unwound);
        } catch (const std::runtime_error& error) {
            MUST(std::string(error.what()) == "bottom");
            MUST(unwound == 31);
            caught += 1;
        }
    }
}

}  // namespace

int main() {
    long caught[2] = {0, 0};
    std::thread other(throw_often, std::ref(caught[1]));
    throw_often(caught[0]);
    other.join();
    std::puts(caught[0] > 0 && caught[1] > 0 ? "caught" : "nothing was thrown");
}
