// As many mappings as the kernel allows a process (vm.max_map_count), as large Java programs and debugging allocators
// have them: not one more can be made, and a look through all of them takes long.
#include "../burn.h"

#include <pthread.h>
#include <sys/mman.h>

static void* compute(void* unused) {
    burn(20);
    return unused;
}

int main(void) {
    FILE* file = fopen("/proc/sys/vm/max_map_count", "re");
    int most = 0;
    static char stack[262144] __attribute__((aligned(4096)));
    MUST(file != NULL && fscanf(file, "%d", &most) == 1);
    fclose(file);
    burn(10);
    if (most > 70000) {
        puts("too many are allowed");
        return 0;
    }
    const size_t bytes = (size_t)most * 2 * 4096;
    char* area = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    MUST(area != MAP_FAILED);
    int made = 0;
    while (made < most && mprotect(area + (size_t)made * 8192, 4096, PROT_READ) == 0) {
        ++made;
    }
    burn(20);
    pthread_t thread;
    pthread_attr_t attributes;
    MUST(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
    MUST(pthread_create(&thread, &attributes, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
    printf("all used up: %d\n", made < most && made > most / 4);
    MUST(munmap(area, bytes) == 0);
    burn(10);
    return 0;
}
