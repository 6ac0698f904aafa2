/* Linked statically, and without exceptions, so that the kernel's return probes tell of exits: calls deeper than it
 * follows, calls that longjmp cuts short, and a child that calls, too.
 *
 *     probed_deep deep|jump|fork */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long sink;
static jmp_buf out;

__attribute__((noinline, noclone)) long deeper(long levels) {
    return levels == 0 ? 1 : 1 + deeper(levels - 1) * (sink >= 0 ? 1 : 2);
}

__attribute__((noinline, noclone)) void leaves(int value) {
    sink = value;
    if (sink >= 0) {
        longjmp(out, 1);
    }
}

__attribute__((noinline, noclone)) void leaf(int value) {
    sink = value;
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "deep") == 0) {
        printf("%ld\n", deeper(100) + deeper(100) + deeper(10));
    } else if (strcmp(what, "jump") == 0) {
        for (volatile int i = 0; i < 100; i++) {
            if (setjmp(out) == 0) {
                leaves(i);
            }
        }
        leaf(1);
        printf("out\n");
    } else if (strcmp(what, "fork") == 0) {
        const pid_t child = fork();
        for (int i = 0; i < (child == 0 ? 5 : 3); i++) {
            leaf(i);
        }
        if (child == 0) {
            _exit(0);
        }
        waitpid(child, 0, 0);
        printf("parent\n");
    }
    return 0;
}
