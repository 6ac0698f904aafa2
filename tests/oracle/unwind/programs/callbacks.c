// The C library calling back: qsort (merge sort and heap), bsearch, a tree walk, on-exit functions.
#include <search.h>
#include <stdlib.h>

static volatile int sink;

static int compare(const void* a, const void* b) {
    const int x = *(const int*)a;
    const int y = *(const int*)b;
    return (x > y) - (x < y);
}

static void visit(const void* node, VISIT when, int depth) {
    (void)node;
    sink = (int)when + depth;
}

static void at_end(void) {
    sink = 1;
}

__attribute__((noinline)) void scenario(int n) {
    static int values[40];
    void* tree = NULL;
    for (int i = 0; i < 40; i++) {
        values[i] = (i * 17 + n) % 40;
    }
    qsort(values, 40, sizeof values[0], compare);
    sink = bsearch(&values[7], values, 40, sizeof values[0], compare) != NULL;
    for (int i = 0; i < 12; i++) {
        tsearch(&values[i], &tree, compare);
    }
    twalk(tree, visit);
    atexit(at_end);
    exit(0);
}

int main(int argc, char** argv) {
    (void)argv;
    scenario(argc);
    return 0;
}
