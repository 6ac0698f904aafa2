// Nothing is wrong: one thread, one loop.
#include "planted.h"

int main(int argc, char** argv) {
    const planted::Program program(argc, argv, "nothing", __FILE__);
    std::uint64_t x = 1;
    for (int i = 0; i < 1'200; ++i) {
        x = planted::work(1'000, x);
    }
    planted::keep(&x);
    return program.end();
}
