// Rounds of fill() (takes fresh pages, and computes) and compute(); before them elsewhere() takes pages too, in no
// time worth keeping. Prints the pages that fill() takes, and the page faults of each by the kernel's own count of
// the thread's.
#include "account.h"

#include <cstdio>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr std::size_t kRounds = 40;
constexpr std::size_t kPages = 250;  // a round
constexpr std::size_t kElsewhere = 200;

long faults_so_far() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

char* fresh(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("looked_at: mmap");
        _exit(1);
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    return static_cast<char*>(memory);
}

void touch(char* memory, std::size_t pages, std::size_t page) {
    for (std::size_t i = 0; i < pages; ++i) {
        static_cast<volatile char*>(memory)[i * page] = 1;
    }
}

[[gnu::noinline]] void elsewhere(char* memory, std::size_t page) {
    touch(memory, kElsewhere, page);
}

[[gnu::noinline]] void fill(char* memory, std::size_t page) {
    touch(memory, kPages, page);
    account::microseconds(20'000);
}

[[gnu::noinline]] void compute() {
    account::microseconds(30'000);
}

}  // namespace

int main() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    char* const memory = fresh((kRounds * kPages + kElsewhere) * page);
    const long begun = faults_so_far();
    elsewhere(memory + kRounds * kPages * page, page);
    const long outside = faults_so_far() - begun;
    long inside = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
        const long before = faults_so_far();
        fill(memory + round * kPages * page, page);
        inside += faults_so_far() - before;
        compute();
    }
    std::printf("{\"fill\": %zu, \"counted\": %ld, \"elsewhere\": %ld, \"rounds\": %zu}\n", kRounds * kPages, inside,
                outside, kRounds);
}
