// Runs code that it made itself, as a just-in-time compiler does, and writes its names where such compilers do: for
// each unit of work in `warm`, three in `hot`. The map first has one old function over both. Prints "ready" when the
// code has run, and ends with standard input. With an argument it writes no map.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
// Between these two marks, which the linker defines, is the code of the section.
extern const char __start_movable_code[];  // NOLINT(bugprone-reserved-identifier)
extern const char __stop_movable_code[];   // NOLINT(bugprone-reserved-identifier)
}

namespace {

using Work = std::uint64_t (*)(std::uint64_t);

// Refers to nothing outside itself, so that a copy of it runs anywhere.
[[gnu::noinline, gnu::used, gnu::section("movable_code")]] std::uint64_t unit_of_work(std::uint64_t x) {
    for (int i = 0; i < 400'000; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        asm volatile("" : "+r"(x));
    }
    return x;
}

constexpr std::size_t kApart = 65'536;

void write_map(const char* code, std::size_t bytes) {
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "/tmp/perf-%d.map", static_cast<int>(getpid()));
    FILE* const map = std::fopen(name.data(), "w");
    if (map == nullptr) {
        return;
    }
    const auto at = reinterpret_cast<std::uintptr_t>(code);
    std::fprintf(map, "%zx %zx old_code\n", at, 2 * kApart);
    std::fprintf(map, "%zx %zx JS:*hot /srv/generates.js:1:1\n", at, bytes);
    std::fprintf(map, "%zx %zx JS:~warm /srv/generates.js:9:1\n", at + kApart, bytes);
    std::fclose(map);
}

}  // namespace

int main(int count, char**) {
    void* const code = mmap(nullptr, 2 * kApart, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) {
        return 1;
    }
    const auto bytes = static_cast<std::size_t>(__stop_movable_code - __start_movable_code);
    auto* const hot_code = static_cast<char*>(code);
    std::memcpy(hot_code, __start_movable_code, bytes);
    std::memcpy(hot_code + kApart, __start_movable_code, bytes);
    if (mprotect(code, 2 * kApart, PROT_READ | PROT_EXEC) != 0) {
        return 1;
    }
    __builtin___clear_cache(hot_code, hot_code + 2 * kApart);
    if (count == 1) {
        write_map(hot_code, bytes);
    }
    const auto hot = reinterpret_cast<Work>(hot_code);
    const auto warm = reinterpret_cast<Work>(hot_code + kApart);
    std::uint64_t sum = warm(hot(1));
    std::puts("ready");
    std::fflush(stdout);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (poll(&input, 1, 0) == 0) {
        sum = warm(hot(hot(hot(sum))));
    }
    std::puts(sum != 0 ? "ended well" : "ended");
    return 7;
}
