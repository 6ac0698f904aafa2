/* A run time of OpenMP that only a plug-in brings, found in the plug-in's own scope. It stays: libgomp's threads do
   not survive its unloading. */
#include "../burn.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char path[PATH_MAX + 64] = "";
    char self[PATH_MAX] = "";
    MUST(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(path, sizeof path, "%s/libguest_openmp_plugin.so", dirname(self));
    void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    MUST(plugin != NULL);
    int (*work)(int) = (int (*)(int))dlsym(plugin, "openmp_work");
    MUST(work != NULL);
    printf("%d %d\n", work(3), work(2));
    burn(50);
    return 0;
}
