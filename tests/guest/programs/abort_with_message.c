// Dies of SIGABRT, after a line on the error stream.
#include "../burn.h"

int main(void) {
    burn(50);
    fputs("about to abort\n", stderr);
    abort();
}
