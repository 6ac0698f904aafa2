// A process with much memory: to fork it takes longer than the time between two samples. A signal that comes
// meanwhile makes older kernels begin again, for ever.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kBytes = 128 << 20, kForks = 3 };

int main(void) {
    char* memory = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return 2;
    }
    madvise(memory, kBytes, MADV_NOHUGEPAGE);
    memset(memory, 1, kBytes);
    for (int i = 0; i < kForks; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            return 1;
        }
    }
    puts("forked");
    return 0;
}
