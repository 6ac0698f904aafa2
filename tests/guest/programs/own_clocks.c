// A time name space of its own, where the kernel lets it: its child lives there, and the machine has been up for
// years. The kernel's records are in the machine's own time; the program sees its own.
#include "../burn.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(20);
    return unused;
}

static int is_later(void) {
    return burn_clock(CLOCK_MONOTONIC) > 1000000000LL * 1000000000LL;
}

int main(int argc, char** argv) {
    static const char kOffset[] = "monotonic 2000000000 0\n";
    pthread_t thread;
    burn(20);
    if (argc > 1) {
        printf("after exec: %s\n", is_later() ? "years" : "not long");
        return 5;
    }
    const int own = unshare(0x80) == 0;  // CLONE_NEWTIME
    const int file = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    const int moved = own && file >= 0 && write(file, kOffset, sizeof kOffset - 1) == sizeof kOffset - 1;
    printf("its own time: %d, up for %s\n", moved, is_later() ? "years" : "not long");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        printf("child: %s\n", is_later() ? "years" : "not long");
        fflush(stdout);
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
        burn(20);
        usleep(2000);
        MUST(pthread_join(thread, NULL) == 0);
        execl("/proc/self/exe", argv[0], "again", (char*)NULL);
        _exit(98);
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}
