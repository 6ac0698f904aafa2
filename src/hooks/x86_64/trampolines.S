# x86-64: between hooked functions and the code that runs their steps (guest/enter_leave.cpp).
#
# A hook may stand where no call was meant to be: compilers use registers across calls of functions that they know, so
# every general register keeps its value on both ways. Vector and x87 registers do, because nothing here touches them
# (the runtime is compiled for general registers only). Flags are not kept: no calling convention carries any.
#
# What is written below the stack pointer lies within the 128 bytes that signals leave alone (System V ABI, AMD64, 3.2.2).

    .text

# From a hook's entry code: the stack as the program's call left it (return address at A = %rsp), the hook's number in %r11d
# and what %r11 was at -16(%rsp).
    .globl kymo_hooks_enter_trampoline
    .hidden kymo_hooks_enter_trampoline
    .type kymo_hooks_enter_trampoline, @function
    .balign 64
kymo_hooks_enter_trampoline:
    .cfi_startproc
    lea -16(%rsp), %rsp             # A−8: where to go on; A−16: %r11
    .cfi_adjust_cfa_offset 16
    push %rax
    .cfi_adjust_cfa_offset 8
    push %r10
    .cfi_adjust_cfa_offset 8
    push %r9
    .cfi_adjust_cfa_offset 8
    push %r8
    .cfi_adjust_cfa_offset 8
    push %rcx
    .cfi_adjust_cfa_offset 8
    push %rdx
    .cfi_adjust_cfa_offset 8
    push %rsi
    .cfi_adjust_cfa_offset 8
    push %rdi
    .cfi_adjust_cfa_offset 8
    mov %rsp, %rdi                  # EntryFrame
    mov %r11d, %esi
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call kymo_hooks_enter
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    pop %rsi
    .cfi_adjust_cfa_offset -8
    pop %rdx
    .cfi_adjust_cfa_offset -8
    pop %rcx
    .cfi_adjust_cfa_offset -8
    pop %r8
    .cfi_adjust_cfa_offset -8
    pop %r9
    .cfi_adjust_cfa_offset -8
    pop %r10
    .cfi_adjust_cfa_offset -8
    pop %rax
    .cfi_adjust_cfa_offset -8
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
    lea -8(%rsp), %rsp
    .cfi_adjust_cfa_offset 8
    push %rax
    .cfi_adjust_cfa_offset 8
    push %r10
    .cfi_adjust_cfa_offset 8
    push %r9
    .cfi_adjust_cfa_offset 8
    push %r8
    .cfi_adjust_cfa_offset 8
    push %rcx
    .cfi_adjust_cfa_offset 8
    push %rdx
    .cfi_adjust_cfa_offset 8
    push %rsi
    .cfi_adjust_cfa_offset 8
    push %rdi
    .cfi_adjust_cfa_offset 8
    mov %r11, %rdi                  # Slot
    mov %rax, %rsi                  # the function's result
    call kymo_hooks_leave
    pop %rdi
    .cfi_adjust_cfa_offset -8
    pop %rsi
    .cfi_adjust_cfa_offset -8
    pop %rdx
    .cfi_adjust_cfa_offset -8
    pop %rcx
    .cfi_adjust_cfa_offset -8
    pop %r8
    .cfi_adjust_cfa_offset -8
    pop %r9
    .cfi_adjust_cfa_offset -8
    pop %r10
    .cfi_adjust_cfa_offset -8
    pop %rax
    .cfi_adjust_cfa_offset -8
    pop %r11
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size kymo_hooks_leave_trampoline, . - kymo_hooks_leave_trampoline

# The pool: stubs, then slots (guest/slots.h).
    .set kStubsBytes, 0x800000
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
