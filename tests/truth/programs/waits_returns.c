// What locks, conditions, semaphores, barriers, joins and blocking calls return and leave in errno, in every
// situation where they do not simply succeed. Prints nothing that depends on time, so the output is the same with and
// without Kymo.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void tell(const char* what, long result) {
    printf("%s: %ld %s\n", what, result, strerrorname_np((int)result));
}

static void tell_errno(const char* what, long result) {
    const int error = errno;
    printf("%s: %ld, %s\n", what, result, result < 0 ? strerrorname_np(error) : "ok");
}

static struct timespec from_now(clockid_t clock, long milliseconds) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += milliseconds * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void* lock_and_die(void* mutex) {
    pthread_mutex_lock(mutex);
    return NULL;
}

static void* lock_for_a_while(void* mutex) {
    pthread_mutex_lock(mutex);
    usleep(100000);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void* try_all(void* given) {
    pthread_mutex_t* mutex = given;
    struct timespec until = from_now(CLOCK_REALTIME, 20);
    tell("timedlock of a kept mutex", pthread_mutex_timedlock(mutex, &until));
    until = from_now(CLOCK_MONOTONIC, 20);
    tell("clocklock of a kept mutex", pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until));
    tell("clocklock by a strange clock", pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &until));
    until.tv_nsec = -1;
    tell("timedlock until never", pthread_mutex_timedlock(mutex, &until));
    tell("trylock of a kept mutex", pthread_mutex_trylock(mutex));
    return NULL;
}

static void mutexes(const char* name, int type, int robust, int protocol) {
    printf("-- %s\n", name);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_setrobust(&attributes, robust);
    pthread_mutexattr_setprotocol(&attributes, protocol);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &attributes);
    tell("lock", pthread_mutex_lock(&mutex));
    if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK) {
        struct timespec until = from_now(CLOCK_REALTIME, 20);
        tell("lock again", pthread_mutex_lock(&mutex));
        tell("timedlock again", pthread_mutex_timedlock(&mutex, &until));
        tell("unlock", pthread_mutex_unlock(&mutex));
        tell("unlock", pthread_mutex_unlock(&mutex));
    }
    if (type == PTHREAD_MUTEX_ERRORCHECK) {
        tell("lock", pthread_mutex_lock(&mutex));
    }
    pthread_t thread;
    pthread_create(&thread, NULL, try_all, &mutex);
    pthread_join(thread, NULL);
    tell("unlock", pthread_mutex_unlock(&mutex));
    pthread_create(&thread, NULL, lock_for_a_while, &mutex);
    usleep(20000);
    tell("lock after a wait", pthread_mutex_lock(&mutex));
    tell("unlock", pthread_mutex_unlock(&mutex));
    pthread_join(thread, NULL);
    if (robust == PTHREAD_MUTEX_ROBUST) {
        pthread_create(&thread, NULL, lock_and_die, &mutex);
        pthread_join(thread, NULL);
        tell("lock of a dead owner's", pthread_mutex_lock(&mutex));
        tell("make consistent", pthread_mutex_consistent(&mutex));
        tell("unlock", pthread_mutex_unlock(&mutex));
        pthread_create(&thread, NULL, lock_and_die, &mutex);
        pthread_join(thread, NULL);
        tell("lock of a dead owner's", pthread_mutex_lock(&mutex));
        tell("unlock as it is", pthread_mutex_unlock(&mutex));
        tell("lock of a lost one", pthread_mutex_lock(&mutex));
    }
}

static void other_locks(void) {
    printf("-- other locks\n");
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, NULL);
    struct timespec until = from_now(CLOCK_REALTIME, 20);
    tell("read", pthread_rwlock_rdlock(&lock));
    tell("read again", pthread_rwlock_rdlock(&lock));
    tell("write in time", pthread_rwlock_timedwrlock(&lock, &until));
    until = from_now(CLOCK_MONOTONIC, 20);
    tell("write by the other clock", pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until));
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    tell("write", pthread_rwlock_wrlock(&lock));
    tell("write again", pthread_rwlock_wrlock(&lock));
    tell("read the written", pthread_rwlock_rdlock(&lock));
    until.tv_nsec = 1000000000;
    tell("read until never", pthread_rwlock_timedrdlock(&lock, &until));
    tell("unlock", pthread_rwlock_unlock(&lock));
    pthread_spinlock_t spin;
    pthread_spin_init(&spin, 0);
    tell("spin", pthread_spin_lock(&spin));
    tell("spin, trying", pthread_spin_trylock(&spin));
    tell("unlock", pthread_spin_unlock(&spin));
    mtx_t mutex;
    mtx_init(&mutex, mtx_timed | mtx_recursive);
    until = from_now(CLOCK_REALTIME, 20);
    printf("C11: %d %d %d\n", mtx_lock(&mutex) == thrd_success, mtx_timedlock(&mutex, &until) == thrd_success,
           mtx_unlock(&mutex) == thrd_success);
}

