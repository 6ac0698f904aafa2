// 40,000 functions with call-frame information of their own, none of them ever called, and one that works.
__asm__(
    ".text\n"
    ".rept 40000\n"
    ".cfi_startproc\n"
    "nop\n"
    ".cfi_def_cfa_offset 16\n"
    "nop\n"
    ".cfi_def_cfa_offset 8\n"
    "ret\n"
    ".cfi_endproc\n"
    ".endr\n");

unsigned long library_work(unsigned long rounds) {
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < rounds; ++i) {
        sum = sum + i;
    }
    return sum;
}
