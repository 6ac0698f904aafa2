// After every step a worker gives its scratch memory back to the system, to be modest, and the next step pays a page
// fault for each of its pages. Fixed: it keeps the memory. pthreads.
#include "planted.h"

#include <sys/mman.h>

namespace {

constexpr int kThreads = 2;
constexpr int kSteps = 240;
constexpr std::size_t kBytes = std::size_t{8} << 20U;
planted::Program* program = nullptr;

constexpr int kScatterBegin = __LINE__;
[[gnu::noinline]] void scatter(unsigned char* scratch, int step) {
    for (std::size_t at = 0; at < kBytes; at += 64) {
        scratch[at] = static_cast<unsigned char>(step);
    }
    planted::keep(scratch);
}
constexpr int kScatterEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void gather(const unsigned char* scratch) {
    const std::uint64_t sum = planted::work(4'000, scratch[64]);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

constexpr int kGiveBegin = __LINE__;
[[gnu::noinline]] void give_back(unsigned char* scratch) {
    if (program->is_bad()) {
        madvise(scratch, kBytes, MADV_DONTNEED);
    }
}
constexpr int kGiveEnd = __LINE__;

void* run(void* argument) {
    planted::name_thread("worker", static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("mmap");
        std::exit(1);
    }
    madvise(memory, kBytes, MADV_NOHUGEPAGE);
    auto* scratch = static_cast<unsigned char*>(memory);
    for (int step = 0; step < kSteps; ++step) {
        scatter(scratch, step);
        gather(scratch);
        give_back(scratch);
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program here(argc, argv, "page-faults", __FILE__);
    program = &here;
    pthread_t workers[kThreads];
    for (std::intptr_t number = 0; number < kThreads; ++number) {
        pthread_create(&workers[number], nullptr, run, reinterpret_cast<void*>(number));
    }
    for (const pthread_t& worker : workers) {
        pthread_join(worker, nullptr);
    }
    return here.end({{"scatter", kScatterBegin, kScatterEnd}, {"give_back", kGiveBegin, kGiveEnd}},
                    {"worker-0", "worker-1"}, {"gather", kDecoyBegin, kDecoyEnd});
}
