// Thread-local destructors and pthread keys run at thread exit, in their order, and may compute and start threads
// themselves.
#include "../burn.h"

#include <atomic>
#include <cstdio>
#include <pthread.h>
#include <thread>

namespace {

std::atomic<int> destroyed = 0;
std::atomic<int> key_runs = 0;

struct Local {
    ~Local() {
        burn(3);
        std::thread([] { burn(1); }).join();
        ++destroyed;
    }
    int used = 0;
};

thread_local Local local;
pthread_key_t key;

void on_key(void* value) {
    ++key_runs;
    burn(1);
    if (value == reinterpret_cast<void*>(1)) {
        pthread_setspecific(key, reinterpret_cast<void*>(2));  // asks for another round
    }
}

}  // namespace

int main() {
    pthread_key_create(&key, on_key);
    for (int i = 0; i < 20; ++i) {
        std::thread([] {
            local.used = 1;
            pthread_setspecific(key, reinterpret_cast<void*>(1));
            burn(2);
        }).join();
    }
    std::printf("%d destroyed, %d key runs\n", destroyed.load(), key_runs.load());
}
