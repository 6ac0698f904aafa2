// Overflows its stack twice, in main and in a thread, catches the fault on an alternate stack and jumps out; and uses
// most of a thread's stack in one frame.
#include "../burn.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static __thread sigjmp_buf back;

static void on_fault(int number) {
    siglongjmp(back, number);
}

static __attribute__((noinline)) int deeper(int depth) {
    volatile char frame[4096];
    frame[0] = (char)depth;
    frame[4095] = 1;
    return depth < 1000000 ? deeper(depth + 1) + frame[0] : 0;
}

static __attribute__((noinline)) void large_frame(void) {
    volatile char frame[400 * 1024];
    memset((char*)frame, 1, sizeof frame);
    burn(10);
}

static void* overflow(void* unused) {
    stack_t elsewhere = {.ss_size = 65536};
    elsewhere.ss_sp = malloc(elsewhere.ss_size);
    MUST(sigaltstack(&elsewhere, NULL) == 0);
    for (volatile int i = 0; i < 3; ++i) {
        const int number = sigsetjmp(back, 1);
        if (number == 0) {
            burn(5);
            deeper(0);
        }
        MUST(number == SIGSEGV);
    }
    large_frame();
    elsewhere.ss_flags = SS_DISABLE;
    MUST(sigaltstack(&elsewhere, NULL) == 0);
    return unused;
}

int main(void) {
    const struct rlimit limit = {1 << 20, RLIM_INFINITY};
    const struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    pthread_t thread;
    pthread_attr_t attributes;
    setrlimit(RLIMIT_STACK, &limit);
    MUST(sigaction(SIGSEGV, &action, NULL) == 0 && pthread_attr_init(&attributes) == 0);
    MUST(pthread_attr_setstacksize(&attributes, 512 * 1024) == 0);
    MUST(pthread_create(&thread, &attributes, overflow, NULL) == 0 && pthread_join(thread, NULL) == 0);
    overflow(NULL);
    puts("caught every overflow");
    return 0;
}
