// Creates a thread with known values in the creator's registers, three signals blocked and a rounding mode of its
// own, and prints what the program itself knows of that as JSON.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { DOWN_AND_FLUSH = 0xbf80 };  // MXCSR: rounds down, flushes results to zero, no exception is unmasked

static long tid;

static void* work(void* unused) {
    (void)unused;
    tid = syscall(SYS_gettid);
    pthread_setname_np(pthread_self(), "made");
    return NULL;
}

// pthread_create(handle, NULL, start, NULL) with known values in the registers that a call preserves and in two
// vector registers. The stack pointer before the call goes to *stack.
int create_known(pthread_t* handle, void* (*start)(void*), unsigned long* stack);
extern const char after_call[];
__asm__(
    ".text\n"
    ".globl create_known, after_call\n"
    ".type create_known, @function\n"
    "create_known:\n"
    ".cfi_startproc\n"
    "pushq %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\n"
    "pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbp, 0\n"
    "pushq %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0\n"
    "pushq %r13\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r13, 0\n"
    "pushq %r14\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r14, 0\n"
    "pushq %r15\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r15, 0\n"
    "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
    "movq %rsp, (%rdx)\n"
    "movq %rsi, %rdx\n"
    "xorl %esi, %esi\n"
    "xorl %ecx, %ecx\n"
    "movabsq $0x0303030303030303, %rbx\n"
    "movabsq $0x0606060606060606, %rbp\n"
    "movabsq $0x1212121212121212, %r12\n"
    "movabsq $0xf313131313131313, %r13\n"
    "movabsq $0x1414141414141414, %r14\n"
    "xorl %r15d, %r15d\n"
    "movabsq $0x99aabbccddeeff00, %rax\n"
    "movq %rax, %xmm9\n"
    "movabsq $0x1122334455667788, %rax\n"
    "movq %rax, %xmm10\n"
    "punpcklqdq %xmm10, %xmm9\n"
    "pxor %xmm3, %xmm3\n"
    "call pthread_create@PLT\n"
    "after_call:\n"
    "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
    "popq %r15\n.cfi_adjust_cfa_offset -8\n.cfi_restore r15\n"
    "popq %r14\n.cfi_adjust_cfa_offset -8\n.cfi_restore r14\n"
    "popq %r13\n.cfi_adjust_cfa_offset -8\n.cfi_restore r13\n"
    "popq %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore r12\n"
    "popq %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbp\n"
    "popq %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbx\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size create_known, . - create_known\n");

__attribute__((noinline)) static int start_worker(pthread_t* handle, unsigned long* stack) {
    const int error = create_known(handle, work, stack);  // LINE
    return error != 0 ? error : pthread_join(*handle, NULL);
}

int main(void) {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGRTMIN + 1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    const unsigned usual = _mm_getcsr();
    _mm_setcsr(DOWN_AND_FLUSH);
    pthread_t made;
    unsigned long stack = 0;
    const int error = start_worker(&made, &stack);
    _mm_setcsr(usual);
    printf(
        "{\"error\": %d, \"tid\": %ld, \"creator\": %ld, \"stack_pointer\": \"0x%lx\", \"program_counter\": "
        "\"0x%lx\"}\n",
        error, tid, (long)getpid(), stack, (unsigned long)after_call - 1);
    return 0;
}
