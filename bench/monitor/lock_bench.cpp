// What the wrapper of pthread_mutex_lock costs a lock that is free: lock + unlock as the C library has them, beside
// the same through the monitor's wrapper, interleaved in short rounds so that whatever else the machine does meets
// both. Prints the medians in nanoseconds, their difference and ratio.
//
// The monitor library is opened here without being started, as in a thread that is not measured; on the way of a free
// lock nothing depends on that.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <vector>

namespace {

using Lock = int (*)(pthread_mutex_t*);

struct Contender {
    Lock lock;
    Lock unlock;
    std::vector<double> rounds;

    double median() {
        std::nth_element(rounds.begin(), rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2),
                         rounds.end());
        return rounds[rounds.size() / 2];
    }
};

double nanoseconds_each(const Contender& contender, int calls) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const Lock lock = contender.lock;
    const Lock unlock = contender.unlock;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) {
        lock(&mutex);
        unlock(&mutex);
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    return spent.count() / calls;
}

Lock find(void* library, const char* name) {
    void* found = dlsym(library, name);
    if (found == nullptr) {
        std::fprintf(stderr, "%s: not found: %s\n", name, dlerror());
        std::exit(1);
    }
    return reinterpret_cast<Lock>(found);
}

void compare(const char* situation, Lock plain_lock, Lock wrapped_lock, Lock unlock, int rounds) {
    constexpr int kCalls = 10'000;
    Contender plain{plain_lock, unlock, {}};
    Contender wrapped{wrapped_lock, unlock, {}};
    for (int round = 0; round < rounds; ++round) {
        for (Contender* contender : {&plain, &wrapped}) {
            contender->rounds.push_back(nanoseconds_each(*contender, kCalls));
        }
    }
    const double without = plain.median();
    const double with = wrapped.median();
    std::printf(
        "%s: free lock + unlock, median of %d rounds of %d: plain %.2f ns, wrapped %.2f ns, extra %.2f ns, "
        "ratio %.3f\n",
        situation, rounds, kCalls, without, with, with - without, with / without);
}

}  // namespace

int main(int argc, char** argv) {
    const bool brief = argc > 1 && std::strncmp(argv[1], "--benchmark_min_time", 20) == 0;  // a mere trial
    const int rounds = brief ? 20 : 2'000;
    void* libc = dlopen("libc.so.6", RTLD_NOW);
    void* monitor = dlopen(KYMO_MONITOR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (libc == nullptr || monitor == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const Lock unlock = find(libc, "pthread_mutex_unlock");
    const Lock plain = find(libc, "pthread_mutex_lock");
    const Lock wrapped = find(monitor, "pthread_mutex_lock");
    compare("one thread", plain, wrapped, unlock, rounds);
    // From the first thread on, the C library locks with atomic instructions, also when that thread has gone.
    pthread_t thread{};
    pthread_create(&thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
    pthread_join(thread, nullptr);
    compare("several threads", plain, wrapped, unlock, rounds);
}
