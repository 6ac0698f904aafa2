// Executes another program with every signal blocked and samples pending: what is pending must not kill the new
// program.
#include "../burn.h"

#include <signal.h>
#include <unistd.h>

int main(void) {
    sigset_t all;
    sigfillset(&all);
    MUST(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
    burn(100);
    puts("executing");
    fflush(stdout);
    execl("/bin/sh", "sh", "-c", "echo executed; exit 6", (char*)NULL);
    return 98;
}
