/* memory_steps [child]: touches 64 MiB, gives them back, touches 16 MiB. Before the first step and behind each it
 * prints its name and waits for a line: whoever drives it decides how long a step lasts, and meanwhile nothing
 * changes. With "child" a forked child does the same with 16 MiB before all this. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMiB = 1024 * 1024 };

static char* touch(size_t mib) {
    char* const memory = mmap(NULL, mib * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        exit(2);
    }
    madvise(memory, mib * kMiB, MADV_NOHUGEPAGE); /* a page is there when it has been touched, and no earlier */
    memset(memory, 1, mib * kMiB);
    return memory;
}

static void step(const char* name) {
    char line[16];
    printf("{\"step\": \"%s\", \"pid\": %d}\n", name, (int)getpid());
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == NULL) {
        exit(3);
    }
}

/* Enough work to be sampled, so that the process has a file in the recording. */
__attribute__((noinline)) static unsigned work(void) {
    unsigned x = 1;
    for (long i = 0; i < 60L * kMiB; ++i) {
        x = x * 1664525U + 1013904223U;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

int main(int count, char** words) {
    setvbuf(stdin, NULL, _IONBF, 0); /* parent and child read lines of one pipe */
    step("start");
    if (count > 1 && strcmp(words[1], "child") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            work();
            touch(16);
            step("child");
            return 0;
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) {
            return 4;
        }
    }
    char* const large = touch(64);
    step("large");
    munmap(large, 64UL * kMiB);
    step("given back");
    touch(16);
    step("small");
    return 0;
}
