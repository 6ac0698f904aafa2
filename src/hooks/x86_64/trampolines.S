# x86-64: between hooked functions and the code that runs their steps (guest/enter_leave.cpp).
#
# A hook may stand where no call was meant to be: compilers use registers across calls of functions that they know, so
# every general register keeps its value on both ways. Vector and x87 registers do, because nothing here touches them
# (the runtime is compiled for general registers only). Flags are kept at places inside functions; no calling convention carries any.
#
# What is written below the stack pointer lies within the 128 bytes that signals leave alone (System V ABI, AMD64, 3.2.2).

#include "hooks/x86_64/offsets.h"

    .text

# What a call may change, but %r11; the six arguments first in memory, in the convention's order.
    .macro save_registers
    .irp register, rax, r10, r9, r8, rcx, rdx, rsi, rdi
    push %\register
    .cfi_adjust_cfa_offset 8
    .endr
    .endm
    .macro restore_registers
    .irp register, rdi, rsi, rdx, rcx, r8, r9, r10, rax
    pop %\register
    .cfi_adjust_cfa_offset -8
    .endr
    .endm

# From a hook's entry code: the stack as the program's call left it (return address at A = %rsp), the hook's number in %r11d
# and what %r11 was at -16(%rsp).
    .globl kymo_hooks_enter_trampoline
    .hidden kymo_hooks_enter_trampoline
    .type kymo_hooks_enter_trampoline, @function
    .balign 64
kymo_hooks_enter_trampoline:
    .cfi_startproc
    # The quick way, as kymo_hooks_enter() does it. %rcx Hook, %rax Thread, %rsi Slot.
    mov %rcx, -24(%rsp)
    mov %r11d, %ecx
    shl $KYMO_HOOK_SHIFT, %rcx
    add kymo_hooks_runtime(%rip), %rcx
    cmpb $0, KYMO_HOOK_IS_QUICK(%rcx)
    je .Lenter_fully
    mov %rax, -32(%rsp)
    mov %rdx, -40(%rsp)
    mov %rsi, -48(%rsp)
    mov kymo_hooks_current@gottpoff(%rip), %rax
    mov %fs:(%rax), %rax
    test %rax, %rax
    jz .Lenter_unmeasured
    cmpl $0, KYMO_THREAD_LEVEL(%rax)
    jne .Lenter_after_all
    cmpq $0, KYMO_THREAD_TASK(%rax)
    je .Lenter_after_all
    mov %rsp, %rdx
    sub KYMO_THREAD_STACK_LOW(%rax), %rdx
    cmp KYMO_THREAD_STACK_BYTES(%rax), %rdx
    jae .Lenter_after_all
    mov KYMO_HOOK_CONTINUATION(%rcx), %rsi
    cmpb $KYMO_HOOK_IS_FOLLOWED, KYMO_HOOK_FOLLOWS(%rcx)
    jb .Lenter_add                  # nothing is done at any exit
    ja .Lenter_only
    mov (%rsp), %rdx
    lea kymo_hooks_pool(%rip), %rsi
    sub %rsi, %rdx
    cmp $KYMO_STUBS_BYTES, %rdx
    jb .Lenter_after_all            # jumped to by a hooked function
    mov KYMO_THREAD_TOP(%rax), %rsi
    test $(KYMO_BLOCK_BYTES - 1), %esi
    jz .Lenter_after_all            # the block is at its end
    cmp %rsp, KYMO_SLOT_SP - KYMO_SLOT_BYTES(%rsi)
    jbe .Lenter_after_all           # the last slot is free or dead
    mov %rsp, KYMO_THREAD_INSIDE(%rax)
    movl $1, KYMO_THREAD_LEVEL(%rax)
    lea KYMO_SLOT_BYTES(%rsi), %rdx
    mov %rdx, KYMO_THREAD_TOP(%rax)
    mov (%rsp), %rdx
    dec %rdx
    mov %rdx, KYMO_SLOT_RETURN_BEFORE(%rsi)
    mov KYMO_HOOK_CONTINUATION(%rcx), %rdx
    mov %rdx, KYMO_SLOT_CONTINUATION(%rsi)
    mov %r11, KYMO_SLOT_HOOK_AND_CHAIN(%rsi)  # of no chain
    mov %rsp, KYMO_SLOT_SP(%rsi)
    sub $KYMO_STUBS_BYTES, %rsi     # the stub
