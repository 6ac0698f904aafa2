// Starts children that end before anything can be sampled, and a few that do not:
//     short_children COUNT [limited]
// COUNT each of: a program that ends at once (this one with "end"), and a child without exec that sleeps for 2 ms;
// with "limited" also one that may write no files any more (RLIMIT_FSIZE). Then one that sleeps for 40 ms, one with a
// thread, and one that computes for 40 ms. Prints how many there were; exit status 1: one of them ended otherwise
// than it should.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kEnd = 3 };

static const char* self;
static int children = 0;
static int wrong = 0;

static void sleep_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static double processor_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void* nothing(void* argument) {
    return argument;
}

static void begin(void) {
    execl(self, "short_children", "end", (char*)NULL);
    _exit(99);
}

static void doze(void) {
    sleep_ms(2);
    exit(kEnd);
}

static void limited(void) {
    const struct rlimit none = {1, 1};
    setrlimit(RLIMIT_FSIZE, &none);
    exit(kEnd);
}

static void rest(void) {
    sleep_ms(40);
    exit(kEnd);
}

static void thread(void) {
    pthread_t handle;
    if (pthread_create(&handle, NULL, nothing, NULL) == 0) {
        pthread_join(handle, NULL);
    }
    exit(kEnd);
}

static void work(void) {
    static volatile double value = 1;
    while (processor_ms() < 40) {
        for (int i = 0; i < 20000; ++i) {
            value = value * 1.0000001 + 0.5;
        }
    }
    exit(kEnd);
}

static void child(void (*what)(void)) {
    const pid_t pid = fork();
    if (pid == 0) {
        what();
    }
    int status = 0;
    ++children;
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != kEnd) {
        fprintf(stderr, "child %d: status %#x\n", children, (unsigned)status);
        wrong = 1;
    }
}

int main(int argc, char** argv) {
    if (argc > 1 && strcmp(argv[1], "end") == 0) {
        return kEnd;
    }
    self = argv[0];
    const int count = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < count; ++i) {
        child(begin);
        child(doze);
        if (argc > 2 && strcmp(argv[2], "limited") == 0) {
            child(limited);
        }
    }
    child(rest);
    child(thread);
    child(work);
    printf("{\"truth\": {\"children\": %d}}\n", children);
    return wrong;
}
