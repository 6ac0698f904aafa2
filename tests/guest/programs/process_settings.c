// Settings of the process that are the kernel's: name, dumpable, the signal at the parent's death, timer slack,
// personality, no new privileges, processor set, priority: as made, in threads and after exec.
#include "../burn.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void tell(const char* where) {
    char name[17] = "";
    int death = 0;
    cpu_set_t processors;
    MUST(prctl(PR_GET_NAME, name) == 0 && prctl(PR_GET_PDEATHSIG, &death) == 0);
    MUST(sched_getaffinity(0, sizeof processors, &processors) == 0);
    printf(
        "%s: %s, dumpable %d, at the parent's death %d, slack %d, personality %x, no new privileges %d, processors "
        "%d, nice %d, policy %d\n",
        where, name, prctl(PR_GET_DUMPABLE), death, prctl(PR_GET_TIMERSLACK), (unsigned)personality(0xffffffff),
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), CPU_COUNT(&processors), getpriority(PRIO_PROCESS, 0),
        sched_getscheduler(0));
    fflush(stdout);
}

static void* in_thread(void* unused) {
    burn(10);
    tell("thread");
    return unused;
}

int main(int argc, char** argv) {
    burn(10);
    if (argc > 1) {
        tell("after exec");
        return 0;
    }
    cpu_set_t one;
    pthread_t thread;
    const struct sched_param none = {0};
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    tell("before");
    MUST(prctl(PR_SET_NAME, "settings") == 0 && prctl(PR_SET_DUMPABLE, 0) == 0 &&
         prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0);
    MUST(prctl(PR_SET_TIMERSLACK, 12345) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(sched_setaffinity(0, sizeof one, &one) == 0 &&
         setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 5) == 0);
    MUST(sched_setscheduler(0, SCHED_BATCH, &none) == 0 && personality(ADDR_NO_RANDOMIZE) >= 0);
    tell("made");
    MUST(pthread_create(&thread, NULL, in_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    execl(argv[0], argv[0], "again", (char*)NULL);
    return 98;
}
