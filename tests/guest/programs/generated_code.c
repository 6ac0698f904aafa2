// Code that belongs to no image, as run-time compilers make it: functions in mappings of their own, with frame
// pointers and without tables, that call one another and back into the program. Whoever looks for the way up the
// stack meets many addresses that nobody knows; what that costs must not grow with the run.
#include "../burn.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kFunctions = 16, kDepth = 60, kPage = 4096 };

typedef int (*Generated)(int depth, int (*bottom)(void));

static int bottom(void) {
    burn(5);
    return 7;
}

// int f(int depth, int (*bottom)(void)): depth == 0 ? bottom() : next(depth - 1, bottom)
static void write_function(unsigned char* at, const unsigned char* next) {
    static const unsigned char kCode[] = {
        0x55,                                   // push %rbp
        0x48, 0x89, 0xe5,                       // mov %rsp, %rbp
        0x85, 0xff,                             // test %edi, %edi
        0x74, 0x10,                             // je bottom
        0xff, 0xcf,                             // dec %edi
        0x48, 0xb8, 0,    0, 0, 0, 0, 0, 0, 0,  // movabs $next, %rax
        0xff, 0xd0,                             // call *%rax
        0x5d, 0xc3,                             // pop %rbp; ret
        0xff, 0xd6,                             // bottom: call *%rsi
        0x5d, 0xc3,                             // pop %rbp; ret
    };
    memcpy(at, kCode, sizeof kCode);
    memcpy(at + 12, &next, sizeof next);
}

// Counts down, with a frame of its own and nothing in it: interrupted, it is what a sample falls into.
static void write_spin(unsigned char* at) {
    static const unsigned char kCode[] = {
        0x55, 0x48, 0x89, 0xe5,  // push %rbp; mov %rsp, %rbp
        0x89, 0xf8,              // mov %edi, %eax
        0xff, 0xc8,              // again: dec %eax
        0x75, 0xfc,              // jne again
        0x5d, 0xc3,              // pop %rbp; ret
    };
    memcpy(at, kCode, sizeof kCode);
}

static unsigned char* mapping(void) {
    void* page = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(page != MAP_FAILED);
    return page;
}

static long resident_pages(void) {
    long size = 0;
    long resident = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    MUST(file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return resident;
}

int main(void) {
    unsigned char* code[kFunctions + 1];
    for (int i = 0; i <= kFunctions; ++i) {
        code[i] = mapping();
    }
    for (int i = 0; i < kFunctions; ++i) {
        write_function(code[i], code[(i + 1) % kFunctions]);
    }
    write_spin(code[kFunctions]);
    for (int i = 0; i <= kFunctions; ++i) {
        MUST(mprotect(code[i], kPage, PROT_READ | PROT_EXEC) == 0);
    }
    Generated first;
    int (*spin)(int);
    memcpy(&first, &code[0], sizeof first);
    memcpy(&spin, &code[kFunctions], sizeof spin);

    int sum = 0;
    long before = 0;
    for (int round = 0; round < 120; ++round) {
        sum += first(round % kDepth, bottom);
        sum += spin(5000000);
        if (round == 20) {
            before = resident_pages();  // what is needed once has been taken
        }
    }
    const long grown = (resident_pages() - before) * kPage / 1024;
    MUST(grown < 4096);
    printf("%d\n", sum);
    return 0;
}
