// Loads a plug-in, calls it, and loads another one that has taken its place, as an editor of plug-ins does. What each
// took, in nanoseconds:
//     {"version_one": N, "version_two": N}
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long run(const char* file, const char* plug, const char* name, int times) {
    if (rename(file, plug) != 0) {
        perror(file);
        exit(1);
    }
    void* library = dlopen(plug, RTLD_NOW);
    void (*const work)(long) = library == NULL ? NULL : (void (*)(long))dlsym(library, name);
    if (work == NULL) {
        puts(dlerror());
        exit(1);
    }
    const long long begin = now();
    for (int i = 0; i < times; ++i) {
        work(200000);
    }
    const long long end = now();
    dlclose(library);
    return end - begin;
}

int main(void) {
    const long long one = run("./one.so", "./plug.so", "version_one", 300);
    const long long two = run("./two.so", "./plug.so", "version_two", 100);
    printf("{\"version_one\": %lld, \"version_two\": %lld}\n", one, two);
    return 0;
}
