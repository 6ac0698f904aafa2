// Waits and processor time between two clocks each, of which the one is surely shorter and the other surely longer
// than what is recorded, whatever else the machine does.
//
// A keeper lets a waiter into a call that blocks, sees by the kernel's word (/proc) that it sleeps there, lets some
// milliseconds pass, and ends the wait. Inner: from when it was seen asleep to when it was let go. Outer: around the
// call, by the waiter's own clock.
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, PASSES_MS = 6 };

#define MUST(condition)         \
    do {                        \
        if (!(condition)) {     \
            perror(#condition); \
            exit(1);            \
        }                       \
    } while (0)

static int64_t now_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void pass(void) {
    const struct timespec time = {.tv_sec = 0, .tv_nsec = PASSES_MS * 1000000};
    nanosleep(&time, NULL);
}

// ---- the kinds of waits: what the keeper does before, what the waiter calls, and what ends it ----

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t of_condition = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static sem_t of_joined;
static pthread_t joined;
static int ends[2];
static atomic_int word;
static int is_signalled;

static void nothing(void) {}
static void keep_mutex(void) {
    pthread_mutex_lock(&mutex);
}
static void give_mutex(void) {
    pthread_mutex_unlock(&mutex);
}
__attribute__((noinline)) static void wait_for_mutex(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}
static void keep_lock(void) {
    pthread_rwlock_wrlock(&lock);
}
static void give_lock(void) {
    pthread_rwlock_unlock(&lock);
}
__attribute__((noinline)) static void wait_for_read_lock(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
}
__attribute__((noinline)) static void wait_for_write_lock(void) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
}
static void forget_signal(void) {
    is_signalled = 0;
}
static void give_signal(void) {
    pthread_mutex_lock(&of_condition);
    is_signalled = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&of_condition);
}
__attribute__((noinline)) static void wait_for_condition(void) {
    pthread_mutex_lock(&of_condition);
    while (!is_signalled) {
        pthread_cond_wait(&condition, &of_condition);
    }
    pthread_mutex_unlock(&of_condition);
}
static void meet(void) {
    pthread_barrier_wait(&barrier);
}
__attribute__((noinline)) static void wait_for_barrier(void) {
    pthread_barrier_wait(&barrier);
    __asm__ volatile("");  // that the call above is no jump
}
static void post(void) {
    sem_post(&semaphore);
}
__attribute__((noinline)) static void wait_for_semaphore(void) {
    while (sem_wait(&semaphore) != 0) {
    }
}
static void* end_when_told(void* unused) {
    while (sem_wait(&of_joined) != 0) {
    }
    return unused;
}
static void start_joined(void) {
    MUST(pthread_create(&joined, NULL, end_when_told, NULL) == 0);
}
static void end_joined(void) {
    sem_post(&of_joined);
}
__attribute__((noinline)) static void wait_for_join(void) {
    pthread_join(joined, NULL);
    __asm__ volatile("");
}
static void give_byte(void) {
    MUST(write(ends[1], "", 1) == 1);
}
__attribute__((noinline)) static void wait_for_read(void) {
    char byte;
    MUST(read(ends[0], &byte, 1) == 1);
}
__attribute__((noinline)) static void wait_for_poll(void) {
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    MUST(poll(&polled, 1, -1) == 1);
}
static void take_byte(void) {
    char byte;
    MUST(read(ends[0], &byte, 1) == 1);
}
static void forget_word(void) {
    atomic_store(&word, 0);
}
static void change_word(void) {
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
__attribute__((noinline)) static void wait_for_futex(void) {
    while (atomic_load(&word) == 0) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    }
}

