// Functions registered while others of exit run, threads made and joined there, and destructors of static objects
// that compute and exit again.
#include "../burn.h"

#include <thread>
#include <unistd.h>

namespace {

struct Static {
    const char* name;
    ~Static() {
        burn(10);
        std::thread([this] {
            burn(5);
            std::printf("%s\n", name);
        }).join();
    }
} a{"a"};
Static b{"b"};

struct Exits {
    ~Exits() {
        std::puts("exits again");
        std::fflush(stdout);
        std::atexit([] { std::puts("late"); });
        std::exit(9);  // NOLINT: that is the case; glibc goes on with what is left
    }
} c;

void again() {
    std::puts("registered at exit");
}

}  // namespace

int main() {
    thread_local Static local{"thread"};
    std::atexit([] {
        std::atexit(again);
        burn(10);
        std::puts("at exit");
    });
    burn(10);
    return local.name == nullptr ? 1 : 3;
}
