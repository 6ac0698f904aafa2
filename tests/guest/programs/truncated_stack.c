// A stack in a file that loses its outer half while functions run on the inner one: what is there cannot be read any
// more, and says so by SIGBUS to whoever tries.
#include "../burn.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t outer, inner;
static int file;
static long half;

static __attribute__((noinline)) int down(int depth) {
    volatile char piece[4096];
    piece[depth] = (char)depth;
    if (depth == 0) {
        MUST(ftruncate(file, half) == 0);
        burn(200);
        setcontext(&outer);  // there is no way back by returning
        return 1;
    }
    return down(depth - 1) + piece[depth];
}

static void inside(void) {
    down(24);
}

int main(void) {
    const long page = sysconf(_SC_PAGESIZE);
    volatile int rounds = 0;
    half = 16 * page;
    file = memfd_create("stack", 0);
    MUST(file >= 0);
    char* stack = mmap(NULL, (size_t)(2 * half), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    MUST(stack != MAP_FAILED);
    while (rounds < 3) {
        ++rounds;
        MUST(ftruncate(file, 2 * half) == 0 && getcontext(&inner) == 0);
        inner.uc_stack.ss_sp = stack;
        inner.uc_stack.ss_size = (size_t)(2 * half);
        inner.uc_link = &outer;
        makecontext(&inner, inside, 0);
        MUST(swapcontext(&outer, &inner) == 0);
    }
    printf("%d rounds\n", rounds);
    return 0;
}
