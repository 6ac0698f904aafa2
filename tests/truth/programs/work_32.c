// work_32: computes for 150 milliseconds of processor time, says so, and ends with 7. For 32 bits, whose headers and
// start files a machine for 64 seldom has: so without any, by system calls of its own.
struct time32 {
    int seconds;
    int ns;
};

static int call(int number, int a, const void* b, int c) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

static int spent_ms(void) {
    enum { kClockGettime = 265, kProcessCpu = 2 };
    struct time32 now = {0, 0};
    call(kClockGettime, kProcessCpu, &now, 0);
    return now.seconds * 1000 + now.ns / 1000000;
}

__attribute__((force_align_arg_pointer)) void _start(void) {
    enum { kExitGroup = 252, kWrite = 4 };
    static volatile unsigned value = 1;
    const int end = spent_ms() + 150;
    while (spent_ms() < end) {
        for (int i = 0; i < 20000; ++i) {
            value = value * 1664525 + 1013904223;
        }
    }
    call(kWrite, 1, "worked 150\n", 11);
    call(kExitGroup, 7, 0, 0);
    for (;;) {
    }
}
