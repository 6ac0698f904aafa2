// Asks to be traced by its parent (PTRACE_TRACEME), in the main thread and in another, and goes on as programs do
// that check for debuggers: handles signals, becomes another program, is stopped and continued. With the argument
// "untraced" it does the same without asking: nothing may be different.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t seen[65];

static void count(int signal) {
    ++seen[signal];
}

static int traced = 1;

static void* ask_and_end(void* raw) {
    if (traced) {
        MUST((raw != NULL ? syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) : ptrace(PTRACE_TRACEME, 0, 0, 0)) == 0);
    }
    MUST(pthread_kill(pthread_self(), SIGUSR2) == 0);
    burn(20);
    return NULL;
}

// Stops this program, which a helper continues once it is seen to be stopped.
static void stop_and_go_on(void) {
    const pid_t own = getpid();
    const pid_t helper = fork();
    if (helper == 0) {
        char path[64];
        char text[512];
        snprintf(path, sizeof path, "/proc/%d/stat", (int)own);
        for (char state = 0; state != 'T'; usleep(2000)) {
            FILE* file = fopen(path, "r");
            MUST(file != NULL && fgets(text, sizeof text, file) != NULL);
            fclose(file);
            state = strrchr(text, ')')[2];
        }
        kill(own, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    MUST(waitpid(helper, NULL, 0) == helper);
}

static void handle(void) {
    struct sigaction action = {.sa_handler = count};
    const int handled[] = {SIGUSR1, SIGUSR2, SIGTRAP, SIGURG, SIGCONT};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; ++i) {
        MUST(sigaction(handled[i], &action, NULL) == 0);
    }
}

int main(int argc, char** argv) {
    traced = argc < 2 || strcmp(argv[argc - 1], "untraced") != 0;
    handle();
    if (argc >= 2 && strcmp(argv[1], "second") == 0) {
        raise(SIGUSR1);
        burn(50);
        stop_and_go_on();
        printf("second: %d %d\n", seen[SIGUSR1], seen[SIGCONT]);
        burn(20);
        return 7;
    }
    for (size_t i = 0; i < 2; ++i) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, ask_and_end, i == 0 ? NULL : &thread) == 0);
        MUST(pthread_join(thread, NULL) == 0);
    }
    if (traced) {
        MUST(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
    }
    raise(SIGUSR1);
    raise(SIGTRAP);
    kill(getpid(), SIGTRAP);
    kill(getpid(), SIGURG);
    burn(50);
    printf("first: %d %d %d %d\n", seen[SIGUSR1], seen[SIGUSR2], seen[SIGTRAP], seen[SIGURG]);
    fflush(stdout);
    execl("/proc/self/exe", argv[0], "second", traced ? NULL : "untraced", NULL);
    return 98;
}
