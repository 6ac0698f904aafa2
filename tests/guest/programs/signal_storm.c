// Signals by the thousand, sent by another process, while libraries are loaded and unloaded, memory is had and given
// back, and numbers are computed in vector registers: all that were sent are seen, and the sum is right.
#include "../burn.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t seen;

static void on_signal(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)context;
    seen = seen + (info->si_value.sival_int == seen);
}

int main(void) {
    enum { kSent = 2000 };
    const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    MUST(sigaction(SIGRTMIN, &action, NULL) == 0);
    const pid_t sender = fork();
    if (sender == 0) {
        for (int i = 0; i < kSent; ++i) {
            while (sigqueue(getppid(), SIGRTMIN, (union sigval){.sival_int = i}) != 0) {
                usleep(100);
            }
        }
        _exit(0);
    }
    double sum = 0, values[64];
    for (int i = 0; i < 64; ++i) {
        values[i] = i;
    }
    long rounds = 0;
    while (seen < kSent) {
        if (rounds % 16 == 0) {
            void* library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
            MUST(library != NULL && dlsym(library, "cos") != NULL && dlclose(library) == 0);
        }
        free(malloc((size_t)(rounds % 4096) * 64));
        for (int i = 0; i < 64; ++i) {
            sum += values[i] * 0.5;
        }
        ++rounds;
    }
    int status = 1;
    while (waitpid(sender, &status, 0) != sender) {
    }
    burn(20);
    printf("seen in order %d, sender %d, sum %d\n", (int)seen, status, sum == (double)rounds * 1008);
    return 0;
}
