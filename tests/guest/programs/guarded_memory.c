// Memory that may not be read, as a collector's write barrier or a debugging allocator has it: each touch is a fault
// that the program counts. It is pointed at by the registers that usually lead up the stack, in code without tables;
// nobody may follow them there.
#include "../burn.h"

#include <signal.h>
#include <sys/mman.h>

static volatile sig_atomic_t faults;
static char* guarded;

static void on_fault(int number, siginfo_t* info, void* context) {
    (void)number;
    (void)context;
    MUST((char*)info->si_addr >= guarded && (char*)info->si_addr < guarded + 8192);
    faults = faults + 1;
    MUST(mprotect(guarded, 8192, PROT_READ | PROT_WRITE) == 0);
}

// Counts down with `pointer` in rbp.
#if defined(__x86_64__)
void spin_pointing_at(const void* pointer, uint64_t rounds);
__asm__(
    "        .text\n"
    "spin_pointing_at:\n"
    "        pushq %rbp\n"
    "        movq %rdi, %rbp\n"
    "1:      decq %rsi\n"
    "        jnz 1b\n"
    "        popq %rbp\n"
    "        ret\n");
#else
static void spin_pointing_at(const void* pointer, uint64_t rounds) {
    (void)pointer;
    burn((int)(rounds / 1000000));
}
#endif

int main(void) {
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    MUST(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0);
    guarded = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(guarded != MAP_FAILED);
    for (int round = 0; round < 30; ++round) {
        MUST(mprotect(guarded, 8192, PROT_NONE) == 0);
        spin_pointing_at(guarded + 4096 - 8 * (round % 3), 2000000);
        if (round % 2 == 0) {
            guarded[4000] = 1;
        }
        spin_pointing_at(guarded + 16, 2000000);
    }
    printf("%d faults\n", (int)faults);
    return 0;
}
