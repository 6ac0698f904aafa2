// Workers compute; a third thread asks a flag again and again whether they are done with a step, and so takes a
// processor from them. Fixed: it sleeps on a condition variable. pthreads.
#include "planted.h"

namespace {

constexpr int kSteps = 60;
planted::Program* program = nullptr;
std::atomic<int> arrived{0};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int workers = 0;

constexpr int kAwaitBegin = __LINE__;
[[gnu::noinline]] void await_step(int step) {
    if (program->is_bad()) {
        while (arrived.load(std::memory_order_acquire) < (step + 1) * workers) {
        }
        return;
    }
    pthread_mutex_lock(&mutex);
    while (arrived.load(std::memory_order_acquire) < (step + 1) * workers) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}
constexpr int kAwaitEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void simulate() {
    const std::uint64_t sum = planted::work(24'000);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void* work(void* argument) {
    planted::name_thread("worker", static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
    for (int step = 0; step < kSteps; ++step) {
        simulate();
        pthread_mutex_lock(&mutex);
        arrived.fetch_add(1, std::memory_order_release);
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program here(argc, argv, "busy-wait", __FILE__);
    program = &here;
    workers = static_cast<int>(planted::processors().size());
    planted::name_thread("watcher", 0);
    std::vector<pthread_t> handles(static_cast<std::size_t>(workers));
    for (std::intptr_t number = 0; number < workers; ++number) {
        pthread_create(&handles[static_cast<std::size_t>(number)], nullptr, work, reinterpret_cast<void*>(number));
    }
    for (int step = 0; step < kSteps; ++step) {
        await_step(step);
    }
    for (const pthread_t& handle : handles) {
        pthread_join(handle, nullptr);
    }
    return here.end({{"await_step", kAwaitBegin, kAwaitEnd}}, {"watcher-0"}, {"simulate", kDecoyBegin, kDecoyEnd});
}
