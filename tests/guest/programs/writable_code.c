// A program that changes its own code: the constant that a function returns is written anew, in a segment that may be
// written and executed. The segment stays so, whatever else is put into it.
#include "../burn.h"

#include <string.h>

// Numbers that are looked for in the code: each function returns its own.
#define FIRST 0x11223344
#define SECOND 0x55667708

__attribute__((noinline, section(".changing,\"awx\",@progbits#"))) static int changing(void) {
    __asm__ volatile("");
    return FIRST;
}

__attribute__((noinline, section(".changing,\"awx\",@progbits#"))) static int beside(int x) {
    __asm__ volatile("" : "+r"(x));
    return changing() / 2 + x;
}

static int write_constant(int from, int to) {
    unsigned char* code = (unsigned char*)(void*)changing;
    for (int i = 0; i < 32; ++i) {
        int found;
        memcpy(&found, code + i, sizeof found);
        if (found == from) {
            memcpy(code + i, &to, sizeof to);
            return 1;
        }
    }
    return 0;
}

int main(void) {
    const int before = beside(1);
    const int written = write_constant(FIRST, SECOND);
    // A hook has moved the constant elsewhere: then the segment must still take the writing of what is there.
    if (!written) {
        volatile unsigned char* code = (volatile unsigned char*)(void*)changing;
        *code = *code;
    }
    MUST(before == FIRST / 2 + 1);
    MUST(changing() == (written ? SECOND : FIRST));
    puts("code that may be written was written");
    return 0;
}
