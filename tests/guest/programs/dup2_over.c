// Puts descriptors of its own at fixed numbers, as shells and servers do, and finds in them what it wrote, while
// threads come and go.
#include "../burn.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(10);
    return unused;
}

int main(void) {
    char name[] = "/tmp/dup2_over-XXXXXX";
    const int file = mkstemp(name);
    struct stat expected, seen;
    MUST(file >= 0 && unlink(name) == 0 && fstat(file, &expected) == 0);
    burn(30);
    for (int number = 3; number < 40; ++number) {
        if (number != file) {
            MUST(dup2(file, number) == number);
        }
    }
    for (int i = 0; i < 10; ++i) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0);
        burn(10);
        MUST(pthread_join(thread, NULL) == 0);
    }
    for (int number = 3; number < 40; ++number) {
        MUST(fstat(number, &seen) == 0 && seen.st_ino == expected.st_ino);
        MUST(write(number, "0123456789", 10) == 10);
    }
    MUST(lseek(file, 0, SEEK_END) == 370);
    puts("370 bytes");
    return 0;
}
