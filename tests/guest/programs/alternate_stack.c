// A small alternate signal stack (as language run times use), with handlers on it that compute, and stay what they
// are.
#include "../burn.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t on_it, runs;

static void handler(int number) {
    char here = (char)number;
    stack_t now;
    sigaltstack(NULL, &now);
    on_it = on_it +
            ((now.ss_flags & SS_ONSTACK) != 0 && &here >= (char*)now.ss_sp && &here < (char*)now.ss_sp + now.ss_size);
    burn(5);
    runs = runs + 1;
}

static void* with_alternate_stack(void* size) {
    const size_t bytes = *(size_t*)size;
    stack_t stack = {.ss_sp = malloc(bytes), .ss_size = bytes}, now;
    MUST(stack.ss_sp != NULL && sigaltstack(&stack, NULL) == 0);
    for (int i = 0; i < 20; ++i) {
        burn(3);
        pthread_kill(pthread_self(), SIGUSR1);
    }
    MUST(sigaltstack(NULL, &now) == 0);
    MUST(now.ss_sp == stack.ss_sp && now.ss_size == bytes && now.ss_flags == 0);
    stack.ss_flags = SS_DISABLE;
    MUST(sigaltstack(&stack, NULL) == 0);
    free(stack.ss_sp);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    size_t sizes[2] = {(size_t)sysconf(_SC_SIGSTKSZ), 65536};
    pthread_t threads[2];
    MUST(sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 2; ++i) {
        MUST(pthread_create(&threads[i], NULL, with_alternate_stack, &sizes[i]) == 0);
        MUST(pthread_join(threads[i], NULL) == 0);
    }
    printf("%d runs, %d on the alternate stack\n", (int)runs, (int)on_it);
    return 0;
}
