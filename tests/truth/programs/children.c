// Starts another program in the way that its first word names, and passes on that program's exit status:
//     children WAY PROGRAM WORDS...
// Ways: fork+execve, vfork+execve, posix_spawn, posix_spawnp, execve, execle, execl, execv, execvp, execlp, fexecve,
//       execveat, system, popen; with "-bare" after it, where an environment can be given, with an empty one;
//       "-failing": a program that does not exist first.
// "work MS": computes for so many milliseconds of processor time. "fork MS": a child that does so without exec.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static double clock_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void work(double ms) {
    static volatile double value = 1;
    const double end = clock_ms(CLOCK_PROCESS_CPUTIME_ID) + ms;
    while (clock_ms(CLOCK_PROCESS_CPUTIME_ID) < end) {
        for (int i = 0; i < 20000; ++i) {
            value = value * 1.0000001 + 0.5;
        }
    }
}

static int status_of(pid_t child) {
    int status = 0;
    if (child <= 0 || waitpid(child, &status, 0) != child) {
        return 98;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int become(const char* way, char** words, char** environment) {
    if (strcmp(way, "execve") == 0) {
        return execve(words[0], words, environment);
    }
    if (strcmp(way, "execle") == 0) {
        return execle(words[0], words[0], words[1], words[1] ? words[2] : NULL, (char*)NULL, environment);
    }
    if (strcmp(way, "execl") == 0) {
        return execl(words[0], words[0], words[1], words[1] ? words[2] : NULL, (char*)NULL);
    }
    if (strcmp(way, "execlp") == 0) {
        return execlp(words[0], words[0], words[1], words[1] ? words[2] : NULL, (char*)NULL);
    }
    if (strcmp(way, "execv") == 0) {
        return execv(words[0], words);
    }
    if (strcmp(way, "execvp") == 0) {
        return execvp(words[0], words);
    }
    if (strcmp(way, "fexecve") == 0) {
        return fexecve(open(words[0], O_RDONLY | O_CLOEXEC), words, environment);
    }
    if (strcmp(way, "execveat") == 0) {
        return execveat(AT_FDCWD, words[0], words, environment, 0);
    }
    fprintf(stderr, "no such way: %s\n", way);
    exit(97);
}

int main(int argc, char** argv) {
    static char way[64];
    char* nothing[] = {NULL};
    char* none[] = {"none", NULL};
    char** environment = environ;
    if (argc < 3) {
        return 97;
    }
    if (strcmp(argv[1], "work") == 0) {
        work(atof(argv[2]));
        printf("worked %s\n", argv[2]);
        return 7;
    }
    if (strcmp(argv[1], "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            work(atof(argv[2]));
            exit(7);
        }
        return status_of(child);
    }
    work(20);
    snprintf(way, sizeof way, "%s", argv[1]);
    char* end = strstr(way, "-bare");
    if (end != NULL) {
        *end = 0;
        environment = nothing;
        environ = nothing;
    }
    end = strstr(way, "-failing");
    if (end != NULL) {
        *end = 0;
        if (execve("/no/such/program", none, environ) == 0) {
            return 96;
        }
        work(50);
    }
    char** words = argv + 2;
    pid_t child = 0;
    if (strcmp(way, "fork+execve") == 0) {
        child = fork();
        if (child == 0) {
            become("execve", words, environment);
            _exit(96);
        }
        return status_of(child);
    }
    if (strcmp(way, "vfork+execve") == 0 || strcmp(way, "vfork+execle") == 0 || strcmp(way, "vfork+execvp") == 0) {
        child = vfork();
        if (child == 0) {
            become(way + 6, words, environment);
            _exit(96);
        }
        return status_of(child);
    }
    if (strcmp(way, "posix_spawn") == 0) {
        return posix_spawn(&child, words[0], NULL, NULL, words, environment) != 0 ? 96 : status_of(child);
    }
    if (strcmp(way, "posix_spawnp") == 0) {
        return posix_spawnp(&child, words[0], NULL, NULL, words, environment) != 0 ? 96 : status_of(child);
    }
    if (strcmp(way, "system") == 0 || strcmp(way, "popen") == 0) {
        static char line[8192];
        for (char** word = words; *word != NULL; ++word) {
            strncat(line, *word, sizeof line - strlen(line) - 2);
            strcat(line, " ");
        }
        if (way[0] == 's') {
            const int status = system(line);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
        }
        FILE* pipe = popen(line, "r");
        while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
            fputs(line, stdout);
        }
        const int status = pclose(pipe);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
    }
    become(way, words, environment);
    return 96;
}
