// Runs with an auditor of the dynamic linker that is entered at each call through a linkage table.
#include "../burn.h"

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

static void* run(void* unused) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    double sum = 0;
    for (int i = 0; i < 100000; ++i) {
        sum += sin(i);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    burn(20);
    usleep(2000);
    printf("%.6f\n", sum);
    return unused;
}

int main(int count, char** words) {
    (void)count;
    char self[PATH_MAX] = "";
    char auditor[PATH_MAX + 32];
    MUST(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    if (getenv("LD_AUDIT") == NULL) {
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%s", self);
        snprintf(auditor, sizeof auditor, "%s/libguest_auditor.so", dirname(folder));
        setenv("LD_AUDIT", auditor, 1);
        execv(self, words);
        return 98;
    }
    for (int i = 0; i < 3; ++i) {
        pthread_t thread;
        MUST(pthread_create(&thread, NULL, run, NULL) == 0);
        MUST(pthread_join(thread, NULL) == 0);
    }
    return 3;
}
