// Copies its input to its output and counts on its error stream, computing in between: streams are the program's own.
#include "../burn.h"

int main(void) {
    char line[256];
    int lines = 0;
    while (fgets(line, sizeof line, stdin)) {
        burn(10);
        fputs(line, stdout);
        lines += 1;
    }
    fprintf(stderr, "%d lines\n", lines);
    return lines;
}