static const struct {
    const char* name;
    void (*before)(void);
    void (*wait)(void);
    void (*release)(void);
    void (*after)(void);
} kinds[] = {
    {"mutex", keep_mutex, wait_for_mutex, give_mutex, nothing},
    {"read_lock", keep_lock, wait_for_read_lock, give_lock, nothing},
    {"write_lock", keep_lock, wait_for_write_lock, give_lock, nothing},
    {"condition", forget_signal, wait_for_condition, give_signal, nothing},
    {"barrier", nothing, wait_for_barrier, meet, nothing},
    {"semaphore", nothing, wait_for_semaphore, post, nothing},
    {"join", start_joined, wait_for_join, end_joined, nothing},
    {"read", nothing, wait_for_read, give_byte, nothing},
    {"poll", nothing, wait_for_poll, give_byte, take_byte},
    {"futex", forget_word, wait_for_futex, change_word, nothing},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// ---- the waiter ----

static atomic_int asked = -1;  // the kind to wait for; -1: none, KINDS: the end
static atomic_int calls;       // it is about to
static atomic_int tid;
static int64_t outer_ns[KINDS];

static void* wait_as_asked(void* unused) {
    atomic_store(&tid, (int)syscall(SYS_gettid));
    for (int kind; (kind = atomic_load(&asked)) != KINDS;) {
        if (kind < 0) {
            pass();
            continue;
        }
        const int64_t begin = now_ns(CLOCK_MONOTONIC);
        atomic_store(&calls, 1);
        kinds[kind].wait();
        outer_ns[kind] += now_ns(CLOCK_MONOTONIC) - begin;
        atomic_store(&calls, 0);
        atomic_store(&asked, -1);
    }
    return unused;
}

static void until_asleep(void) {
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&tid));
    for (;;) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        MUST(file >= 0);
        const ssize_t bytes = read(file, text, sizeof text - 1);
        close(file);
        MUST(bytes > 0);
        text[bytes] = '\0';
        const char* const state = strrchr(text, ')');
        if (state != NULL && strncmp(state, ") S", 3) == 0) {
            return;
        }
    }
}

// ---- processor time ----

static int64_t computed_ns;

static void* compute(void* unused) {
    enum { NS = 60 * 1000 * 1000 };
    const int64_t begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
    while ((computed_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - begin) < NS) {
        for (volatile int i = 0; i < 20000; ++i) {
        }
    }
    return unused;
}

int main(void) {
    pthread_t waiter;
    pthread_t computer;
    MUST(pipe(ends) == 0 && pthread_barrier_init(&barrier, NULL, 2) == 0 && sem_init(&semaphore, 0, 0) == 0 &&
         sem_init(&of_joined, 0, 0) == 0);
    MUST(pthread_create(&waiter, NULL, wait_as_asked, NULL) == 0);
    pthread_setname_np(waiter, "waiter");
    while (atomic_load(&tid) == 0) {
        pass();
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        int64_t inner_ns = 0;
        for (int round = 0; round < ROUNDS; ++round) {
            kinds[kind].before();
            atomic_store(&asked, kind);
            while (atomic_load(&calls) == 0) {
                pass();
            }
            until_asleep();
            const int64_t begin = now_ns(CLOCK_MONOTONIC);
            pass();
            inner_ns += now_ns(CLOCK_MONOTONIC) - begin;
            kinds[kind].release();
            while (atomic_load(&asked) == kind) {
                pass();
            }
            kinds[kind].after();
        }
        printf("%s\"%s\": {\"inner\": %lld, \"outer\": %lld}", kind == 0 ? "{\"waits\": {" : ", ", kinds[kind].name,
               (long long)inner_ns, (long long)outer_ns[kind]);
    }
    atomic_store(&asked, KINDS);
    pthread_join(waiter, NULL);
    const int64_t begin = now_ns(CLOCK_MONOTONIC);
    MUST(pthread_create(&computer, NULL, compute, NULL) == 0);
    pthread_setname_np(computer, "computer");
    pthread_join(computer, NULL);
    printf("}, \"rounds\": %d, \"computer\": {\"inner\": %lld, \"outer\": %lld}}\n", ROUNDS, (long long)computed_ns,
           (long long)(now_ns(CLOCK_MONOTONIC) - begin));
    return 0;
}
