// May open no more than eight descriptors from its start, and uses every one of them, by the numbers that they have.
#include "../burn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

// Opens as many as there may be; prints their numbers and closes them again.
static void use_all(const char* when) {
    int opened[16];
    int count = 0;
    while (count < 16 && (opened[count] = open("/dev/null", O_RDONLY)) >= 0) {
        ++count;
    }
    MUST(count < 16 && errno == EMFILE);
    printf("%s:", when);
    for (int i = 0; i < count; ++i) {
        printf(" %d", opened[i]);
    }
    puts("");
    burn(50);
    while (count > 0) {
        MUST(close(opened[--count]) == 0);
    }
}

static void* compute(void* unused) {
    burn(20);
    return unused;
}

int main(int argc, char** argv) {
    if (argc < 2) {
        const struct rlimit eight = {8, 8};
        char again[] = "again";
        char* arguments[] = {argv[0], again, NULL};
        MUST(setrlimit(RLIMIT_NOFILE, &eight) == 0);
        execv("/proc/self/exe", arguments);
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    use_all("at first");
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_create(&threads[i], NULL, compute, NULL) == 0);
    }
    use_all("among threads");
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    use_all("at last");
    return 0;
}
