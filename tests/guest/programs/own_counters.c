// Performance events of the program's own: it counts, is signalled by SIGIO after so many page faults, and turns all
// of its counters off and on again (PR_TASK_PERF_EVENTS_DISABLE). Where they are barred it says so, and computes.
#include "../burn.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t own, others;
static int counter;

static void on_overflow(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)context;
    if (info->si_fd == counter) {
        own = own + 1;
    } else {
        others = others + 1;
    }
}

static uint64_t faults_of(int pages) {
    uint64_t before = 0, after = 0;
    volatile char* fresh =
        mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(fresh != MAP_FAILED && madvise((void*)fresh, (size_t)pages * 4096, MADV_NOHUGEPAGE) == 0);
    MUST(read(counter, &before, sizeof before) == sizeof before);
    for (int i = 0; i < pages; ++i) {
        fresh[(size_t)i * 4096] = 1;
    }
    MUST(read(counter, &after, sizeof after) == sizeof after && munmap((void*)fresh, (size_t)pages * 4096) == 0);
    return after - before;
}

int main(void) {
    struct perf_event_attr wanted;
    const struct sigaction action = {.sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO | SA_RESTART};
    memset(&wanted, 0, sizeof wanted);
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_SOFTWARE;
    wanted.config = PERF_COUNT_SW_PAGE_FAULTS;
    wanted.sample_period = 10;
    wanted.exclude_kernel = 1;
    MUST(sigaction(SIGIO, &action, NULL) == 0);
    burn(30);
    counter = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (counter < 0) {
        puts("no counters of its own");
    } else {
        const struct f_owner_ex thread = {F_OWNER_TID, getpid()};
        MUST(fcntl(counter, F_SETOWN_EX, &thread) == 0 && fcntl(counter, F_SETSIG, SIGIO) == 0);
        MUST(fcntl(counter, F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
        printf("counted: %d\n", faults_of(100) >= 100);
        MUST(prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0) == 0);
        printf("while off: %d\n", (int)faults_of(100));
        burn(40);
        MUST(prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0) == 0);
        printf("counted: %d\n", faults_of(100) >= 100);
        MUST(prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0) == 0);
        printf("signals: %d, others %d\n", own >= 19, (int)others);
    }
    burn(60);
    return 0;
}
