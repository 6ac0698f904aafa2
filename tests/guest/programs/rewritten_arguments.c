// Writes over its arguments and its environment, as servers do to show what they are at, and points them at memory
// that it gives back. Whoever looks at them later, in a child or at the end, must not believe them.
#include "../burn.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* compute(void* unused) {
    burn(10);
    return unused;
}

int main(int argc, char** argv) {
    char* words[] = {argv[0], "one", "two", "three", NULL};
    if (argc == 1) {
        execv("/proc/self/exe", words);
        return 98;
    }
    char* end = argv[argc - 1] + strlen(argv[argc - 1]) + 1;
    for (char** variable = environ; *variable != NULL && *variable == end; ++variable) {
        end = *variable + strlen(*variable) + 1;
    }
    // From the first word on, over all of the environment, without an end to it.
    memset(argv[0], 'x', (size_t)(end - argv[0]));
    char* gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(gone != MAP_FAILED);
    environ = (char*[]){NULL};
    argv[1] = gone;
    argv[2] = (char*)8;
    argv[3] = NULL;
    MUST(munmap(gone, 4096) == 0);
    for (int i = 0; i < 4; ++i) {
        int status = 0;
        pthread_t thread;
        const pid_t child = fork();
        if (child == 0) {
            burn(i % 2 == 0 ? 10 : 0);
            _exit(20 + i);
        }
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
        MUST(waitpid(child, &status, 0) == child);
        printf("%d\n", WEXITSTATUS(status));
        fflush(stdout);
    }
    return argv[3] == NULL ? 7 : 98;
}
