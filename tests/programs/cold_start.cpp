// Every step looks values up in a large table. The table's memory comes fresh from the system and is filled by the
// first look-up, so the first step pays for it: page faults, and the filling. Fixed: the values are computed where
// they are needed, as cheaply as they are looked up. pthreads.
#include "planted.h"

#include <sys/mman.h>

namespace {

constexpr int kSteps = 200;
constexpr std::size_t kEntries = std::size_t{48} << 20U;
constexpr int kLookups = 60'000;
planted::Program* program = nullptr;
std::uint64_t* table = nullptr;

std::uint64_t value(std::uint64_t index) {
    std::uint64_t z = index * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    return z ^ (z >> 27U);
}

constexpr int kFillBegin = __LINE__;
[[gnu::noinline]] void fill_table() {
    const planted::Planted planted(*program);
    void* memory =
        mmap(nullptr, kEntries * sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("mmap");
        std::exit(1);
    }
    madvise(memory, kEntries * sizeof *table, MADV_NOHUGEPAGE);
    table = static_cast<std::uint64_t*>(memory);
    for (std::size_t index = 0; index < kEntries; ++index) {
        table[index] = value(index);
    }
}
constexpr int kFillEnd = __LINE__;

constexpr int kLookBegin = __LINE__;
[[gnu::noinline]] void interpolate(std::uint64_t step) {
    if (program->is_bad() && table == nullptr) {
        fill_table();
    }
    std::uint64_t at = step;
    for (int i = 0; i < kLookups; ++i) {
        at = at * 6364136223846793005ULL + 1442695040888963407ULL;
        const std::size_t index = (at >> 40U) % 4096;
        at += program->is_bad() ? table[index] : value(index);
    }
    planted::keep(&at);
}
constexpr int kLookEnd = __LINE__;

constexpr int kDecoyBegin = __LINE__;
[[gnu::noinline]] void integrate() {
    const std::uint64_t sum = planted::work(3'000);
    planted::keep(&sum);
}
constexpr int kDecoyEnd = __LINE__;

void* help(void*) {
    planted::name_thread("helper", 0);
    for (int step = 0; step < kSteps; ++step) {
        integrate();
    }
    return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    planted::Program here(argc, argv, "cold-start", __FILE__);
    program = &here;
    pthread_t helper{};
    pthread_create(&helper, nullptr, help, nullptr);
    for (int step = 0; step < kSteps; ++step) {
        interpolate(static_cast<std::uint64_t>(step));
        integrate();
    }
    pthread_join(helper, nullptr);
    return here.end({{"fill_table", kFillBegin, kFillEnd}, {"interpolate", kLookBegin, kLookEnd}}, {"cold_start"},
                    {"integrate", kDecoyBegin, kDecoyEnd});
}
