// Thousands of threads that end before a sample is due, as those of a server with one a request. Each makes system
// calls and computes, in two functions each. Prints what each function really took, in nanoseconds, from the threads'
// own clocks.
#include "account.h"
#include "zeros.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <vector>

namespace {

int file = -1;
std::vector<char> buffer(1 << 18);
account::Lengths lengths;
std::array<std::int64_t, 4> taken;

[[gnu::noipa]] void opens_work() {
    read_zeros(file, buffer, 2);
}

[[gnu::noipa]] void works(int length) {
    account::microseconds(length);
}

[[gnu::noipa]] void ends_work(int length) {
    account::microseconds(length);
}

[[gnu::noipa]] void closes_work() {
    read_zeros(file, buffer, 1);
}

template <typename Function>
void account_for(std::size_t index, const Function& function) {
    const std::int64_t begin = account::thread_time();
    function();
    taken[index] += account::thread_time() - begin;
}

void* serve(void* /*unused*/) {
    account_for(0, opens_work);
    account_for(1, [] { works(lengths.around(150)); });
    account_for(2, closes_work);
    account_for(3, [] { ends_work(lengths.around(50)); });
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 6000;
    file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < threads; ++i) {
        pthread_t thread{};
        pthread_create(&thread, nullptr, serve, nullptr);
        pthread_join(thread, nullptr);
    }
    std::printf("{\"opens_work\": %lld, \"works\": %lld, \"closes_work\": %lld, \"ends_work\": %lld}\n",
                static_cast<long long>(taken[0]), static_cast<long long>(taken[1]), static_cast<long long>(taken[2]),
                static_cast<long long>(taken[3]));
}
