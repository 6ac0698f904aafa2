// A program that is not position-independent, with code far from the rest of it: the room between belongs to others,
// and here a mapping of the program's own lies in it. Node's are like that.
#include "../burn.h"

#include <sys/mman.h>

#define BETWEEN ((char*)0x18000000)

__attribute__((noinline, section(".far_text"))) static int far_away(int depth);

__attribute__((noinline)) static int near_by(int depth) {
    if (depth == 0) {
        burn(200);
        return 0;
    }
    return far_away(depth - 1) + 1;
}

__attribute__((noinline, section(".far_text"))) static int far_away(int depth) {
    if (depth == 0) {
        burn(200);
        return 0;
    }
    return near_by(depth - 1) + 1;
}

int main(void) {
    MUST((char*)(void*)near_by < BETWEEN && BETWEEN < (char*)(void*)far_away);
    char* between = mmap(BETWEEN, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    MUST(between == BETWEEN);
    // return: mov %edi, %eax; add $1, %eax; ret
    static const unsigned char kCode[] = {0x89, 0xf8, 0x83, 0xc0, 0x01, 0xc3};
    for (unsigned i = 0; i < sizeof kCode; ++i) {
        between[i] = (char)kCode[i];
    }
    int (*in_the_gap)(int);
    *(void**)&in_the_gap = between;
    printf("%d %d %d\n", near_by(20), near_by(21), in_the_gap(41));
    return 0;
}
