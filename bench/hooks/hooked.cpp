// What is hooked: by Kymo, by Kymo with a timer, by Kymo at a line, by Kymo's probes of the kernel, by a uprobe that
// counts, by a uprobe with an eBPF program, by nobody.
extern "C" {
int by_kymo(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}
int by_kymo_unmeasured(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}
int by_kymo_timer(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}
int by_line(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a * 5 + 1;
}
int by_kernel(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}
int by_uprobe(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}
int by_bpf(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}
int by_nobody(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}

int hooked_level = 0;
thread_local int hooked_worker = 0;
int* hooked_pointer = &hooked_level;

// One with each kind of condition, which none of them meets.
int by_kymo_cell(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}

int by_kymo_variable(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}

int by_kymo_thread_local(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}

int by_kymo_pointer(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}

int by_kymo_entry(int a) {
    asm volatile("" ::: "memory", "rbx");
    return a + 1;
}
}
