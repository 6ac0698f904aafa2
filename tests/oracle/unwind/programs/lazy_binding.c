// First calls through the procedure linkage table: PLT entries, the resolver with its saved vector state, then the
// function; and second calls, straight through the table.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline)) void scenario(double x) {
    char text[64];
    for (int i = 0; i < 2; i++) {
        sink = x + (double)getpid();
        sink = sin(x) + atan2(x, 3.0);
        sink = (double)strlen(getenv("PATH") != NULL ? "with" : "without");
        snprintf(text, sizeof text, "%d", (int)x);
        sink = strtod(text, NULL) + toupper(text[0]);
    }
}

int main(int argc, char** argv) {
    (void)argv;
    scenario((double)argc);
    return 0;
}
