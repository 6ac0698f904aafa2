/* A third variable of the name. */
static volatile int mode = 7;
#include "data_inline.h"
__attribute__((noinline)) void other_step(void) {
    mode = of_mode(1);
    __asm__ volatile(".rept 8\n nop\n.endr" ::: "memory");
}
