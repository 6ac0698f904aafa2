// The C library's hand-written routines, at sizes that take their different ways.
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static volatile size_t sink;
static char from[70000];
static char into[70000];

__attribute__((noinline)) void scenario(void) {
    static const size_t kSizes[] = {0, 1, 3, 7, 15, 16, 31, 33, 64, 100, 129, 255, 300, 600, 1100, 5000, 66000};
    for (size_t i = 0; i < sizeof kSizes / sizeof kSizes[0]; i++) {
        const size_t n = kSizes[i];
        memset(from, 'a', n);
        from[n] = 0;
        memcpy(into, from, n + 1);
        memmove(into + 5, into, n);
        memmove(into, into + 5, n);
        sink = strlen(from);
        sink = (size_t)memcmp(from, into, n);
        sink = strchr(from, 'b') != NULL;
        sink = memchr(from, 'b', n) != NULL;
        sink = strrchr(from, 'a') != NULL;
        sink = (size_t)strcmp(from, into);
        sink = (size_t)strncmp(from, into, n);
        sink = strnlen(into, n);
        if (n < 5000) {
            strcpy(into, from);
            sink = strstr(from, "ab") != NULL;
            sink = strspn(from, "a") + strcspn(from, "xyz");
            sink = (size_t)strcasecmp(from, into);
        }
    }
    wchar_t wide[40];
    wmemset(wide, L'w', 39);
    wide[39] = 0;
    sink = wcslen(wide);
}

int main(void) {
    scenario();
    return 0;
}
