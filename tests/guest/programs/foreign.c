// Linked against another dynamic loader (in truth a copy of the usual one): says what is to be preloaded into it.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    const char* preload = getenv("LD_PRELOAD");
    printf("preloaded: %s\n", preload == NULL ? "nothing" : preload);
    return 0;
}
