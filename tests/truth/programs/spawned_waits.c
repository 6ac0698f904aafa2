// Starts programs that take 30 ms in three ways, each in a function of its own, and waits for them. What each took,
// in nanoseconds of the wall clock:
//     {"by_system": N, "by_popen": N, "by_spawn": N, "turns": N}
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum { kTurns = 8 };

extern char** environ;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

__attribute__((noinline)) static void by_system(void) {
    if (system("sleep 0.03") != 0) {
        exit(1);
    }
}

__attribute__((noinline)) static void by_popen(void) {
    FILE* const output = popen("sleep 0.03", "w");
    if (output == NULL || pclose(output) != 0) {
        exit(2);
    }
}

__attribute__((noinline)) static void by_spawn(void) {
    char* words[] = {"sleep", "0.03", NULL};
    pid_t child = 0;
    int status = 0;
    if (posix_spawnp(&child, "sleep", NULL, NULL, words, environ) != 0 || waitpid(child, &status, 0) != child ||
        status != 0) {
        exit(3);
    }
}

int main(void) {
    void (*const ways[])(void) = {by_system, by_popen, by_spawn};
    long long took[3] = {0};
    for (int turn = 0; turn < kTurns; ++turn) {
        for (int way = 0; way < 3; ++way) {
            const long long before = now();
            ways[way]();
            took[way] += now() - before;
        }
    }
    printf("{\"by_system\": %lld, \"by_popen\": %lld, \"by_spawn\": %lld, \"turns\": %d}\n", took[0], took[1],
           took[2], kTurns);
    return 0;
}
