// Built for gprof (-pg): it counts every call by code of its own, samples itself by SIGPROF, and writes what it has
// found at its end, which another process then looks at: calls exactly, samples some.
#include "../burn.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void counted(void);
void counted(void) {
    __asm__ volatile("");
}

// The file's records: histograms (0), arcs with their counts (1), blocks (2).
static void look_at(const char* path) {
    FILE* file = fopen(path, "re");
    char head[20];
    MUST(file != NULL && fread(head, sizeof head, 1, file) == 1 && memcmp(head, "gmon", 4) == 0);
    unsigned long calls = 0, ticks = 0;
    for (int tag; (tag = fgetc(file)) != EOF;) {
        struct {
            uint64_t low, high;
            uint32_t bins, rate;
            char dimension[16];
        } histogram;
        struct {
            uint64_t from, to;
            uint32_t count;
        } __attribute__((packed)) arc;
        if (tag == 0) {
            MUST(fread(&histogram, sizeof histogram, 1, file) == 1);
            for (uint32_t i = 0; i < histogram.bins; ++i) {
                uint16_t bin = 0;
                MUST(fread(&bin, sizeof bin, 1, file) == 1);
                ticks += bin;
            }
        } else {
            MUST(tag == 1 && fread(&arc, sizeof arc, 1, file) == 1);
            calls += arc.count % 1000 == 123 ? arc.count : 0;
        }
    }
    fclose(file);
    printf("%lu calls, sampled %d\n", calls, ticks > 0);
}

int main(int argc, char** argv) {
    char name[64];
    if (argc > 1) {
        for (int i = 0; i < 4123; ++i) {
            counted();
        }
        burn(250);
        return 4;
    }
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        setenv("GMON_OUT_PREFIX", "gmon", 1);
        execl("/proc/self/exe", argv[0], "again", (char*)NULL);
        _exit(98);
    }
    MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4);
    snprintf(name, sizeof name, "gmon.%d", (int)child);
    look_at(name);
    MUST(unlink(name) == 0);
    _exit(fflush(stdout) == 0 ? 0 : 98);  // writes none of its own
}
