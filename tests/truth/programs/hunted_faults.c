// Page faults with a known offender: three places touch fresh pages, `heavy` 70 of each hundred, `middle` 20, and the
// rest is spread over many. Prints nothing. Argument: rounds of a hundred faults (default 60); with a second argument
// the offender moves: in the second half of the rounds `middle` causes 70 and `heavy` none.
#include <stdlib.h>
#include <sys/mman.h>

enum { kPage = 4096, kMost = 100 };

static char* fresh(int pages) {
    char* memory = mmap(0, (size_t)pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? 0 : memory;
}

__attribute__((noinline)) static void heavy(volatile char* memory, int from, int pages) {
    for (int i = from; i < from + pages; ++i) {
        memory[(size_t)i * kPage] = 1;  // heavy
    }
}

__attribute__((noinline)) static void middle(volatile char* memory, int from, int pages) {
    for (int i = from; i < from + pages; ++i) {
        memory[(size_t)i * kPage] = 2;  // middle
    }
}

// Ten stores of their own, one fault each.
#define TOUCH(n) memory[((size_t)from + (n)) * kPage] = (char)(n)
__attribute__((noinline)) static void crumbs(volatile char* memory, int from) {
    TOUCH(0);
    TOUCH(1);
    TOUCH(2);
    TOUCH(3);
    TOUCH(4);
    TOUCH(5);
    TOUCH(6);
    TOUCH(7);
    TOUCH(8);
    TOUCH(9);
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 60;
    const int moves = argc > 2;
    for (int round = 0; round < rounds; ++round) {
        char* memory = fresh(kMost);
        if (memory == 0) {
            return 1;
        }
        const int second = moves && round >= rounds / 2;
        // In a changing order, so that no part of a round is the offender's alone.
        for (int part = 0; part < 10; ++part) {
            const int from = part * 10;
            const int which = (part + round) % 10;
            if (which == 9) {
                crumbs(memory, from);
            } else if (which >= 7) {
                second ? crumbs(memory, from) : middle(memory, from, 10);
            } else {
                second ? middle(memory, from, 10) : heavy(memory, from, 10);
            }
        }
        munmap(memory, (size_t)kMost * kPage);
    }
    return 0;
}
