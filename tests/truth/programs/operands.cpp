// Two threads, phase by phase: each changes a number a cache line from the other's, beside it, and the other's own;
// then both compute with numbers of usual size, and with denormal ones.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <thread>

namespace {

struct Counters {
    alignas(128) std::uint64_t at[32];
};
Counters apart_at;
Counters beside_at;
Counters together_at;
std::atomic<int> arrived{0};

std::uint64_t own_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// Both threads come to each phase together.
void meet(int phase) {
    ++arrived;
    while (arrived.load() < 2 * phase) {
        std::this_thread::yield();
    }
}

template <typename Step>
void for_a_while(const Step& step) {
    constexpr std::uint64_t kPhase = 150'000'000;
    for (const std::uint64_t end = own_ns() + kPhase; own_ns() < end;) {
        step();
    }
}

constexpr int kRounds = 200'000;

// Each with a loop of its own: what is inlined into it would be a place of its own. No two are the same to a
// compiler.
[[gnu::noinline]] void apart(int who) {
    std::uint64_t* const number = &apart_at.at[16 * who];
    for (int i = 0; i < kRounds; ++i) {
        *number += 1;
        asm volatile("" ::: "memory");
    }
}

[[gnu::noinline]] void beside(int who) {
    std::uint64_t* const number = &beside_at.at[who];
    for (int i = 0; i < kRounds; ++i) {
        *number += 2;
        asm volatile("" ::: "memory");
    }
}

[[gnu::noinline]] void together(int /*who*/) {
    std::uint64_t* const number = &together_at.at[0];
    for (int i = 0; i < kRounds; ++i) {
        *number += 3;
        asm volatile("" ::: "memory");
    }
}

[[gnu::noinline]] double usual(double level) {
    for (int i = 0; i < kRounds; ++i) {
        level = level * 0.5 + level * 0.5;
        asm volatile("" : "+x"(level));
    }
    return level;
}

[[gnu::noinline]] double tiny(double level) {
    for (int i = 0; i < kRounds; ++i) {
        level = level * 0.25 + level * 0.75;
        asm volatile("" : "+x"(level));
    }
    return level;
}

volatile double result;

void work(int who) {
    meet(1);
    for_a_while([&] { apart(who); });
    meet(2);
    for_a_while([&] { beside(who); });
    meet(3);
    for_a_while([&] { together(who); });
    meet(4);
    for_a_while([] { result = usual(1.5); });
    meet(5);
    for_a_while([] { result = tiny(1.5e-310); });
}

}  // namespace

int main() {
    std::thread other(work, 1);
    work(0);
    other.join();
    std::puts("{}");
}
