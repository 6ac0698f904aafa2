// A thread's whole life: made, started, with thread-local storage and clean-ups; ended by return, by pthread_exit (a
// forced unwinding) or by cancellation.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;
static __thread int local;
static pthread_key_t key;

__attribute__((noinline)) static void clean_up(void* argument) {
    sink = *(int*)argument;
}
static void destroy(void* value) {
    sink = value != NULL;
}

__attribute__((noinline)) static void leave(void) {
    pthread_exit(NULL);
}

static void* body(void* argument) {
    const char* how = argument;
    int value = 3;
    local = value;
    pthread_setspecific(key, argument);
    pthread_cleanup_push(clean_up, &value);
    if (strcmp(how, "exit") == 0) {
        leave();
    } else if (strcmp(how, "cancel") == 0) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
    pthread_cleanup_pop(1);
    return NULL;
}

static void run(const char* how) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, (void*)how);
    pthread_join(thread, NULL);
}

__attribute__((noinline)) void scenario(const char* how) {
    run(how);
    sink = 0;
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "return";
    pthread_key_create(&key, destroy);
    run(how);  // the first time a library is loaded for unwinding; that is not of interest here
    scenario(how);
    return 0;
}
