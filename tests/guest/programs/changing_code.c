// A program that moves its own code while it runs, as run times with large pages do: copied, mapped anew at the same
// place, with and without permission to write in between; and code that is changed between two calls.
#include "../burn.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline, section("moved_code"), aligned(4096))) static uint64_t compute(uint64_t x, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}
__attribute__((noinline, section("moved_code"), aligned(4096), used)) static void behind(void) {
    __asm__ volatile("nop");
}

int main(void) {
    char* code = (char*)(uintptr_t)compute;
    char copy[4096];
    uint64_t sum = 0;
    for (int round = 0; round < 10; ++round) {
        sum = compute(sum, 1000000);
        memcpy(copy, code, sizeof copy);
        char* fresh = mmap(NULL, sizeof copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(fresh != MAP_FAILED);
        memcpy(fresh, copy, sizeof copy);
        MUST(mprotect(fresh, sizeof copy, PROT_READ | PROT_EXEC) == 0);
        MUST(mremap(fresh, sizeof copy, sizeof copy, MREMAP_MAYMOVE | MREMAP_FIXED, code) == code);
    }
#if defined(__x86_64__)
    unsigned char* made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static const unsigned char kReturnNumber[] = {0xb8, 0, 0, 0, 0, 0xc3};  // mov $n, %eax; ret
    MUST(made != MAP_FAILED);
    for (int i = 1; i <= 50; ++i) {
        MUST(mprotect(made, 4096, PROT_READ | PROT_WRITE) == 0);
        memcpy(made, kReturnNumber, sizeof kReturnNumber);
        made[1] = (unsigned char)i;
        MUST(mprotect(made, 4096, PROT_READ | PROT_EXEC) == 0);
        for (int k = 0; k < 20000; ++k) {
            sum += (uint64_t)((int (*)(void))(uintptr_t)made)();
        }
    }
#endif
    burn(10);
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
