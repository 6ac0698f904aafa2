// Becomes a daemon by two forks, setsid and /dev/null, as servers do; the first process ends at once, the last
// answers through a pipe.
#include "../burn.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int answer[2];
    char text[64] = "";
    MUST(pipe(answer) == 0);
    burn(20);
    const pid_t first = fork();
    if (first == 0) {
        close(answer[0]);
        MUST(setsid() == getpid());
        if (fork() != 0) {
            _exit(5);
        }
        MUST(daemon(0, 0) == 0);
        burn(30);
        char place[8] = "";
        MUST(getcwd(place, sizeof place) != NULL && strcmp(place, "/") == 0);
        MUST(write(answer[1], "from the daemon", 15) == 15);
        return 7;
    }
    close(answer[1]);
    int status = 0;
    MUST(waitpid(first, &status, 0) == first);
    size_t length = 0;
    for (ssize_t got; (got = read(answer[0], text + length, sizeof text - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    printf("%d, %s\n", WEXITSTATUS(status), text);
    return 0;
}
