// What calls need of the caller's stack: a kilobyte more than the C library's own functions at the most. The stack is
// painted below a call of the function that the program reaches by name, and below one of the C library's own.
#include "../burn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kPainted = 48 * 1024, kAllowed = 1024 };

static void* libc;

static void* own(const char* name) {
    void* function = dlsym(libc, name);
    MUST(function != NULL);
    return function;
}

// The C library's own, for what happens besides.
static int (*bare_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static int (*bare_join)(pthread_t, void**);
static int (*bare_sem_wait)(sem_t*);

// ---- the calls; each waits, or makes or ends a thread
static sem_t wake, ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* do_nothing(void* unused) {
    return unused;
}
static void make_thread(void* function) {
    pthread_t thread;
    MUST(((int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))function)(&thread, NULL, do_nothing,
                                                                                         NULL) == 0);
    MUST(bare_join(thread, NULL) == 0);
}
static void join(void* function) {
    pthread_t thread;
    MUST(bare_create(&thread, NULL, do_nothing, NULL) == 0);
    MUST(((int (*)(pthread_t, void**))function)(thread, NULL) == 0);
}
static void* hold(void* unused) {
    MUST(pthread_mutex_lock(&mutex) == 0);
    sem_post(&ready);
    usleep(2000);
    MUST(pthread_mutex_unlock(&mutex) == 0);
    return unused;
}
static void lock(void* function) {
    pthread_t thread;
    MUST(bare_create(&thread, NULL, hold, NULL) == 0);
    while (bare_sem_wait(&ready) != 0) {
    }
    MUST(((int (*)(pthread_mutex_t*))function)(&mutex) == 0);
    MUST(pthread_mutex_unlock(&mutex) == 0);
    MUST(bare_join(thread, NULL) == 0);
}
static void* post(void* unused) {
    usleep(2000);
    sem_post(&wake);
    return unused;
}
static void wait_for_it(void* function) {
    pthread_t thread;
    MUST(bare_create(&thread, NULL, post, NULL) == 0);
    MUST(((int (*)(sem_t*))function)(&wake) == 0);
    MUST(bare_join(thread, NULL) == 0);
}
static void rest(void* function) {
    const struct timespec while_ = {0, 2000000};
    ((int (*)(const struct timespec*, struct timespec*))function)(&while_, NULL);
}
static void mask(void* function) {
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    ((int (*)(int, const sigset_t*, sigset_t*))function)(SIG_BLOCK, &set, &before);
}
static void unload(void* function) {
    MUST(((int (*)(void*))function)(dlopen("libm.so.6", RTLD_NOW)) == 0);
}

static const struct {
    const char* name;
    void (*call)(void* function);
} kCalls[] = {{"pthread_create", make_thread},
              {"pthread_join", join},
              {"pthread_mutex_lock", lock},
              {"sem_wait", wait_for_it},
              {"nanosleep", rest},
              {"pthread_sigmask", mask},
              {"dlclose", unload}};

static size_t depth_of(void (*call)(void*), void* function) {
    unsigned char* below = (unsigned char*)__builtin_frame_address(0) - kPainted;
    __asm__ volatile("" : "+r"(below));
    for (size_t i = 0; i < kPainted - 2048; ++i) {
        ((volatile unsigned char*)below)[i] = 0xa5;
    }
    call(function);
    size_t untouched = 0;
    while (untouched < kPainted - 2048 && ((volatile unsigned char*)below)[untouched] == 0xa5) {
        ++untouched;
    }
    return kPainted - untouched;
}

static void* measure(void* unused) {
    bare_create = own("pthread_create");
    bare_join = own("pthread_join");
    bare_sem_wait = own("sem_wait");
    // Signals elsewhere: a sample's frame is the kernel's.
    stack_t elsewhere = {.ss_size = 128 * 1024};
    elsewhere.ss_sp = malloc(elsewhere.ss_size);
    MUST(elsewhere.ss_sp != NULL && sigaltstack(&elsewhere, NULL) == 0);
    for (size_t i = 0; i < sizeof kCalls / sizeof kCalls[0]; ++i) {
        void* by_name = dlsym(RTLD_DEFAULT, kCalls[i].name);
        MUST(by_name != NULL);
        size_t bare = 0, named = 0;
        // The C library binds some calls of its own when they are first made, which takes as much stack as the
        // processor has registers to save: that round does not count.
        for (int round = -1; round < 5; ++round) {
            const size_t first = depth_of(kCalls[i].call, own(kCalls[i].name));
            const size_t second = depth_of(kCalls[i].call, by_name);
            if (round < 0) {
                continue;
            }
            bare = first > bare ? first : bare;
            named = second > named ? second : named;
        }
        if (named > bare + kAllowed) {
            printf("%s takes %zu bytes more than the C library's\n", kCalls[i].name, named - bare);
        }
    }
    puts("measured");
    return unused;
}

int main(void) {
    pthread_t thread;
    libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    MUST(libc != NULL && sem_init(&wake, 0, 0) == 0 && sem_init(&ready, 0, 0) == 0);
    burn(10);
    MUST(pthread_create(&thread, NULL, measure, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    return 0;
}
