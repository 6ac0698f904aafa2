/* Two phases in turn, 200 times: in the first two instructions of one line fault on 256 pages each, in the second one
 * of another line on 128. */
#include <stddef.h>
#include <sys/mman.h>

enum { kPage = 4096, kBytes = 256 * kPage, kTurns = 200 };

__attribute__((noinline)) static void both(volatile char* a, volatile char* b) {
    for (long i = 0; i < kBytes; i += kPage) {
        a[i] = b[i] = 1;  // both
    }
}

__attribute__((noinline)) static void alone(volatile char* a) {
    for (long i = 0; i < kBytes / 2; i += kPage) {
        a[i] = 3;  // alone
    }
}

static char* fresh(void) {
    char* made = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(made, kBytes, MADV_NOHUGEPAGE);
    return made;
}

int main(void) {
    for (int turn = 0; turn < kTurns; ++turn) {
        char* all[] = {fresh(), fresh(), fresh()};
        both(all[0], all[1]);
        alone(all[2]);
        for (int i = 0; i < 3; ++i) {
            munmap(all[i], kBytes);
        }
    }
    return 0;
}
