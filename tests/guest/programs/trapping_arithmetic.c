// Every floating-point exception traps, also an inexact result, as in programs that look for where a number goes
// wrong; meanwhile threads, locks, waits, processes and libraries are used. None of the traps is anybody's but the
// program's.
#include "../burn.h"

#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile double one = 1, three = 3, result;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void on_trap(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static void* compute(void* unused) {
    burn(20);
    MUST(pthread_mutex_lock(&mutex) == 0);
    burn(2);
    MUST(pthread_mutex_unlock(&mutex) == 0);
    MUST(fegetexcept() == FE_ALL_EXCEPT);
    return unused;
}

int main(void) {
    const struct sigaction action = {.sa_handler = on_trap};
    int status = 0;
    feenableexcept(FE_ALL_EXCEPT);
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_create(&threads[i], NULL, compute, NULL) == 0);
    }
    for (int i = 0; i < 200; ++i) {
        MUST(pthread_mutex_lock(&mutex) == 0);
        usleep(100);
        MUST(pthread_mutex_unlock(&mutex) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    void* library = dlopen("libutil.so.1", RTLD_NOW);
    burn(10);
    MUST(library == NULL || dlclose(library) == 0);
    const pid_t child = fork();
    if (child == 0) {
        burn(20);
        _exit(fegetexcept() == FE_ALL_EXCEPT ? 5 : 6);
    }
    MUST(waitpid(child, &status, 0) == child);
    printf("in the child: %d\n", WEXITSTATUS(status));
    MUST(sigaction(SIGFPE, &action, NULL) == 0);
    for (volatile int i = 0; i < 5; ++i) {
        if (sigsetjmp(back, 1) == 0) {
            burn(2);
            result = one / three;
            puts("not trapped");
        }
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(FE_ALL_EXCEPT);
    }
    puts("trapped");
    return 0;
}
