// Wraps functions of the C library in the program itself, each found by RTLD_NEXT, and counts its own calls of them:
// a monitor that calls them by name would be counted, too, and would enter wrappers that no signal handler may enter.
#include "../burn.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int calls[8];
static __thread volatile int inside;

#define WRAPPED(index, type, name, parameters, ...)             \
    type name parameters;                                       \
    type name parameters {                                      \
        static type(*real) parameters;                          \
        if (inside++ != 0) {                                    \
            __builtin_trap();                                   \
        }                                                       \
        if (real == NULL) {                                     \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
        }                                                       \
        __atomic_fetch_add(&calls[index], 1, __ATOMIC_SEQ_CST); \
        type result = real(__VA_ARGS__);                        \
        burn(0);                                                \
        --inside;                                               \
        return result;                                          \
    }

WRAPPED(0, ssize_t, read, (int file, void* to, size_t bytes), file, to, bytes)
WRAPPED(1, ssize_t, write, (int file, const void* from, size_t bytes), file, from, bytes)
WRAPPED(2, int, close, (int file), file)
WRAPPED(3, int, pthread_create, (pthread_t * thread, const pthread_attr_t* how, void* (*start)(void*), void* with),
        thread, how, start, with)
WRAPPED(4, int, pthread_mutex_lock, (pthread_mutex_t * mutex), mutex)
WRAPPED(5, int, sigaction, (int number, const struct sigaction* action, struct sigaction* before), number, action,
        before)
WRAPPED(6, int, munmap, (void* memory, size_t bytes), memory, bytes)
WRAPPED(7, int, pthread_join, (pthread_t thread, void** told), thread, told)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* compute(void* unused) {
    for (int i = 0; i < 10; ++i) {
        MUST(pthread_mutex_lock(&mutex) == 0);
        burn(2);
        MUST(pthread_mutex_unlock(&mutex) == 0);
    }
    return unused;
}

static void on_signal(int number) {
    (void)number;
}

int main(void) {
    pthread_t threads[3];
    char bytes[100];
    const struct sigaction action = {.sa_handler = on_signal};
    MUST(sigaction(SIGURG, &action, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_create(&threads[i], NULL, compute, NULL) == 0);
    }
    for (int i = 0; i < 20; ++i) {
        const int file = open("/dev/zero", O_RDWR | O_CLOEXEC);
        MUST(read(file, bytes, sizeof bytes) == sizeof bytes && write(file, bytes, sizeof bytes) == sizeof bytes);
        MUST(close(file) == 0);
        void* memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(memory != MAP_FAILED && munmap(memory, 4096) == 0);
        burn(2);
    }
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    for (int i = 0; i < 8; ++i) {
        printf("%d%c", calls[i], i < 7 ? ' ' : '\n');
    }
    return 0;
}
