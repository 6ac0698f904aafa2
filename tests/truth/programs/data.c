/* Data that conditions read: what each call of step() finds is a matter of arithmetic (test_data.py). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct cell {
    char pad[3];
    short depth;
    unsigned flag : 3;
    signed lag : 5;
    unsigned long big : 40;
};
struct grid {
    int n;
    int level;
    struct cell cells[4];
    struct grid* next;
    union {
        int u;
        float f;
    };
};
enum color { RED = -1, GREEN = 2 };

struct grid* grid;
struct grid own_grid;
static volatile int mode;
_Thread_local int worker;
unsigned char byte = 250;
enum color color;
double temperature = 1.5;
int table[3][2];
int list[5];
long* number;
int letter = 3; /* hidden by a parameter */
int keep = 4;   /* and by a local variable */
extern int shared_level;
extern _Thread_local int shared_worker;
void shared_step(int turn);
void other_step(void);

__attribute__((noinline)) void step(int turn, struct grid* from) {
    __asm__ volatile(".rept 8\n nop\n.endr" ::"r"(turn), "r"(from) : "memory");
}

__attribute__((noinline)) int mixed(double x, long far, char letter) {
    __asm__ volatile(".rept 8\n nop\n.endr" ::"r"(far) : "memory");
    return (int)(x * 2) + (int)far + letter; /* LINE */
}

#include "data_inline.h"

__attribute__((always_inline)) static inline void inner(long deep) {
    __asm__ volatile(".rept 8\n nop\n.endr" ::"r"(deep) : "memory");
}

/* Its first instructions may be those of what is inlined. */
__attribute__((noinline)) void outer(long deep) {
    inner(deep + 1);
}

static void* run(void* of) {
    worker = (int)(intptr_t)of;
    shared_worker = 10 * worker;
    for (int i = 0; i < 100; ++i) {
        step(i, grid);
    }
    return NULL;
}

int main(int count, char** words) {
    if (count < 2) {
        return 2;
    }
    grid = calloc(1, sizeof *grid);
    grid->next = calloc(1, sizeof *grid);
    void* gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, 4096);
    for (int i = 0; i < 1000; ++i) {
        grid->level = i % 10;
        mode = i % 4;
        grid->cells[2].depth = (short)-i;
        grid->cells[1].flag = (unsigned)i % 8;
        grid->cells[1].lag = i % 16 - 8;
        grid->cells[3].big = 1UL << (i % 40);
        grid->u = i;
        own_grid.level = i;
        color = i % 2 ? RED : GREEN;
        list[4] = i;
        shared_level = i % 3;
        struct grid* keep = grid;
        if (i % 100 == 0) {
            grid = NULL;
        } else if (i % 100 == 1) {
            grid = gone;
        } else if (i % 100 == 2) {
            grid = (struct grid*)(intptr_t)0x8000000000000123; /* no address at all */
        }
        step(i, keep); /* LOCAL */
        outer(of_mode(i) % 10);
        grid = keep;
        mixed(0.5, i, 'a');
        shared_step(i);
        other_step();
    }
    pthread_t thread;
    pthread_create(&thread, NULL, run, (void*)(intptr_t)7);
    pthread_join(thread, NULL);
    const pid_t child = fork();
    if (child == 0) {
        grid->level = 77;
        own_grid.level = 77;
        step(-5, grid);
        exit(0);
    }
    waitpid(child, NULL, 0);
    void* plugin = dlopen(words[1], RTLD_NOW);
    void (*plugin_run)(int) = plugin == NULL ? NULL : (void (*)(int))dlsym(plugin, "plugin_run");
    if (plugin_run == NULL) {
        return 3;
    }
    plugin_run(100);
    dlclose(plugin);
    step(-1, grid);
    return 0;
}
