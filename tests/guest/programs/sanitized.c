// Built with each sanitizer (and without): works with threads and children, or makes the mistake that it is asked
// for, which its sanitizer reports. Nothing depends on time, and but for addresses and process ids nothing on the
// run.
#include "../burn.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void* work(void* result) {
    char* block = malloc(100);
    memset(block, 1, 100);
    burn(40);
    *(int*)result += block[5];
    free(block);
    return NULL;
}

static void use_threads(void) {
    pthread_t threads[3];
    int results[3] = {0};
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_create(&threads[i], NULL, work, &results[i]) == 0);
    }
    for (int i = 0; i < 3; ++i) {
        MUST(pthread_join(threads[i], NULL) == 0);
        printf("thread: %d\n", results[i]);
    }
}

static void use_children(const char* self) {
    char command[4096];
    int result = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        work(&result);
        printf("child: %d\n", result);
        fflush(stdout);
        execl(self, self, "again", NULL);
        _exit(98);
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    printf("became %d\n", WEXITSTATUS(status));
    fflush(stdout);
    // A shell that is not built so, and what that starts.
    snprintf(command, sizeof command, "'%s' again; echo $?; exec '%s' again", self, self);
    printf("shell: %d\n", WEXITSTATUS(system(command)));
}

static volatile int at = 100;
static void* volatile kept;

// What is lost must not be found: a signal, any signal, leaves the registers of that moment below the stack pointer,
// where the leak's search comes upon them in the unused parts of later frames.
static __attribute__((noinline)) void wipe_stack(void) {
    volatile char below[64 * 1024];
    for (size_t i = 0; i < sizeof below; ++i) {
        below[i] = 0;
    }
}

static int err(const char* how) {
    if (strcmp(how, "leak") == 0) {
        kept = malloc(77);
        kept = NULL;
    } else if (strcmp(how, "overflow") == 0) {
        char* block = malloc(100);
        memset(block, 1, 100);
        return block[at];
    } else if (strcmp(how, "uninitialised") == 0) {
        int* block = malloc(100);
        printf("%s\n", block[at / 10] == 7 ? "seven" : "not seven");
        free(block);
    } else if (strcmp(how, "undefined") == 0) {
        printf("%d\n", (1 << (at - 60)) != 0);
    }
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "again") == 0) {
        int result = 4;
        work(&result);
        printf("again: %d\n", result);
        return result;
    }
    if (argc == 2 && strcmp(argv[1], "work") != 0) {
        const int result = err(argv[1]);
        wipe_stack();
        return result;
    }
    use_threads();
    use_children(argv[0]);
    return 5;
}
