// SIGURG asked for by fcntl: of the program's own descriptors, with their numbers in it.
#include "../burn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t count, wrong, expected;

static void on_signal(int number, siginfo_t* info, void* context) {
    (void)context;
    ++count;
    wrong = wrong + (number != SIGURG || info->si_fd != expected || (info->si_band & 1) == 0);
}

int main(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    int ends[2];
    MUST(sigaction(SIGURG, &action, NULL) == 0);
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    expected = ends[1];
    MUST(fcntl(ends[1], F_SETSIG, SIGURG) == 0 && fcntl(ends[1], F_SETOWN, getpid()) == 0);
    MUST(fcntl(ends[1], F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
    for (int i = 0; i < 100; ++i) {
        char byte = 'x';
        MUST(write(ends[0], &byte, 1) == 1);
        for (int wait = 0; wait < 1000 && count <= i; ++wait) {
            burn(1);
        }
        MUST(read(ends[1], &byte, 1) == 1);
        burn(1);
    }
    printf("%d signals, %d wrong\n", (int)count, (int)wrong);
    return 0;
}
