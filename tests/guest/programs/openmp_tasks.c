/* Explicit tasks: recursion, dependences, taskgroup, taskloop with a reduction, large and aligned data, undeferred
   and detached ones, tasks outside parallel regions; and loops and data that leave little room on the stack. */
#include "../burn.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

static long fibonacci(int n) {
    if (n < 2) {
        return n;
    }
    long a = 0, b = 0;
#pragma omp task shared(a) if (n > 8)
    a = fibonacci(n - 1);
#pragma omp task shared(b)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

struct Large {
    char bytes[600];
} __attribute__((aligned(64)));

static long large(const struct Large* from) {
    struct Large data = *from;
    long sum = 0;
#pragma omp task firstprivate(data) shared(sum)
    {
        sum += (long)strlen(data.bytes) + (((unsigned long)&data) % 64 != 0) * 1000000;
        data.bytes[0] = 0;
    }
#pragma omp taskwait
    return sum + data.bytes[0];
}

/* More tasks than a run time puts off: it executes them at once. */
static long many(void) {
    long sum = 0;
#pragma omp taskloop grainsize(1) shared(sum)
    for (int i = 0; i < 100000; ++i) {
#pragma omp atomic
        sum += i;
    }
    return sum;
}

/* Likewise, where a function of the compiler's copies each task's data: libgomp keeps all copies on the stack. Clang
   refuses arrays of variable length there. */
static long many_copied(int length) {
#ifdef __clang__
    return 27000L * (length - 1);
#else
    char text[length];
    memset(text, 'y', (size_t)length);
    text[length - 1] = 0;
    long sum = 0;
#pragma omp taskloop grainsize(1) shared(sum) firstprivate(text)
    for (int i = 0; i < 27000; ++i) {
        const long size = (long)strlen(text);
#pragma omp atomic
        sum += size;
    }
    return sum;
#endif
}

struct Huge {
    char bytes[15 << 18];
};

/* libgomp copies the data of a task that it executes at once: there is no room for a third copy. */
static long huge(void) {
    struct Huge data;
    memset(data.bytes, 0, sizeof data.bytes);
    data.bytes[2 << 20] = 7;
    long result = 0;
#pragma omp task firstprivate(data) shared(result) if (0)
    result = data.bytes[2 << 20];
    return result;
}

static void dependences(void) {
    int x = 1;
#pragma omp task depend(out : x) shared(x)
    x = 5;
#pragma omp task depend(inout : x) shared(x)
    x *= 3;
#pragma omp task depend(in : x) shared(x)
    printf("x %d\n", x);
#pragma omp taskwait
}

int main(void) {
    const long copied = many_copied(6);
    printf("%ld %ld\n", copied, huge());
    long fib = 0, loop = 0, group = 0, unsigned_loop = 0, reduced = 0, undeferred = 0, none = 0;
    struct Large data;
    memset(data.bytes, 'x', sizeof data.bytes);
    data.bytes[599] = 0;
    long size = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        {
            fib = fibonacci(18);
            size = large(&data);
            dependences();
            printf("many %ld\n", many());
#pragma omp taskloop num_tasks(7) shared(loop)
            for (int i = 3; i < 500; ++i) {
#pragma omp atomic
                loop += i;
            }
#pragma omp taskloop grainsize(9) shared(unsigned_loop)
            for (unsigned long long i = 0; i < 500; i += 3) {
#pragma omp atomic
                unsigned_loop += (long)i;
            }
#pragma omp taskloop reduction(+ : reduced) collapse(2)
            for (int i = 0; i < 30; ++i) {
                for (int j = 0; j < 10; ++j) {
                    reduced += i * j;
                }
            }
#pragma omp taskgroup
            {
                for (int i = 0; i < 50; ++i) {
#pragma omp task shared(group) firstprivate(i) priority(i)
                    {
#pragma omp atomic
                        group += i;
                    }
                }
            }
#pragma omp task if (0) shared(undeferred)
            undeferred = 4;
#pragma omp task final(1) shared(none)
            {
#pragma omp task shared(none)
                none = omp_in_final();
            }
#pragma omp taskwait
#pragma omp task
            {
            }
        }
#pragma omp taskyield
    }
    printf("%ld %ld %ld %ld %ld %ld %ld %ld\n", fib, size, loop, unsigned_loop, reduced, group, undeferred, none);

    omp_event_handle_t event = 0;
    int detached = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(event) shared(detached)
        detached = 1;
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    int orphan = 0;
#pragma omp task shared(orphan)
    orphan = 1;
#pragma omp taskwait
    printf("detached %d, orphan %d\n", detached, orphan);
    burn(50);
    return 0;
}
