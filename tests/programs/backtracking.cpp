// Nothing is wrong: queens on a board, by recursion: calls last from a hundred nanoseconds to a tenth of a second.
// One thread.
#include "planted.h"

namespace {

constexpr unsigned kSide = 12;
constexpr int kTimes = 12;

[[gnu::noinline]] std::uint64_t place(unsigned row, unsigned columns, unsigned falling, unsigned rising) {
    if (row == kSide) {
        return 1;
    }
    std::uint64_t found = 0;
    for (unsigned column = 0; column < kSide; ++column) {
        const unsigned bit = 1U << column;
        if (((columns | falling | rising) & bit) == 0) {
            found += place(row + 1, columns | bit, (falling | bit) << 1U, (rising | bit) >> 1U);
        }
    }
    return found;
}

}  // namespace

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    std::uint64_t found = 0;
    for (int time = 0; time < kTimes; ++time) {
        found += place(0, 0, 0, 0);
    }
    planted::keep(&found);
    return program.end();
}
