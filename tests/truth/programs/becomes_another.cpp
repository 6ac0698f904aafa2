// A program that becomes another one, which becomes a third: all in one process, whose clocks and counts in the
// kernel go on. Each burns processor time, takes pages and sleeps, and hands on what it has counted since its own
// main; the last prints the sums.
#include "account.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

struct Counted {
    long long spent = 0;  // ns
    long long faults = 0;
    long long switches = 0;
};

Counted now() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return {account::thread_time(), usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw};
}

}  // namespace

int main(int count, char** arguments) {
    const Counted before = now();
    const int stage = count > 1 ? std::atoi(arguments[1]) : 0;
    Counted sum;
    if (stage > 0) {
        sum = {std::atoll(arguments[2]), std::atoll(arguments[3]), std::atoll(arguments[4])};
    }
    constexpr long kPages[] = {2000, 500, 300};
    constexpr int kTime[] = {300'000'000, 100'000'000, 50'000'000};
    constexpr std::size_t kPage = 4096;
    auto* pages = static_cast<volatile char*>(mmap(nullptr, static_cast<std::size_t>(kPages[stage]) * kPage,
                                                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(const_cast<char*>(pages), static_cast<std::size_t>(kPages[stage]) * kPage, MADV_NOHUGEPAGE);
    for (long page = 0; page < kPages[stage]; ++page) {
        pages[static_cast<std::size_t>(page) * kPage] = 1;
    }
    for (int i = 0; i < 10; ++i) {
        timespec nap{0, 1'000'000};
        nanosleep(&nap, nullptr);
    }
    while (account::thread_time() - before.spent < kTime[stage]) {
        account::microseconds(50);
    }
    const Counted after = now();
    sum.spent += after.spent - before.spent;
    sum.faults += after.faults - before.faults;
    sum.switches += after.switches - before.switches;
    if (stage == 2) {
        std::printf("{\"spent\": %lld, \"faults\": %lld, \"switches\": %lld}\n", sum.spent, sum.faults, sum.switches);
        return 0;
    }
    const std::string words[] = {std::to_string(stage + 1), std::to_string(sum.spent), std::to_string(sum.faults),
                                 std::to_string(sum.switches)};
    execl("/proc/self/exe", arguments[0], words[0].c_str(), words[1].c_str(), words[2].c_str(), words[3].c_str(),
          static_cast<char*>(nullptr));
    return 1;
}
