// Computes and makes system calls in turns, so that hardly any sample hits the calls that take half of its time.
// Prints what each function really took, in nanoseconds, from the thread's own clock.
#include "account.h"
#include "zeros.h"

#include <cstdio>
#include <fcntl.h>
#include <vector>

namespace {

constexpr std::int64_t kWhole = 4'000'000'000;

[[gnu::noinline]] void compute(int length) {
    account::microseconds(length);
}

[[gnu::noinline]] void reads_much(int file, std::vector<char>& buffer) {
    read_zeros(file, buffer, 3);
}

[[gnu::noinline]] void reads_little(int file, std::vector<char>& buffer) {
    read_zeros(file, buffer, 1);
}

}  // namespace

int main() {
    const int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    std::vector<char> buffer(1 << 18);
    account::Lengths lengths;
    std::int64_t much = 0;
    std::int64_t little = 0;
    std::int64_t computed = 0;
    const std::int64_t begin = account::thread_time();
    while (account::thread_time() - begin < kWhole) {
        const std::int64_t t0 = account::thread_time();
        reads_much(file, buffer);
        const std::int64_t t1 = account::thread_time();
        compute(lengths.around(20));
        const std::int64_t t2 = account::thread_time();
        reads_little(file, buffer);
        const std::int64_t t3 = account::thread_time();
        much += t1 - t0;
        computed += t2 - t1;
        little += t3 - t2;
    }
    std::printf("{\"reads_much\": %lld, \"reads_little\": %lld, \"compute\": %lld}\n", static_cast<long long>(much),
                static_cast<long long>(little), static_cast<long long>(computed));
}
