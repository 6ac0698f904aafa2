/* A library whose variables the program uses, has a copy of, and has namesakes of. */
int shared_level = 1;
_Thread_local int shared_worker;
static volatile int mode = 40;
__attribute__((noinline)) void shared_step(int turn) {
    mode = 40 + turn % 2;
    __asm__ volatile(".rept 8\n nop\n.endr" ::"r"(turn) : "memory");
}