static void meetings(void) {
    printf("-- meetings\n");
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec until = from_now(CLOCK_REALTIME, 20);
    pthread_mutex_lock(&mutex);
    tell("condition in time", pthread_cond_timedwait(&condition, &mutex, &until));
    until = from_now(CLOCK_MONOTONIC, 20);
    tell("condition by the other clock", pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until));
    until.tv_nsec = 1000000000;
    tell("condition until never", pthread_cond_timedwait(&condition, &mutex, &until));
    tell("still kept", pthread_mutex_trylock(&mutex));
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 1);
    tell("barrier of one", pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    errno = 0;
    tell_errno("semaphore", sem_wait(&semaphore));
    tell("errno after success", errno);
    until = from_now(CLOCK_REALTIME, 20);
    tell_errno("semaphore in time", sem_timedwait(&semaphore, &until));
    until.tv_nsec = -1;
    tell_errno("semaphore until never", sem_timedwait(&semaphore, &until));
    tell("join oneself", pthread_join(pthread_self(), NULL));
    cnd_t c11;
    mtx_t c11_mutex;
    cnd_init(&c11);
    mtx_init(&c11_mutex, mtx_plain);
    mtx_lock(&c11_mutex);
    until = from_now(CLOCK_REALTIME, 20);
    printf("C11 condition in time: %d\n", cnd_timedwait(&c11, &c11_mutex, &until) == thrd_timedout);
}

static void on_alarm(int number) {
    (void)number;
}

static void system_calls(void) {
    printf("-- system calls\n");
    char bytes[16];
    int pipes[2];
    if (pipe2(pipes, O_NONBLOCK) != 0) {
        return;
    }
    tell_errno("read of nothing", read(pipes[0], bytes, sizeof bytes));
    tell_errno("read of a bad descriptor", read(-1, bytes, sizeof bytes));
    tell_errno("write", write(pipes[1], "four", 4));
    tell_errno("read", read(pipes[0], bytes, sizeof bytes));
    tell_errno("pread of a pipe", pread(pipes[0], bytes, 1, 0));
    tell_errno("write to a bad descriptor", write(pipes[0], "x", 1));
    tell_errno("send to a pipe", send(pipes[1], "x", 1, 0));
    struct pollfd set = {pipes[0], POLLIN, 0};
    tell_errno("poll", poll(&set, 1, 20));
    fd_set in;
    FD_ZERO(&in);
    FD_SET(pipes[0], &in);
    struct timeval limit = {0, 20000};
    tell_errno("select", select(pipes[0] + 1, &in, NULL, NULL, &limit));
    const int epoll = epoll_create1(0);
    struct epoll_event event;
    tell_errno("epoll_wait", epoll_wait(epoll, &event, 1, 20));
    tell_errno("epoll_wait for none", epoll_wait(epoll, &event, 0, 20));
    tell_errno("accept on a pipe", accept(pipes[0], NULL, NULL));
    tell_errno("connect a pipe", connect(pipes[0], NULL, 0));
    tell_errno("fsync a pipe", fsync(pipes[0]));
    struct timespec length = {0, -1};
    tell_errno("nanosleep for less than nothing", nanosleep(&length, NULL));
    length.tv_nsec = 1000000;
    tell("clock_nanosleep by a strange clock", clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &length, NULL));
    tell_errno("wait for no child", wait(NULL));
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    length.tv_sec = 5;
    tell_errno("nanosleep, interrupted", nanosleep(&length, &length));
    alarm(1);
    tell("sleep, interrupted, is short", sleep(5) > 0);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    alarm(1);
    tell_errno("semaphore, interrupted", sem_wait(&semaphore));
}

int main(void) {
    mutexes("normal", PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    mutexes("recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    mutexes("error-checking", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    mutexes("adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    mutexes("robust", PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
    mutexes("robust, error-checking", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
    mutexes("inheriting", PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
    mutexes("inheriting, recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
    other_locks();
    meetings();
    system_calls();
    return 0;
}
