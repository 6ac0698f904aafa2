// exec from a thread other than main, while a third computes: the new program has the process to itself.
#include "../burn.h"

#include <pthread.h>
#include <unistd.h>

static char* self;

static void* compute(void* unused) {
    burn(100000);
    return unused;
}

static void* becomes(void* unused) {
    burn(20);
    execl(self, self, "second", (char*)NULL);
    return unused;
}

int main(int argc, char** argv) {
    pthread_t threads[2];
    burn(10);
    if (argc > 1) {
        printf("%s\n", argv[1]);
        return gettid() == getpid() ? 4 : 5;
    }
    self = argv[0];
    puts("first");
    fflush(stdout);
    MUST(pthread_create(&threads[0], NULL, compute, NULL) == 0);
    MUST(pthread_create(&threads[1], NULL, becomes, NULL) == 0);
    pthread_join(threads[0], NULL);
    return 98;
}
