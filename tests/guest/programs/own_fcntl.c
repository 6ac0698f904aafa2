// A program with a function of its own named fcntl, as libraries that trace descriptors have: it must see the
// program's calls, and none of whoever records it.
#include "../burn.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls;

int fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void* const argument = va_arg(list, void*);
    va_end(list);
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return (int)syscall(SYS_fcntl, file, command, argument);
}

static void* work(void* unused) {
    burn(20);
    return unused;
}

int main(void) {
    MUST(fcntl(0, F_GETFD) >= 0);
    for (int i = 0; i < 4; ++i) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, work, NULL) == 0 && pthread_join(thread, NULL) == 0);
    }
    burn(50);
    printf("%d calls\n", calls);
    return 0;
}
