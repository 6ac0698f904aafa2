// Three functions that take 70, 20 and 10 per cent of the time. Prints what they really took, in nanoseconds.
#include "account.h"

#include <cstdio>

namespace {

// The constants keep the three from being the same code, which the compiler would make one of.
[[gnu::noinline]] void seventy(int length) {
    asm volatile("" ::"i"(70));
    account::microseconds(length);
}
[[gnu::noinline]] void twenty(int length) {
    asm volatile("" ::"i"(20));
    account::microseconds(length);
}
[[gnu::noinline]] void ten(int length) {
    asm volatile("" ::"i"(10));
    account::microseconds(length);
}

}  // namespace

int main() {
    account::Lengths lengths;
    std::int64_t took[3] = {0, 0, 0};
    const std::int64_t begin = account::thread_time();
    std::int64_t now = begin;
    while (now - begin < 3'000'000'000) {
        const int length = lengths.around(1000);
        const std::int64_t t0 = account::thread_time();
        seventy(7 * length);
        const std::int64_t t1 = account::thread_time();
        twenty(2 * length);
        const std::int64_t t2 = account::thread_time();
        ten(length);
        now = account::thread_time();
        took[0] += t1 - t0;
        took[1] += t2 - t1;
        took[2] += now - t2;
    }
    std::printf("{\"seventy\": %lld, \"twenty\": %lld, \"ten\": %lld}\n", static_cast<long long>(took[0]),
                static_cast<long long>(took[1]), static_cast<long long>(took[2]));
}
