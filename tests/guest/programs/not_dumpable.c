// A program that keeps others out of its memory (PR_SET_DUMPABLE): its files in /proc are root's then.
#include "../burn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void* work(void* unused) {
    burn(60);
    return unused;
}

int main(void) {
    MUST(prctl(PR_SET_DUMPABLE, 0) == 0);
    burn(100);
    void* library = dlopen("libm.so.6", RTLD_NOW);
    double (*cosine)(double) = NULL;
    MUST(library != NULL);
    *(void**)&cosine = dlsym(library, "cos");
    printf("%.3f\n", cosine(1));
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        burn(60);
        printf("child\n");
        return 3;
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    printf("status %d, dumpable %d\n", WEXITSTATUS(status), prctl(PR_GET_DUMPABLE));
    return 0;
}
