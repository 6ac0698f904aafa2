// Refuses itself memory that is or becomes executable once it could be written (PR_SET_MDWE), and seals its images
// (mseal), where the kernel can: threads, libraries, children and programs that it starts work on.
#include "../burn.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int seal(struct dl_phdr_info* image, size_t size, void* failed) {
    (void)size;
    for (int i = 0; i < image->dlpi_phnum; ++i) {
        if (image->dlpi_phdr[i].p_type == PT_LOAD && image->dlpi_name[0] == 0) {
            const uintptr_t begin = (image->dlpi_addr + image->dlpi_phdr[i].p_vaddr) & ~4095UL;
            const uintptr_t end = image->dlpi_addr + image->dlpi_phdr[i].p_vaddr + image->dlpi_phdr[i].p_memsz;
            *(int*)failed |= syscall(462, begin, (end - begin + 4095) & ~4095UL, 0) != 0;  // mseal
        }
    }
    return 0;
}

static void* compute(void* unused) {
    burn(10);
    return unused;
}

int main(int argc, char** argv) {
    if (argc > 1) {
        burn(10);
        return 6;
    }
    int failed = 0, status = 0;
    burn(10);
    printf("refused: %d", prctl(65, 1, 0, 0, 0) == 0);  // PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN
    dl_iterate_phdr(seal, &failed);
    printf(", sealed: %d\n", !failed);
    for (int i = 0; i < 5; ++i) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, compute, NULL) == 0 && pthread_join(thread, NULL) == 0);
        void* library = dlopen("libutil.so.1", RTLD_NOW);
        MUST(library != NULL && dlclose(library) == 0);
    }
    void* both = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("both: %s\n", both == MAP_FAILED ? "refused" : "given");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        burn(10);
        execl("/proc/self/exe", argv[0], "again", (char*)NULL);
        _exit(98);
    }
    MUST(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}
