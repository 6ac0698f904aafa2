// pthread_atfork's handlers, around forks in two threads at once while others compute: each in its order, in parent
// and child.
#include "../burn.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int prepared, in_parent, in_child;

static void prepare(void) {
    MUST(pthread_mutex_lock(&mutex) == 0);
    ++prepared;
}
static void parent(void) {
    ++in_parent;
    MUST(pthread_mutex_unlock(&mutex) == 0);
}
static void child(void) {
    ++in_child;
    MUST(pthread_mutex_unlock(&mutex) == 0);
}

static void* compute(void* unused) {
    for (int i = 0; i < 40; ++i) {
        MUST(pthread_mutex_lock(&mutex) == 0);
        burn(1);
        MUST(pthread_mutex_unlock(&mutex) == 0);
    }
    return unused;
}

static void* do_nothing(void* result) {
    burn(2);
    return result;
}

static void* forks(void* unused) {
    long sum = 0;
    for (int i = 0; i < 5; ++i) {
        const pid_t process = fork();
        if (process == 0) {
            pthread_t thread;
            void* result = NULL;
            MUST(pthread_create(&thread, NULL, do_nothing, &mutex) == 0 && pthread_join(thread, &result) == 0);
            _exit(result == &mutex ? in_child : 77);
        }
        int status = 0;
        MUST(waitpid(process, &status, 0) == process);
        sum += WEXITSTATUS(status);
    }
    return unused == NULL ? (void*)sum : NULL;
}

int main(void) {
    pthread_t threads[4];
    void* results[4];
    MUST(pthread_atfork(prepare, parent, child) == 0);
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_create(&threads[i], NULL, i < 2 ? forks : compute, NULL) == 0);
    }
    for (int i = 0; i < 4; ++i) {
        MUST(pthread_join(threads[i], &results[i]) == 0);
    }
    printf("prepared %d, parent %d, children %ld %ld\n", prepared, in_parent, (long)results[0], (long)results[1]);
    return 0;
}
