// Reads the list of its mappings, computes along thousands of different call paths, and then reads every word of what
// the list said, as collectors and checkpointers do. What was mapped once must stay readable.
#include "../burn.h"

#include <string.h>

enum { kMost = 4096, kRounds = 80, kPaths = 1000, kDepth = 12 };
static struct {
    unsigned long begin, end;
} areas[kMost];
static int count;
static volatile unsigned long sum;

static void list(void) {
    FILE* maps = fopen("/proc/self/maps", "re");
    char line[4500];
    MUST(maps != NULL);
    count = 0;
    while (fgets(line, sizeof line, maps) != NULL && count < kMost) {
        char rights[5] = "";
        MUST(sscanf(line, "%lx-%lx %4s", &areas[count].begin, &areas[count].end, rights) == 3);
        count += rights[0] == 'r' && rights[1] == 'w' && strstr(line, "[v") == NULL;
    }
    fclose(maps);
}

static void read_all(void) {
    for (int i = 0; i < count; ++i) {
        for (const volatile unsigned long* word = (unsigned long*)areas[i].begin; word < (unsigned long*)areas[i].end;
             word += 512) {
            sum += *word;
        }
    }
}

// Each value of `path` is another way down: every call is from one of three places.
__attribute__((noinline)) static void descend(unsigned path, int depth) {
    if (depth == 0) {
        for (int i = 0; i < 4000; ++i) {
            sum += (unsigned long)i;
        }
        return;
    }
    switch (path % 3) {
        case 0:
            descend(path / 3, depth - 1);
            ++sum;
            break;
        case 1:
            descend(path / 3, depth - 1);
            sum += 2;
            break;
        default:
            descend(path / 3, depth - 1);
            sum += 3;
            break;
    }
}

int main(void) {
    for (unsigned round = 0; round < kRounds; ++round) {
        list();
        for (unsigned path = 0; path < kPaths; ++path) {
            descend((path * kRounds + round) * 13, kDepth);
        }
        read_all();
    }
    puts("all of it could be read");
    return 0;
}
