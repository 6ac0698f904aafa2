// Takes and gives back memory between waits, and prints where it was as JSON: anonymous,
// shared and a file's, a thread's stack, the heap.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
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
    __atomic_store_n(&tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
    while (1) {
        pause();
    }
    return NULL;
}

// A moment at which the map is read: behind a wait, ten times a second at most.
static void moment(void) {
    usleep(150000);
}

static uintptr_t map(int flags, int file, int protection) {
    void* at = mmap(NULL, PAGES, protection, flags, file, 0);
    return at == MAP_FAILED ? 0 : (uintptr_t)at;
}

int main(int argc, char** argv) {
    (void)argc;
    moment();
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
    pthread_t thread;  // lives on
    if (pthread_create(&thread, NULL, work, NULL) != 0) {
        exit(1);
    }
    while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE) == 0) {
        sched_yield();
    }
    printf(
        "{\"brief\": %lu, \"shared\": %lu, \"file\": %lu, \"heap\": %lu, \"stack\": %lu, \"tid\": %ld, "
        "\"main_stack\": %lu, "
        "\"zeros\": %lu, \"guard\": %lu, \"size\": %d}\n",
        brief, shared, of_file, heap, on_stack, tid, (uintptr_t)&file, (uintptr_t)&zeros[sizeof zeros / 2],
        map(MAP_PRIVATE | MAP_ANONYMOUS, -1, PROT_NONE), PAGES);
    return 0;
}
