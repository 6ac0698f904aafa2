// Loads, uses and unloads a library again and again, also from two threads at once: code comes and goes under the
// sampler.
#include "../burn.h"

#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <string.h>

static char path[4096];

static void* again_and_again(void* times) {
    for (int i = 0; i < *(int*)times; ++i) {
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        MUST(library != NULL);
        int (*work)(int) = (int (*)(int))dlsym(library, "plugin_work");
        MUST(work != NULL);
        MUST(work(5) == 5);
        MUST(dlclose(library) == 0);
    }
    return NULL;
}

int main(int argc, char** argv) {
    (void)argc;
    snprintf(path, sizeof path, "%s/libguest_plugin.so", dirname(strdup(argv[0])));
    int times = 40;
    again_and_again(&times);
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) {
        MUST(pthread_create(&threads[i], NULL, again_and_again, &times) == 0);
    }
    for (int i = 0; i < 2; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    MUST(dlopen("/no/such/library.so", RTLD_NOW) == NULL);
    MUST(dlerror() != NULL);
    MUST(dlerror() == NULL);
    puts("loaded and unloaded");
    return 0;
}
