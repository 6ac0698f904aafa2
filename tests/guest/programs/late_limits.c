// Lowers its limits while it runs, below what it uses already: descriptors, files' size, processes, data, address
// space, stack, locked memory. What it has it keeps, what it asks for is refused to it, and to nobody else's harm.
#include "../burn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void* compute(void* unused) {
    burn(15);
    return unused;
}

static void lower(int which, rlim_t to) {
    struct rlimit limit;
    MUST(getrlimit(which, &limit) == 0);
    limit.rlim_cur = to;
    MUST(setrlimit(which, &limit) == 0);
}

int main(void) {
    pthread_t thread;
    int status = 0;
    FILE* file = tmpfile();
    MUST(file != NULL && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    char* had = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(had != MAP_FAILED);
    burn(20);
    lower(RLIMIT_FSIZE, 4096);
    lower(RLIMIT_NOFILE, 4);
    lower(RLIMIT_MEMLOCK, 0);
    lower(RLIMIT_SIGPENDING, 0);
    lower(RLIMIT_CORE, 0);
    burn(30);
    MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
    printf("open: %s", open("/dev/null", O_RDONLY) < 0 && errno == EMFILE ? "refused" : "no limit");
    printf(", write: %d", (int)pwrite(fileno(file), had, 8192, 0));
    printf(" and %s\n", pwrite(fileno(file), had, 1, 4096) < 0 && errno == EFBIG ? "refused" : "no limit");
    fflush(stdout);
    lower(RLIMIT_STACK, 65536);
    lower(RLIMIT_DATA, 65536);
    lower(RLIMIT_AS, 65536);
    printf("memory: %s\n",
           mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? "refused" : "no limit");
    fflush(stdout);
    burn(30);
    const pid_t child = fork();
    if (child == 0) {
        burn(20);
        had[5] = 5;
        _exit(had[5]);
    }
    MUST(child > 0 && waitpid(child, &status, 0) == child);
    printf("child: %d\n", WEXITSTATUS(status));
    signal(SIGXFSZ, SIG_DFL);
    burn(30);
    return 0;
}
