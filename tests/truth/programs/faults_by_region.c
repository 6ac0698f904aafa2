// Touches pages for the first time, each once: of the heap, of memory that it has mapped, of a file, of its
// zero-initialised data, of a thread's stack. Prints how many of each as JSON.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, HEAP = 1000, ANONYMOUS = 2000, OF_FILE = 300, ZEROS = 500, STACK = 400 };

static _Alignas(PAGE) char zeros[ZEROS * PAGE];
static long tid;

static void touch(char* at, int pages, char by) {
    for (int i = 0; i < pages; ++i) {
        *(volatile char*)(at + (size_t)i * PAGE) = by;
    }
}

static void* on_stack(void* unused) {
    (void)unused;
    char room[(STACK + 1) * PAGE];
    tid = syscall(SYS_gettid);
    // From the stack's end downwards, as a stack grows.
    for (int i = STACK - 1; i >= 0; --i) {
        *(volatile char*)(room + (size_t)i * PAGE) = 1;
    }
    return NULL;
}

static void* checked(void* at) {
    if (at == MAP_FAILED || at == (void*)-1) {
        exit(1);
    }
    return at;
}

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);  // a page a fault
    char* heap = checked(sbrk(HEAP * PAGE));
    touch(heap, HEAP, 1);
    // Shared, so that the kernel joins it with nothing beside it.
    char* anonymous =
        checked(mmap(NULL, ANONYMOUS * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    touch(anonymous, ANONYMOUS, 1);
    const int file = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, OF_FILE * PAGE) != 0) {
        return 1;
    }
    touch(checked(mmap(NULL, OF_FILE * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)), OF_FILE, 1);
    touch(zeros, ZEROS, 1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, on_stack, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        return 1;
    }
    printf("{\"heap\": %d, \"anonymous\": %d, \"file\": %d, \"zeros\": %d, \"stack\": %d, \"tid\": %ld}\n", HEAP,
           ANONYMOUS, OF_FILE, ZEROS, STACK, tid);
    return 0;
}
