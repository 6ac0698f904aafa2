/* A third variable of the name. */
static volatile int mode = 7;
__attribute__((noinline)) void other_step(void) {
    ++mode;
    __asm__ volatile(".rept 8\n nop\n.endr" ::: "memory");
}
