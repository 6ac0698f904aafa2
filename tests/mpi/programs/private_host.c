/* A program without MPI that loads a part with it, which nobody else sees (RTLD_LOCAL). Argument: the part. */
#include <dlfcn.h>

int main(int argc, char** argv) {
    void* part = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
    return part == 0 ? 2 : ((int (*)(void))dlsym(part, "go"))();
}
