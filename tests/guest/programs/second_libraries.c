// Libraries in a name space of the linker's own (dlmopen), the C library a second time among them: its threads,
// allocations and signals.
#include "../burn.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

int main(void) {
    burn(10);
    void* other = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW);
    MUST(other != NULL);
    void* (*other_malloc)(size_t) = dlsym(other, "malloc");
    void (*other_free)(void*) = dlsym(other, "free");
    char* (*other_strdup)(const char*) = dlsym(other, "strdup");
    int (*other_mask)(int, const sigset_t*, sigset_t*) = dlsym(other, "pthread_sigmask");
    MUST(other_malloc != NULL && other_malloc != malloc && other_strdup != NULL);
    sigset_t set, now;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    MUST(other_mask(SIG_BLOCK, &set, NULL) == 0 && pthread_sigmask(SIG_SETMASK, NULL, &now) == 0);
    for (int i = 0; i < 2000; ++i) {
        char* text = other_strdup("a text in the other heap");
        MUST(strlen(text) == 24);
        other_free(text);
        other_free(other_malloc((size_t)i * 100));
    }
    burn(20);
    printf("blocked by the other: %d %d\n", sigismember(&now, SIGUSR1), sigismember(&now, SIGURG));
    MUST(dlclose(other) == 0);
    burn(10);
    return 0;
}
