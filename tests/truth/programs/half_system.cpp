// Half of the time in the kernel: computes and reads /dev/zero in turn, so that both stay level. Prints what each
// really took, in nanoseconds, from the thread's own clock, and beside it the kernel's split (times(2), in ticks).
#include "account.h"
#include "zeros.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/times.h>
#include <vector>

namespace {

// At a thousand samples a second the split is then known to ± 1.6 % (three standard deviations).
constexpr std::int64_t kWhole = 9'000'000'000;

[[gnu::noinline]] void compute(int length) {
    account::microseconds(length);
}

}  // namespace

int main() {
    const int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    std::vector<char> buffer(1 << 20);
    account::Lengths lengths;
    std::int64_t user = 0;
    std::int64_t system = 0;
    const std::int64_t begin = account::thread_time();
    while (account::thread_time() - begin < kWhole) {
        const std::int64_t t0 = account::thread_time();
        read_zeros(file, buffer, lengths.around(40));
        system += account::thread_time() - t0;
        while (user < system) {
            const std::int64_t t1 = account::thread_time();
            compute(lengths.around(1000));
            user += account::thread_time() - t1;
        }
    }
    tms kernel{};
    times(&kernel);
    std::printf("{\"user\": %lld, \"system\": %lld, \"user_ticks\": %ld, \"system_ticks\": %ld}\n",
                static_cast<long long>(user), static_cast<long long>(system), static_cast<long>(kernel.tms_utime),
                static_cast<long>(kernel.tms_stime));
}
