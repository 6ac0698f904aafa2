// Rounds of fill() (takes fresh pages, and computes) and compute(); before them elsewhere() takes pages too, in no
// time worth keeping. Prints the pages that each takes, and the page faults of fill() by the kernel's own count of
// the thread's, which has the monitor's own, too.
#include "account.h"

#include <cmath>
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
    // The first sample in a library, at a page fault: the monitor makes a table of it, and is met at that by ticks.
    // What was counted before is the program's all the same.
    auto* const values = reinterpret_cast<double*>(memory + kElsewhere * page);
    static volatile double angle = 1;
    sincos(angle, values, values + 1);
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
    char* const memory = fresh((kRounds * kPages + kElsewhere + 1) * page);
    elsewhere(memory + kRounds * kPages * page, page);
    long inside = 0;
    for (std::size_t round = 0; round < kRounds; ++round) {
        const long before = faults_so_far();
        fill(memory + round * kPages * page, page);
        inside += faults_so_far() - before;
        compute();
    }
    std::printf("{\"fill\": %zu, \"counted\": %ld, \"elsewhere\": %zu, \"rounds\": %zu}\n", kRounds * kPages, inside,
                kElsewhere + 1, kRounds);
}
