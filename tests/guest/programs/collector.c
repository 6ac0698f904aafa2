// A conservative garbage collector: it stops the other threads by a signal, then reads every word that the process
// can write, as /proc/self/maps lists it, for pointers into its heap. Whatever lies there must let itself be read.
#include "../burn.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { kThreads = 3, kObject = 4096 };
static sem_t stopped, started;
static volatile int done;
static char* heap;

static void on_stop(int number) {
    sigset_t all_but;
    (void)number;
    sigfillset(&all_but);
    sigdelset(&all_but, SIGXCPU);
    sem_post(&stopped);
    sigsuspend(&all_but);
}

static void on_go(int number) {
    (void)number;
}

static void* mutate(void* object) {
    char* volatile only = object;  // on this thread's stack
    sem_post(&started);
    while (!done) {
        burn(1);
    }
    return only;
}

__attribute__((noinline)) static unsigned collect(void) {
    FILE* maps = fopen("/proc/self/maps", "re");
    char line[4500];
    static struct {
        unsigned long begin, end;
    } areas[4096];
    int count = 0;
    unsigned found = 0;
    MUST(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL && count < 4096) {
        char rights[5] = "";
        MUST(sscanf(line, "%lx-%lx %4s", &areas[count].begin, &areas[count].end, rights) == 3);
        count += rights[0] == 'r' && rights[1] == 'w' && strstr(line, "[v") == NULL;
    }
    fclose(maps);
    for (int i = 0; i < count; ++i) {
        for (const unsigned long* word = (unsigned long*)areas[i].begin; word < (unsigned long*)areas[i].end;
             ++word) {
            const unsigned long offset = *word - (unsigned long)heap;
            found |= offset < kThreads * kObject && offset % kObject == 64 ? 1U << (offset / kObject) : 0;
        }
    }
    return found;
}

int main(void) {
    pthread_t threads[kThreads];
    const struct sigaction go = {.sa_handler = on_go};
    struct sigaction stop = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    sigaddset(&stop.sa_mask, SIGXCPU);  // it may come before the thread waits for it
    MUST(sigaction(SIGPWR, &stop, NULL) == 0 && sigaction(SIGXCPU, &go, NULL) == 0);
    MUST(sem_init(&stopped, 0, 0) == 0 && sem_init(&started, 0, 0) == 0);
    heap = mmap(NULL, kThreads * kObject, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(heap != MAP_FAILED);
    for (int i = 0; i < kThreads; ++i) {
        MUST(pthread_create(&threads[i], NULL, mutate, heap + i * kObject + 64) == 0);
        MUST(sem_wait(&started) == 0);
    }
    for (int round = 0; round < 4; ++round) {
        burn(3);
        for (int i = 0; i < kThreads; ++i) {
            MUST(pthread_kill(threads[i], SIGPWR) == 0);
        }
        for (int i = 0; i < kThreads; ++i) {
            MUST(sem_wait(&stopped) == 0);
        }
        printf("alive: %x\n", collect());
        for (int i = 0; i < kThreads; ++i) {
            MUST(pthread_kill(threads[i], SIGXCPU) == 0);
        }
    }
    done = 1;
    for (int i = 0; i < kThreads; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    return 0;
}
