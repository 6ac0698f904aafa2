// x86-64: the entry of syscall(), and the call itself (interpose/raw_system_calls.h).

#include <sys/syscall.h>

static_assert(SYS_futex == 202 && SYS_rt_sigaction == 13 && SYS_ptrace == 101);
static_assert(SYS_prctl == 157 && SYS_seccomp == 317 && SYS_close == 3 && SYS_close_range == 436 &&
              SYS_getdents64 == 217);

asm(R"(
    .text
    .globl syscall
    .type syscall, @function
syscall:
    .cfi_startproc
    endbr64
    cmpq $202, %rdi
    je kymo_futex_call
    cmpq $13, %rdi
    je kymo_sigaction_call
    cmpq $101, %rdi
    je kymo_ptrace_call
    cmpq $157, %rdi
    je kymo_prctl_call
    cmpq $317, %rdi
    je kymo_seccomp_call
    cmpq $3, %rdi
    je kymo_close_call
    cmpq $436, %rdi
    je kymo_close_range_call
    cmpq $217, %rdi
    je kymo_listing_call
    movq kymo_next_syscall(%rip), %r11
    jmp *%r11
    .cfi_endproc
    .size syscall, .-syscall

    .hidden kymo_plain_syscall
    .globl kymo_plain_syscall
    .type kymo_plain_syscall, @function
kymo_plain_syscall:
    .cfi_startproc
    endbr64
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    cmpq $-4095, %rax
    jae 1f
    ret
1:  negl %eax
    movl %eax, %edi
    jmp kymo_syscall_failed
    .cfi_endproc
    .size kymo_plain_syscall, .-kymo_plain_syscall
)");
