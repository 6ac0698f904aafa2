// Loads 40 large libraries (copies of the one it is given, in its folder), one after the other, and works in each for
// a few milliseconds: a sampling monitor has to learn each of them while the program runs. Prints the processor time
// of the work, in ns.
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

enum { kLibraries = 40 };

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int copy(const char* from, const char* to) {
    char bytes[65536];
    FILE* in = fopen(from, "rb");
    FILE* out = fopen(to, "wb");
    size_t count = 0;
    while (in != NULL && out != NULL && (count = fread(bytes, 1, sizeof bytes, in)) > 0) {
        fwrite(bytes, 1, count, out);
    }
    const int good = in != NULL && out != NULL;
    if (in != NULL) {
        fclose(in);
    }
    if (out != NULL) {
        fclose(out);
    }
    return good;
}

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    long long worked = 0;
    for (int i = 0; i < kLibraries; ++i) {
        char path[64];
        snprintf(path, sizeof path, "./library-%d.so", i);
        if (!copy(argv[1], path)) {
            return 3;
        }
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            return 4;
        }
        unsigned long (*work)(unsigned long) = NULL;
        *(void**)&work = dlsym(library, "library_work");
        const long long begin = now();
        while (now() - begin < 20000000) {
            work(100000);
        }
        worked += now() - begin;
    }
    printf("{\"worked_ns\": %lld}\n", worked);
    return 0;
}
