/* until_file PATH: computes in one function until there is a file of that name, or for 20 seconds. */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) uint64_t inner_work(uint64_t x) {
    for (int i = 0; i < 2000000; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

int main(int count, char** words) {
    struct timespec begin;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint64_t x = 1;
    do {
        x = inner_work(x);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (count > 1 && access(words[1], F_OK) != 0 && now.tv_sec - begin.tv_sec < 20);
    return x == 0 ? 2 : 0;
}
