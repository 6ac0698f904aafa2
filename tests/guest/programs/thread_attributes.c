// Threads made with every attribute that there is: a signal mask, processors, the size and guard of the stack,
// policy; each thread finds in itself what was asked for.
#include "../burn.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

static void tell(const char* where) {
    pthread_attr_t own;
    sigset_t mask;
    cpu_set_t processors;
    size_t stack = 0, guard = 0;
    int detached = 0, policy = 0, inherits = 0;
    struct sched_param priority;
    MUST(pthread_getattr_np(pthread_self(), &own) == 0);
    MUST(pthread_attr_getstacksize(&own, &stack) == 0 && pthread_attr_getguardsize(&own, &guard) == 0);
    MUST(pthread_attr_getdetachstate(&own, &detached) == 0 && pthread_attr_getinheritsched(&own, &inherits) == 0);
    MUST(pthread_getschedparam(pthread_self(), &policy, &priority) == 0);
    MUST(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    MUST(pthread_getaffinity_np(pthread_self(), sizeof processors, &processors) == 0);
    printf("%s: stack %zu, guard %zu, detached %d, inherits %d, policy %d %d, processors %d, blocked", where, stack,
           guard, detached, inherits, policy, priority.sched_priority, CPU_COUNT(&processors));
    for (int number = 1; number < 65; ++number) {
        if (sigismember(&mask, number) == 1) {
            printf(" %d", number);
        }
    }
    puts("");
    MUST(pthread_attr_destroy(&own) == 0);
}

static void* compute(void* name) {
    burn(10);
    tell(name);
    return NULL;
}

static void make(const pthread_attr_t* attributes, void* name) {
    pthread_t thread;
    MUST(pthread_create(&thread, attributes, compute, name) == 0 && pthread_join(thread, NULL) == 0);
}

int main(void) {
    pthread_attr_t attributes;
    sigset_t mask;
    cpu_set_t one;
    make(NULL, "plain");
    MUST(pthread_attr_init(&attributes) == 0 && sigfillset(&mask) == 0 && sigdelset(&mask, SIGUSR1) == 0);
    MUST(pthread_attr_setsigmask_np(&attributes, &mask) == 0);
    make(&attributes, "nearly all blocked");
    sigemptyset(&mask);
    sigaddset(&mask, SIGURG);
    MUST(pthread_attr_setsigmask_np(&attributes, &mask) == 0);
    make(&attributes, "one blocked");
    sigaddset(&mask, SIGTERM);
    MUST(pthread_sigmask(SIG_SETMASK, &mask, NULL) == 0);
    make(NULL, "as its maker");
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    MUST(pthread_attr_setaffinity_np(&attributes, sizeof one, &one) == 0);
    MUST(pthread_attr_setstacksize(&attributes, 300000) == 0 && pthread_attr_setguardsize(&attributes, 40000) == 0);
    make(&attributes, "one processor, odd stack");
    MUST(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
    MUST(pthread_attr_setschedpolicy(&attributes, SCHED_OTHER) == 0 &&
         pthread_attr_setguardsize(&attributes, 0) == 0);
    make(&attributes, "no guard");
    pthread_attr_t usual;
    MUST(pthread_attr_init(&usual) == 0 && pthread_attr_setstacksize(&usual, 196608) == 0);
    MUST(pthread_setattr_default_np(&usual) == 0);
    make(NULL, "another usual size");
    return 0;
}
