// Takes every key of thread-specific data that there is; threads use them all, and end by returning, by pthread_exit
// and by cancellation.
#include "../burn.h"

#include <atomic>
#include <cstdio>
#include <pthread.h>
#include <threads.h>
#include <unistd.h>
#include <vector>

namespace {

std::vector<pthread_key_t> keys;
std::atomic<long> destroyed = 0;

void on_end(void* value) {
    destroyed += reinterpret_cast<long>(value);
}

void use_all() {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (pthread_getspecific(keys[i]) != nullptr) {
            std::printf("key %zu is not empty\n", i);
        }
        pthread_setspecific(keys[i], reinterpret_cast<void*>(i + 1));
    }
    burn(5);
}

void* returns(void* value) {
    use_all();
    return value;
}

void* exits(void* value) {
    use_all();
    pthread_exit(value);
}

void* is_cancelled(void* /*value*/) {
    use_all();
    for (;;) {
        pause();
    }
}

void run_one(void* (*function)(void*)) {
    pthread_t thread;
    pthread_create(&thread, nullptr, function, nullptr);
    if (function == is_cancelled) {
        pthread_cancel(thread);
    }
    pthread_join(thread, nullptr);
}

}  // namespace

int main() {
    run_one(exits);  // before the keys
    pthread_key_t key;
    int error = 0;
    while ((error = pthread_key_create(&key, on_end)) == 0) {
        keys.push_back(key);
    }
    tss_t one_more;
    std::printf("%zu keys, then %d and %d\n", keys.size(), error, tss_create(&one_more, on_end));
    for (int i = 0; i < 5; ++i) {
        run_one(returns);
        run_one(exits);
        run_one(is_cancelled);
    }
    std::printf("destroyed: %ld\n", destroyed.load());
    for (const pthread_key_t each : keys) {
        pthread_key_delete(each);
    }
    run_one(returns);
    std::puts("done");
}