.Lenter_add:
    mov %rsi, -8(%rsp)
    mov KYMO_THREAD_TASK(%rax), %rdx
    mov (%rdx), %rdx                # its cells
    add KYMO_HOOK_ENTRY_CELL(%rcx), %rdx
    mov KYMO_HOOK_ENTRY_BY(%rcx), %rcx
    add %rcx, (%rdx)
    movl $0, KYMO_THREAD_LEVEL(%rax)
.Lenter_go_on:
    mov -48(%rsp), %rsi
    mov -40(%rsp), %rdx
    mov -32(%rsp), %rax
    mov -24(%rsp), %rcx
    mov -16(%rsp), %r11
    jmp *-8(%rsp)
    # Nothing is to be done at this exit; but hooked functions that were skipped (longjmp) are left before.
.Lenter_only:
    mov KYMO_THREAD_TOP(%rax), %rsi
    test %rsi, %rsi
    jz .Lenter_direct
    cmp %rsp, KYMO_SLOT_SP - KYMO_SLOT_BYTES(%rsi)
    jbe .Lenter_after_all           # the last slot is free or dead, or a hooked function has jumped here
.Lenter_direct:
    mov KYMO_HOOK_CONTINUATION(%rcx), %rsi
    jmp .Lenter_add
.Lenter_unmeasured:
    mov KYMO_HOOK_CONTINUATION(%rcx), %rdx
    mov %rdx, -8(%rsp)
    jmp .Lenter_go_on

.Lenter_after_all:
    mov -48(%rsp), %rsi
    mov -40(%rsp), %rdx
    mov -32(%rsp), %rax
.Lenter_fully:
    mov -24(%rsp), %rcx
    lea -16(%rsp), %rsp             # A−8: where to go on; A−16: %r11
    .cfi_adjust_cfa_offset 16
    save_registers
    mov %rsp, %rdi                  # EntryFrame
    mov %r11d, %esi
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call kymo_hooks_enter
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    restore_registers
    pop %r11
    .cfi_adjust_cfa_offset -8
    lea 8(%rsp), %rsp
    .cfi_adjust_cfa_offset -8
    jmp *-8(%rsp)                   # the function itself, or the stub that calls it
    .cfi_endproc
    .size kymo_hooks_enter_trampoline, . - kymo_hooks_enter_trampoline

# From a stub: the function has returned. The slot's return_before is on the stack where the return address belongs, the slot
# in %r11, and what %r11 was at -8(%rsp).
    .globl kymo_hooks_leave_trampoline
    .hidden kymo_hooks_leave_trampoline
    .type kymo_hooks_leave_trampoline, @function
    .balign 64
kymo_hooks_leave_trampoline:
    .cfi_startproc
    incq (%rsp)
    # The quick way, as kymo_hooks_leave() does it. %rdx Hook, %rcx Thread.
    mov %rdx, -16(%rsp)
    mov KYMO_SLOT_HOOK_AND_CHAIN(%r11), %rdx
    shl $KYMO_HOOK_SHIFT, %rdx
    add kymo_hooks_runtime(%rip), %rdx
    cmpl $0, KYMO_SLOT_HOOK_AND_CHAIN + 4(%r11)
    jne .Lleave_fully               # jumped to by a hooked function
    cmpb $0, KYMO_HOOK_IS_QUICK(%rdx)
    je .Lleave_fully
    mov %rcx, -24(%rsp)
    mov %rsi, -32(%rsp)
    mov kymo_hooks_current@gottpoff(%rip), %rcx
    mov %fs:(%rcx), %rcx
    test %rcx, %rcx
    jz .Lleave_after_all
    cmpl $0, KYMO_THREAD_LEVEL(%rcx)
    jne .Lleave_after_all
    lea KYMO_SLOT_BYTES(%r11), %rsi
    cmp %rsi, KYMO_THREAD_TOP(%rcx)
    jne .Lleave_after_all           # not the first lane's last
    cmp %rsp, KYMO_SLOT_SP - KYMO_SLOT_BYTES(%r11)
    jbe .Lleave_after_all           # nor is the one before alive
    mov KYMO_THREAD_TASK(%rcx), %rsi
    test %rsi, %rsi
    jz .Lleave_after_all
    mov %rsp, KYMO_THREAD_INSIDE(%rcx)
    movl $1, KYMO_THREAD_LEVEL(%rcx)
    mov (%rsi), %rsi                # its cells
    add KYMO_HOOK_EXIT_CELL(%rdx), %rsi
    mov KYMO_HOOK_EXIT_BY(%rdx), %rdx
    add %rdx, (%rsi)
    movq $0, KYMO_SLOT_SP(%r11)
    mov %r11, KYMO_THREAD_TOP(%rcx)
    movl $0, KYMO_THREAD_LEVEL(%rcx)
    mov -32(%rsp), %rsi
    mov -24(%rsp), %rcx
    mov -16(%rsp), %rdx
    mov -8(%rsp), %r11
    ret

