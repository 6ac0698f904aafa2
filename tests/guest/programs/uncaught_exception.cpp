// An exception that nobody catches, in a thread: the program's own last words, then the C++ library's, and SIGABRT.
// Before it, memory that cannot be had, and exceptions through functions of the C library.
#include "../burn.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace {

int compare(const void* left, const void* right) {
    if (*static_cast<const int*>(left) == 37) {
        throw std::runtime_error("through qsort");
    }
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

[[gnu::noinline]] void throw_it() {
    throw std::logic_error("nobody's");
}

}  // namespace

int main() {
    const rlimit none{0, 0};
    MUST(setrlimit(RLIMIT_CORE, &none) == 0);
    int numbers[100];
    for (int i = 0; i < 100; ++i) {
        numbers[i] = 100 - i;
    }
    try {
        burn(10);
        qsort(numbers, 100, sizeof(int), compare);
    } catch (const std::runtime_error& error) {
        std::puts(error.what());
    }
    try {
        volatile std::size_t much = ~std::size_t{0} / 4;
        delete[] new char[much];
    } catch (const std::bad_alloc&) {
        std::puts("no memory");
    }
    std::set_terminate([] {
        burn(5);
        write(1, "last words\n", 11);
        std::abort();
    });
    std::fflush(stdout);
    std::thread([]() noexcept {
        burn(10);
        throw_it();
    }).join();
    return 98;
}
