// Functions without call-frame information. int3 lets a test look at them from a signal handler at one instruction exactly.
    .text

// int (void (*call)(void*), void* context): an honest frame pointer.
    .globl without_rules_framed
    .type without_rules_framed, @function
without_rules_framed:
    push %rbp
    mov %rsp, %rbp
    sub $48, %rsp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    leave
    ret
    .size without_rules_framed, . - without_rules_framed

// int (void (*call)(void*), void* context): rbp holds something else, and only the epilogue tells where the caller is.
    .globl without_rules_unframed
    .type without_rules_unframed, @function
without_rules_unframed:
    push %rbp
    sub $48, %rsp
    mov $1, %ebp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    add $48, %rsp
    pop %rbp
    ret
    .size without_rules_unframed, . - without_rules_unframed

// Its caller's stack pointer is in rax, which its helper leaves alone, as both know; the helper traps.
    .globl keeps_stack_in_scratch
    .type keeps_stack_in_scratch, @function
keeps_stack_in_scratch:
    .cfi_startproc
    mov %rsp, %rax
    .cfi_def_cfa %rax, 8
    sub $72, %rsp
    call leaves_scratch_alone
    mov %rax, %rsp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size keeps_stack_in_scratch, . - keeps_stack_in_scratch

    .type leaves_scratch_alone, @function
leaves_scratch_alone:
    .cfi_startproc
    int3
    nop
    ret
    .cfi_endproc
    .size leaves_scratch_alone, . - leaves_scratch_alone

// Leaves that have a frame, in the ways of hand-written code, with what looks like return addresses in it. Each is
// interrupted where it traps.
    .macro stale_return_addresses from to
    mov \from(%rsp), %rdx
    .set at, 0
    .rept \to / 8
    mov %rdx, at(%rsp)
    .set at, at + 8
    .endr
    .endm

    .globl leaf_pushes
    .type leaf_pushes, @function
leaf_pushes:
    push %rbx
    push %rbp
    push %r14
    push %r12
    sub $200, %rsp
    stale_return_addresses 232 192
    mov $1, %ebx
    mov $2, %ebp
    mov $3, %r12d
    mov $4, %r14d
    int3
    mov $0xC3C3C3C3, %eax
    add $200, %rsp
    pop %r12
    pop %r14
    pop %rbp
    pop %rbx
    ret
    .size leaf_pushes, . - leaf_pushes

    .globl leaf_allocates_little
    .type leaf_allocates_little, @function
leaf_allocates_little:
    push %rbp
    sub $72, %rsp
    stale_return_addresses 80 64
    xor %ebp, %ebp
    int3
    add $72, %rsp
    pop %rbp
    vzeroupper
    rep ret
    .size leaf_allocates_little, . - leaf_allocates_little

    .globl leaf_realigns
    .type leaf_realigns, @function
leaf_realigns:
    push %rbx
    mov %rsp, %rbx
    sub $400, %rsp
    and $-64, %rsp
    mov %rbx, 256(%rsp)
    mov 8(%rbx), %rdx
    mov %rdx, (%rsp)
    mov %rdx, 64(%rsp)
    xor %ebx, %ebx
    int3
    mov 256(%rsp), %rsp
    pop %rbx
    ret
    .size leaf_realigns, . - leaf_realigns

    .globl leaf_keeps_in_register
    .type leaf_keeps_in_register, @function
leaf_keeps_in_register:
    mov %rsp, %r9
    sub $400, %rsp
    and $-64, %rsp
    mov (%r9), %rdx
    mov %rdx, (%rsp)
    int3
    mov %r9, %rsp
    ret
    .size leaf_keeps_in_register, . - leaf_keeps_in_register

    .globl leaf_leaves
    .type leaf_leaves, @function
leaf_leaves:
    push %rbp
    mov %rsp, %rbp
    sub $64, %rsp
    mov 8(%rbp), %rdx
    mov %rdx, (%rsp)
    int3
    leave
    ret
    .size leaf_leaves, . - leaf_leaves

// A leaf that has not touched the stack, below a caller that has put something else into rbp and knows its own frame without it.
    .globl calls_without_rules_leaf
    .type calls_without_rules_leaf, @function
calls_without_rules_leaf:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov $1, %ebp
    call without_rules_leaf
    pop %rbp
    .cfi_def_cfa_offset 8
    .cfi_restore %rbp
    ret
    .cfi_endproc
    .size calls_without_rules_leaf, . - calls_without_rules_leaf

    .globl without_rules_leaf
    .type without_rules_leaf, @function