.Lleave_after_all:
    mov -32(%rsp), %rsi
    mov -24(%rsp), %rcx
.Lleave_fully:
    mov -16(%rsp), %rdx
    lea -8(%rsp), %rsp
    .cfi_adjust_cfa_offset 8
    save_registers
    mov %r11, %rdi                  # Slot
    mov %rax, %rsi                  # the function's result
    call kymo_hooks_leave
    restore_registers
    pop %r11
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size kymo_hooks_leave_trampoline, . - kymo_hooks_leave_trampoline

# From the code of a place inside a function, by a call: the stack is aligned to nothing, and lower than the function's by
# 128 bytes, %r11 and the return address; the hook's number is in %r11d. All flags are kept that instructions test.
    .globl kymo_hooks_place_trampoline
    .hidden kymo_hooks_place_trampoline
    .type kymo_hooks_place_trampoline, @function
    .balign 64
kymo_hooks_place_trampoline:
    .cfi_startproc
    save_registers
    lahf                            # all but overflow
    seto %al
    push %rax
    .cfi_adjust_cfa_offset 8
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    mov %r11d, %edi
    lea 10*8 + 8 + 8 + 128(%rsp), %rsi
    and $-16, %rsp
    call kymo_hooks_pass
    mov %rbp, %rsp
    .cfi_def_cfa_register %rsp
    pop %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbp
    pop %rax
    .cfi_adjust_cfa_offset -8
    add $127, %al                   # overflows where %al is 1
    sahf
    restore_registers
    ret
    .cfi_endproc
    .size kymo_hooks_place_trampoline, . - kymo_hooks_place_trampoline

# The pool: stubs, then slots (guest/slots.h).
    .set kStubsBytes, KYMO_STUBS_BYTES
    .section .bss.kymo_hooks_pool, "aw", @nobits
    .globl kymo_hooks_pool
    .hidden kymo_hooks_pool
    .type kymo_hooks_pool, @object
    .balign 4096
kymo_hooks_pool:
    .skip 2 * kStubsBytes
    .size kymo_hooks_pool, 2 * kStubsBytes

# The stubs' call-frame information: one description for all. The caller's stack pointer is the stub's own; its address is in
# the slot, kStubsBytes above the stub:
#     DW_OP_breg16 (the program counter) 0, DW_OP_const1s -32, DW_OP_and, DW_OP_plus_uconst kStubsBytes
# It is marked a signal frame ('S'): unwinders tell frames apart by their stack pointer and this mark, and the stub shares its
# stack pointer with the caller. The address of a signal frame's caller is taken as it stands, hence the slot's −1. The
# personality ('P') leaves the function's hook when an exception or a cancellation unwinds through it.
    .section .eh_frame, "a", @unwind
.Lcie:
    .long .Lcie_end - .Lcie_begin
.Lcie_begin:
    .long 0                         # this is a CIE
    .byte 1                         # version
    .string "zPRS"
    .uleb128 1                      # code alignment
    .sleb128 -8                     # data alignment
    .byte 16                        # the return address's column
    .uleb128 6                      # bytes of augmentation data
    .byte 0x1b                      # DW_EH_PE_pcrel | DW_EH_PE_sdata4
    .long kymo_hooks_personality - .
    .byte 0x1b
    .byte 0x0c, 7, 0                # DW_CFA_def_cfa %rsp, 0
    .byte 0x10, 16                  # DW_CFA_expression, return address
    .uleb128 .Lexpression_end - .Lexpression
.Lexpression:
    .byte 0x80, 0, 0x09, 0xe0, 0x1a, 0x23
    .uleb128 kStubsBytes
.Lexpression_end:
    .balign 8, 0
.Lcie_end:
    .long .Lfde_end - .Lfde
.Lfde:
    .long .Lfde - .Lcie
    .long kymo_hooks_pool - .
    .long kStubsBytes
    .uleb128 0
    .balign 8, 0
.Lfde_end:

    .section .note.GNU-stack, "", @progbits
