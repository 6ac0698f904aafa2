// Constructors and destructors of globals that compute and start threads, before main and after it.
#include "../burn.h"

#include <cstdio>
#include <thread>

namespace {

struct Global {
    Global() {
        std::thread([] { burn(30); }).join();
        burn(30);
        std::puts("before main");
        std::fflush(stdout);
    }
    ~Global() {
        std::thread([] { burn(30); }).join();
        burn(30);
        std::puts("after main");
        std::fflush(stdout);
    }
};

Global global;

}  // namespace

int main() {
    burn(30);
    std::puts("main");
    std::fflush(stdout);
    return 17;
}
