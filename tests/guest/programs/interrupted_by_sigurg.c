// SIGURG where it is ignored, and where its handler is to interrupt system calls (without SA_RESTART) or not: a read
// ends with EINTR exactly where the program has asked for that, waits with an end wherever there is a handler.
#include "../burn.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static pthread_t waiter;
static sem_t again;
static int ends[2];

static void on_urgent(int number) {
    (void)number;
    handled = handled + 1;
}

static int main_sleeps(void) {
    char line[512] = "";
    FILE* file = fopen("/proc/self/stat", "re");
    MUST(file != NULL && fgets(line, sizeof line, file) != NULL && fclose(file) == 0);
    return strstr(line, ") S ") != NULL;
}

// Sends the signal while the main thread waits, and a byte when it has been handled (or has not been for long).
static void* send_urgent(void* unused) {
    for (int i = 0; i < 7; ++i) {
        const int before = handled;
        MUST(sem_wait(&again) == 0);
        while (!main_sleeps()) {
            usleep(500);
        }
        MUST(pthread_kill(waiter, SIGURG) == 0);
        for (int k = 0; k < (i == 0 ? 20 : 20000) && handled == before; ++k) {
            usleep(1000);
        }
        MUST(write(ends[1], "x", 1) == 1);
    }
    return unused;
}

static void read_a_byte(const char* what) {
    char byte = 0;
    errno = 0;
    MUST(sem_post(&again) == 0);
    const int had = read(ends[0], &byte, 1) == 1;
    const int error = errno;
    printf("%s: read %s", what, had ? "had its byte" : error == EINTR ? "was interrupted" : "failed");
    MUST(had || read(ends[0], &byte, 1) == 1);
}

static void wait_in_turn(const char* what) {
    char byte = 0;
    read_a_byte(what);
    MUST(sem_post(&again) == 0);
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    printf(", poll %s", poll(&polled, 1, 20000) == 1 ? "had its byte"
                        : errno == EINTR             ? "was interrupted"
                                                     : "failed");
    MUST(read(ends[0], &byte, 1) == 1 && sem_post(&again) == 0);
    const struct timespec while_it_comes = {.tv_sec = 20};
    printf(", nanosleep %s", nanosleep(&while_it_comes, NULL) == 0 ? "slept" : "was interrupted");
    MUST(read(ends[0], &byte, 1) == 1);
    printf(", %d handled\n", (int)handled);
    burn(20);
}

int main(void) {
    pthread_t sender;
    waiter = pthread_self();
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && sem_init(&again, 0, 0) == 0);
    MUST(pthread_create(&sender, NULL, send_urgent, NULL) == 0);
    read_a_byte("ignored");
    puts("");
    burn(20);
    struct sigaction action = {.sa_handler = on_urgent, .sa_flags = SA_RESTART};
    MUST(sigaction(SIGURG, &action, NULL) == 0);
    wait_in_turn("restarting");
    action.sa_flags = 0;
    MUST(sigaction(SIGURG, &action, NULL) == 0);
    wait_in_turn("interrupting");
    MUST(pthread_join(sender, NULL) == 0);
    return 0;
}
