// Takes and gives back memory between the moments at which threads begin, and prints where it was as JSON: anonymous,
// shared and a file's, a thread's stack, the heap.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 64 * 4096 };

static char zeros[3 * 1024 * 1024];  // no file's: behind the program's data

static uintptr_t on_stack;
static long tid;

static void* work(void* unused) {
    (void)unused;
    char here = 0;
    on_stack = (uintptr_t)&here;
    tid = syscall(SYS_gettid);
    return NULL;
}

// A moment at which the map is read: a thread begins and ends.
static void moment(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0) {
        exit(1);
    }
    pthread_join(thread, NULL);
}

static uintptr_t map(int flags, int file, int protection) {
    void* at = mmap(NULL, PAGES, protection, flags, file, 0);
    return at == MAP_FAILED ? 0 : (uintptr_t)at;
}

int main(int argc, char** argv) {
    (void)argc;
    moment();
    const uintptr_t first_on_stack = on_stack;
    const long first_tid = tid;
    // Executable, so that the kernel joins it with nothing beside it.
    const uintptr_t brief = map(MAP_PRIVATE | MAP_ANONYMOUS, -1, PROT_READ | PROT_EXEC);
    moment();
    munmap((void*)brief, PAGES);
    moment();
    const uintptr_t shared = map(MAP_SHARED | MAP_ANONYMOUS, -1, PROT_READ | PROT_WRITE);
    const int file = open(argv[0], O_RDONLY);
    const uintptr_t of_file = map(MAP_PRIVATE, file, PROT_READ);
    const uintptr_t heap = (uintptr_t)sbrk(PAGES);
    zeros[sizeof zeros / 2] = 1;
    printf(
        "{\"brief\": %lu, \"shared\": %lu, \"file\": %lu, \"heap\": %lu, \"stack\": %lu, \"tid\": %ld, "
        "\"main_stack\": %lu, "
        "\"zeros\": %lu, \"guard\": %lu, \"size\": %d}\n",
        brief, shared, of_file, heap, first_on_stack, first_tid, (uintptr_t)&file,
        (uintptr_t)&zeros[sizeof zeros / 2], map(MAP_PRIVATE | MAP_ANONYMOUS, -1, PROT_NONE), PAGES);
    return 0;
}
