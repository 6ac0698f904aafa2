// An image that appears and goes away: dlopen, a call into it, dlclose.
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static volatile double sink;

__attribute__((noinline)) void scenario(void) {
    void* library = dlopen("libm.so.6", RTLD_NOW);
    if (library != NULL) {
        double (*function)(double) = NULL;
        void* found = dlsym(library, "cbrt");
        memcpy(&function, &found, sizeof found);
        sink = function != NULL ? function(3.0) : 0;
        dlclose(library);
    }
}

int main(void) {
    scenario();
    return 0;
}
