// A deep stack of generated code, as a program that a run-time compiler has made has when it overflows its stack:
// nothing describes that code, and a walk of it takes many times as long as the time between two samples. The program
// must get on all the same.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { kDepth = 30000, kTimes = 60 };

#if defined(__x86_64__)
// void descend(unsigned depth): frames with frame pointers, and a loop at the bottom.
static const unsigned char kCode[] = {
    0x55,                          // push rbp
    0x48, 0x89, 0xe5,              // mov rbp, rsp
    0x48, 0x83, 0xec, 0x40,        // sub rsp, 64
    0x85, 0xff,                    // test edi, edi
    0x74, 0x09,                    // jz bottom
    0xff, 0xcf,                    // dec edi
    0xe8, 0xed, 0xff, 0xff, 0xff,  // call descend
    0xeb, 0x09,                    // jmp out
    0xb9, 0x00, 0x12, 0x7a, 0x00,  // bottom: mov ecx, 8000000
    0xff, 0xc9,                    // dec ecx
    0x75, 0xfc,                    // jnz, to dec
    0xc9,                          // out: leave
    0xc3,                          // ret
};

int main(void) {
    void* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) {
        return 2;
    }
    memcpy(code, kCode, sizeof kCode);
    void (*descend)(unsigned) = (void (*)(unsigned))code;
    for (int i = 0; i < kTimes; ++i) {
        descend(kDepth);
    }
    puts("got on");
    return 0;
}
#else
int main(void) {
    puts("got on");
    return 0;
}
#endif
