// x86-64: the entry of the sampling signal, and the switch of stacks.

#include "monitor/sampling/signal_entry.h"

#include "monitor/sampling/own_stack.h"
#include "monitor/threads/thread_state.h"

#include <cstddef>

namespace kymo::monitor {

constinit SignalOwners kymo_signal_owners;

// Assumptions of the code below.
static_assert(offsetof(siginfo_t, si_code) == 8);
static_assert(offsetof(siginfo_t, si_fd) == 24);
static_assert(offsetof(siginfo_t, si_value) == 24);
static_assert(offsetof(SignalOwners, table) == 0);
static_assert(offsetof(SignalOwners, base) == 8);
static_assert(offsetof(SignalOwners, count) == 12);
static_assert(offsetof(SignalOwners, kernel_results) == 16);
static_assert(offsetof(SignalOwners, has_keys) == 20);
static_assert(offsetof(ThreadState, own_stack_top) == 0);
static_assert(offsetof(ThreadState, busy) == 8);
static_assert(SI_TIMER == -2 && SI_KERNEL == 0x80);

}  // namespace kymo::monitor

// The interrupted stack is left before anything is pushed: its pointer is kept on the thread's own stack, where
// rbp points (sigreturn restores rbp). From there the frame's CFA is *(rbp) + 8. The kernel clears the direction
// flag but leaves the alignment check (bit 18) as the program has it, and compiled code needs it clear (sigreturn
// restores the flags, too).
//
// A handler begins with the rights of a new process, which close memory of every protection key but 0: the stack
// it came on, where the thread's information and thread-local storage are, may have another one. So all are opened
// (WRPKRU with 0, which requires rcx and rdx to be 0 as well) before memory is touched; sigreturn restores the
// rights.
asm(R"(
    .text
    .hidden kymo_signal_entry
    .globl kymo_signal_entry
    .type kymo_signal_entry, @function
kymo_signal_entry:
    .cfi_startproc
    endbr64
    cmpl $0, kymo_signal_owners+20(%rip)
    je 8f
    movq %rdx, %r8
    xorl %eax, %eax
    xorl %ecx, %ecx
    xorl %edx, %edx
    wrpkru
    movq %r8, %rdx
8:  movl 8(%rsi), %eax
    cmpl $-2, %eax
    je 1f
    cmpl $0x80, %eax
    je 2f
    testl %eax, %eax
    jle 5f
    movl 24(%rsi), %eax
    subl kymo_signal_owners+8(%rip), %eax
    cmpl kymo_signal_owners+12(%rip), %eax
    jae 5f
    movq kymo_signal_owners(%rip), %rdi
    movq (%rdi,%rax,8), %rdi
    cmpq $1, %rdi
    jbe 4f
    movq kymo_current_thread@gottpoff(%rip), %rax
    movq %fs:(%rax), %rdi
    testq %rdi, %rdi
    jne 3f
    ret
1:  movq kymo_current_thread@gottpoff(%rip), %rax
    movq %fs:(%rax), %rdi
    cmpq 24(%rsi), %rdi
    jne 4f
    jmp 3f
2:  cmpl $0, kymo_signal_owners+16(%rip)
    je 5f
    movq kymo_current_thread@gottpoff(%rip), %rax
    movq %fs:(%rax), %rdi
3:  cmpq $1, %rdi
    jbe 4f
    cmpl $0, 8(%rdi)
    jne 6f
    movl 8(%rsi), %r8d
    movq (%rdi), %rax
    movq %rsp, -16(%rax)
    leaq -16(%rax), %rbp
    .cfi_escape 0x0f, 0x05, 0x76, 0x00, 0x06, 0x23, 0x08
    .cfi_undefined %rbp
    movq %rbp, %rsp
    pushfq
    popq %rax
    btrl $18, %eax
    jnc 7f
    pushq %rax
    popfq
7:  movq %rdx, %rsi
    movl %r8d, %edx
    call kymo_take_signal
    movq (%rbp), %rsp
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
6:  ret
4:  movl (%rsi), %edi
5:  jmp kymo_forward_signal
    .cfi_endproc
    .size kymo_signal_entry, .-kymo_signal_entry

    .hidden kymo_call_on
    .globl kymo_call_on
    .type kymo_call_on, @function
kymo_call_on:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rsp
    movq %rdx, %rdi
    call *%rsi
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size kymo_call_on, .-kymo_call_on
)");
