// Computes for a while in two threads whose names are the arguments, in a function whose name the test replaces in
// the finished file: bytes that a name can have and a terminal must not get.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) void hostile_function_0123456789(double seconds) {
    struct timespec now;
    double begin = 0;
    do {
        for (int i = 0; i < 10000; ++i) {
            sink += (unsigned long)i * sink;
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        const double time = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
        begin = begin == 0 ? time : begin;
        seconds -= time - begin;
        begin = time;
    } while (seconds > 0);
}

static void* work(void* name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
    hostile_function_0123456789(0.2);
    return NULL;
}

int main(int argc, char** argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: hostile_names NAME NAME\n");
        return 2;
    }
    pthread_t thread;
    pthread_create(&thread, NULL, work, argv[1]);
    work(argv[2]);
    pthread_join(thread, NULL);
    return 0;
}
