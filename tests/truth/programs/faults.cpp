// Touches fresh memory page by page, and computes for a second. Prints how many page faults the touching cost, by the
// kernel's own count of the thread's, and how many pages there were.
#include "account.h"

#include <cstdio>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

long faults_so_far() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

[[gnu::noinline]] void touch(char* memory, std::size_t bytes, std::size_t page) {
    for (std::size_t i = 0; i < bytes; i += page) {
        memory[i] = 1;
    }
}

}  // namespace

int main() {
    constexpr std::size_t kPages = 50'000;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = kPages * page;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("faults: mmap");
        return 1;
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    const long before = faults_so_far();
    touch(static_cast<char*>(memory), bytes, page);
    const long after = faults_so_far();
    const std::int64_t begin = account::thread_time();
    while (account::thread_time() - begin < 1'000'000'000) {
        account::microseconds(1000);
    }
    std::printf("{\"faults\": %ld, \"pages\": %zu}\n", after - before, kPages);
}