without_rules_leaf:
    nop
    int3
    nop
    ret
    .size without_rules_leaf, . - without_rules_leaf

// Pushes registers and does not say so, as glibc's __mpn_addmul_1: by its table the return address is what rbx held (0x78).
    .globl pushes_untold
    .type pushes_untold, @function
pushes_untold:
    .cfi_startproc
    push %rbp
    push %rbx
    mov $0x78, %ebx
    push %rbx
    int3
    pop %rbx
    pop %rbx
    pop %rbp
    ret
    .cfi_endproc
    .size pushes_untold, . - pushes_untold

// Takes its return address off the stack, as vfork does: for a while the frame is empty and has its caller in rdx.
    .globl returns_by_register
    .type returns_by_register, @function
returns_by_register:
    .cfi_startproc
    pop %rdx
    .cfi_def_cfa_offset 0
    .cfi_register %rip, %rdx
    int3
    jmp *%rdx
    .cfi_endproc
    .size returns_by_register, . - returns_by_register

// About to push the frame pointer: rbp is still the caller's, and a chain through it would miss one frame.
    .globl without_rules_entry
    .type without_rules_entry, @function
without_rules_entry:
    int3
    push %rbp
    mov %rsp, %rbp
    pop %rbp
    ret
    .size without_rules_entry, . - without_rules_entry

// long (long (*call)(void*), void* context): has a frame pointer and rules, and calls what follows it in the chain.
    .globl with_frame_calls
    .type with_frame_calls, @function
with_frame_calls:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size with_frame_calls, . - with_frame_calls

// int (void (*call)(void*), void* context): nothing at all tells where the caller is, and behind it is no code.
    .globl without_rules_untellable
    .type without_rules_untellable, @function
without_rules_untellable:
    push %rbp
    sub $48, %rsp
    movq $0, (%rsp)
    mov $1, %ebp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    mov $48, %ecx
    add %rcx, %rsp
    pop %rbp
    pop %rdx
    jmp *%rdx
    .fill 4200, 1, 0xCC
    .size without_rules_untellable, . - without_rules_untellable

// int (void (*call)(void*), void* context): CFA = rbx + 16 while calling, as in glibc's _dl_runtime_resolve_xsavec.
    .globl cfa_by_rbx
    .type cfa_by_rbx, @function
cfa_by_rbx:
    .cfi_startproc
    push %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    mov %rsp, %rbx
    .cfi_def_cfa_register %rbx
    and $-64, %rsp
    sub $192, %rsp
    mov %rdi, %rax
    mov %rsi, %rdi
    call *%rax
    mov %rbx, %rsp
    .cfi_def_cfa_register %rsp
    pop %rbx
    .cfi_def_cfa_offset 8
    .cfi_restore %rbx
    ret
    .cfi_endproc
    .size cfa_by_rbx, . - cfa_by_rbx

// CFA = r10 where a signal interrupts it.
    .globl cfa_by_r10
    .type cfa_by_r10, @function
cfa_by_r10:
    .cfi_startproc
    lea 8(%rsp), %r10
    .cfi_def_cfa %r10, 0
    sub $256, %rsp
    int3
    lea -8(%r10), %rsp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size cfa_by_r10, . - cfa_by_r10


// Returns from signal handlers, as other C libraries and run times have them: without rules, or with an ordinary function's.
    .globl returns_untold
    .type returns_untold, @function
    nop
returns_untold:
    mov $15, %rax
    syscall
    .size returns_untold, . - returns_untold

    .globl returns_untold_short
    .type returns_untold_short, @function
    nop
returns_untold_short:
    mov $15, %eax
    syscall
    .size returns_untold_short, . - returns_untold_short

    .globl returns_like_a_function
    .type returns_like_a_function, @function
    .cfi_startproc
    nop
returns_like_a_function:
    mov $15, %rax
    syscall
    .cfi_endproc
    .size returns_like_a_function, . - returns_like_a_function

// int (void (*call)(void*), void* context): in pages of its own, with a frame pointer and without rules, as is the function of the
// same kind that it calls.
    .section .closed_code, "ax", @progbits
    .p2align 12
    .globl closed_code_begin
closed_code_begin:
    .globl closed_code
    .type closed_code, @function
closed_code:
    push %rbp
    mov %rsp, %rbp
    sub $48, %rsp
    call without_rules_framed
    leave
    ret
    .size closed_code, . - closed_code
    .p2align 12
    .globl closed_code_end
closed_code_end:

    .section .note.GNU-stack,"",@progbits
