// Touches so many fresh pages in one function and so many in another, and sleeps so often in a third: page faults and
// losses of the processor that are known in advance. Prints "ready", does it when a line comes, prints what it did,
// and ends with standard input.
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::size_t kFew = 3000;
constexpr std::size_t kMany = 9000;
constexpr int kSleeps = 400;

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

char* fresh(std::size_t pages) {
    void* const memory =
        mmap(nullptr, pages * page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    madvise(memory, pages * page_bytes(), MADV_NOHUGEPAGE);
    return static_cast<char*>(memory);
}

[[gnu::noinline]] void touch_few(char* memory) {
    for (std::size_t i = 0; i < kFew; ++i) {
        memory[i * page_bytes()] = 1;
    }
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void touch_many(char* memory) {
    for (std::size_t i = 0; i < kMany; ++i) {
        memory[i * page_bytes()] = 1;
    }
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void sleep_often() {
    for (int i = 0; i < kSleeps; ++i) {
        const timespec length{0, 200'000};
        nanosleep(&length, nullptr);
    }
    asm volatile("" ::: "memory");
}

}  // namespace

int main() {
    std::puts("ready");
    std::fflush(stdout);
    if (std::getchar() == EOF) {
        return 1;
    }
    char* const few = fresh(kFew);
    char* const many = fresh(kMany);
    if (few == nullptr || many == nullptr) {
        return 1;
    }
    touch_few(few);
    touch_many(many);
    sleep_often();
    std::printf("{\"touch_few\": %zu, \"touch_many\": %zu, \"sleep_often\": %d}\n", kFew, kMany, kSleeps);
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    return 7;
}
