// Linked statically: functions whose calls and returns are known, and which the kernel's probes must leave as they
// are.
//
//     probed [kill]        prints what it did; with `kill` it ends itself by SIGKILL then
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#define MEASURED extern "C" __attribute__((noinline, noclone))

volatile int sink;

// Leaves by an exception at every third call.
MEASURED int risky(int value) {
    if (value % 3 == 0) {
        throw std::runtime_error("a third");
    }
    sink = value;
    return value;
}

// Deeper than the kernel keeps account of return probes (64).
MEASURED int deep(int levels) {
    return levels == 0 ? 1 : 1 + deep(levels - 1) * (sink >= 0 ? 1 : 2);
}

MEASURED void count_me(long a, long b) {
    sink = static_cast<int>(a + b);
}

// Ends in a jump to count_me.
MEASURED void passes_on(long a) {
    count_me(a, 1);
}

int main(int argc, char** argv) {
    int caught = 0;
    for (int i = 0; i < 3000; ++i) {
        try {
            risky(i);
        } catch (const std::exception&) {
            ++caught;
        }
    }
    int levels = 0;
    for (int i = 0; i < 3; ++i) {
        levels += deep(100);
    }
    for (int batch = 0; batch < 20; ++batch) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([] {
                for (int k = 0; k < 10; ++k) {
                    count_me(k, 2);
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
    passes_on(1);
    std::printf("caught %d, levels %d\n", caught, levels);
    std::fflush(stdout);
    if (argc > 1 && std::strcmp(argv[1], "kill") == 0) {
        raise(SIGKILL);
    }
    return 0;
}
