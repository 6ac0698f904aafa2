// Stacks in pieces (-fsplit-stack): every deep call may go over to a piece taken from the heap.
#include "../burn.h"

#include <pthread.h>

static __attribute__((noinline)) unsigned long down(int depth, unsigned long x) {
    volatile char piece[3000];
    piece[depth % 3000] = (char)depth;
    if (depth == 0) {
        burn(2);
        return x;
    }
    return down(depth - 1, x * 31 + (unsigned long)piece[depth % 3000]) + 1;
}

static void* work(void* sum) {
    for (int i = 0; i < 40; ++i) {
        *(unsigned long*)sum += down(10 + 5 * i, (unsigned long)i);
    }
    return NULL;
}

int main(void) {
    unsigned long sums[3] = {0};
    pthread_t threads[2];
    MUST(pthread_create(&threads[0], NULL, work, &sums[0]) == 0 &&
         pthread_create(&threads[1], NULL, work, &sums[1]) == 0);
    work(&sums[2]);
    MUST(pthread_join(threads[0], NULL) == 0 && pthread_join(threads[1], NULL) == 0);
    printf("%lx %d\n", sums[0], sums[0] == sums[1] && sums[1] == sums[2]);
    return 0;
}
