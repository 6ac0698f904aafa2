// Without standard streams: descriptors 0 to 2 are closed, what is opened next gets their numbers, and what is
// printed goes where they lead; also in a program started like that.
#include "../burn.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc > 1) {
        burn(10);
        const int first = open("/dev/null", O_RDONLY), second = open("/dev/null", O_WRONLY),
                  third = open("/dev/null", O_WRONLY);
        return first == 0 && second == 1 && third == 2 ? 31 : 32;
    }
    const int kept = fcntl(1, F_DUPFD_CLOEXEC, 10);
    int ends[2];
    char text[64] = "";
    MUST(kept >= 10);
    burn(10);
    close(0);
    close(1);
    close(2);
    MUST(pipe(ends) == 0);
    const int at = ends[1];
    puts("into a pipe");
    fflush(stdout);
    burn(20);
    const ssize_t got = read(ends[0], text, sizeof text - 1);
    const pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        execl(argv[0], argv[0], "without", (char*)NULL);
        _exit(98);
    }
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    dprintf(kept, "%d: %zd %s%d\n", at, got, text, WEXITSTATUS(status));
    return 0;
}
