// main leaves by pthread_exit; the program goes on in another thread and ends with its status.
#include "../burn.h"

#include <pthread.h>

static void* rest(void* unused) {
    burn(100);
    puts("the other thread had the last word");
    exit(7);
    return unused;
}

int main(void) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, rest, NULL) == 0);
    burn(30);
    pthread_exit(NULL);
}
