// Call-frame information a compiler would not write: expressions, registers kept in registers, remembered states, a
// canonical frame address in memory, an unusual return-address place.
        .text
        .macro  function name
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        .endm
        .macro  end name
        .cfi_endproc
        .size   \name, .-\name
        .endm

// The caller's registers in other registers.
        function in_registers
        movq    %rbx, %r8
        .cfi_register rbx, r8
        movq    %rbp, %r9
        .cfi_register rbp, r9
        xorl    %ebx, %ebx
        xorl    %ebp, %ebp
        nop
        movq    %r9, %rbp
        .cfi_same_value rbp
        movq    %r8, %rbx
        .cfi_restore rbx
        ret
        end in_registers

// The return address taken off the stack into a register, and put back.
        function return_in_register
        popq    %rdx
        .cfi_def_cfa_offset 0
        .cfi_register rip, rdx
        nop
        pushq   %rdx
        .cfi_def_cfa_offset 8
        .cfi_offset rip, -8
        ret
        end return_in_register

// The canonical frame address is read from memory: [rsp + 24] + 8 (DW_OP_breg7 24, deref, plus_uconst 8).
        function saved_stack_pointer
        movq    %rsp, %rax
        .cfi_def_cfa_register rax
        subq    $200, %rsp
        andq    $-64, %rsp
        movq    %rax, 24(%rsp)
        .cfi_escape 0x0f,0x06,0x77,0x18,0x06,0x23,0x08,0x96
        xorl    %eax, %eax
        nop
        call    in_registers@PLT
        nop
        movq    24(%rsp), %rax
        .cfi_def_cfa rax, 8
        movq    %rax, %rsp
        .cfi_def_cfa_register rsp
        ret
        end saved_stack_pointer

// The same, with the word just below the stack pointer: CFA = [rsp − 8] + 8.
        function saved_in_red_zone
        movq    %rsp, %rax
        .cfi_def_cfa_register rax
        subq    $200, %rsp
        andq    $-64, %rsp
        movq    %rax, (%rsp)
        .cfi_escape 0x0f,0x06,0x77,0x00,0x06,0x23,0x08,0x96
        addq    $8, %rsp
        .cfi_escape 0x0f,0x06,0x77,0x78,0x06,0x23,0x08,0x96
        xorl    %eax, %eax
        nop
        movq    -8(%rsp), %rax
        .cfi_def_cfa rax, 8
        movq    %rax, %rsp
        .cfi_def_cfa_register rsp
        ret
        end saved_in_red_zone

// rbx saved at a place an expression tells (DW_CFA_expression: DW_OP_breg6 -24); rbp as a value (DW_CFA_val_expression:
// DW_OP_breg6 0, deref).
        function expressions
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        subq    $32, %rsp
        movq    %rbx, -24(%rbp)
        .cfi_escape 0x10,0x03,0x02,0x76,0x68
        .cfi_escape 0x16,0x06,0x03,0x76,0x00,0x06
        movl    $7, %ebx
        call    in_registers@PLT
        nop
        movq    -24(%rbp), %rbx
        .cfi_restore rbx
        leave
        .cfi_def_cfa rsp, 8
        .cfi_restore rbp
        ret
        end expressions

// Two epilogues; the state is remembered before the first and restored after it.
        function two_exits
        pushq   %r12
        .cfi_def_cfa_offset 16
        .cfi_offset r12, -16
        pushq   %r13
        .cfi_def_cfa_offset 24
        .cfi_offset r13, -24
        movq    %rdi, %r12
        testq   %r12, %r12
        jz      1f
        .cfi_remember_state
        popq    %r13
        .cfi_restore r13
        .cfi_def_cfa_offset 16
        popq    %r12
        .cfi_restore r12
        .cfi_def_cfa_offset 8
        ret
1:      .cfi_restore_state
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    expressions@PLT
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_restore r13
        .cfi_def_cfa_offset 16
        popq    %r12
        .cfi_restore r12
        .cfi_def_cfa_offset 8
        ret
        end two_exits

// Frame pointer kept in rbx, as hand-written assembly likes to.
        function frame_in_rbx
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        movq    %rsp, %rbx
        .cfi_def_cfa_register rbx
        subq    $72, %rsp
        andq    $-32, %rsp
        call    saved_stack_pointer@PLT
        movq    %rbx, %rsp
        .cfi_def_cfa_register rsp
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        ret
        end frame_in_rbx

// A far advance (DW_CFA_advance_loc2) before the frame is made.
        function far_advance
        .fill   700, 1, 0x90
        subq    $24, %rsp
        .cfi_adjust_cfa_offset 24
        call    return_in_register@PLT
        addq    $24, %rsp
        .cfi_adjust_cfa_offset -24
        ret
        end far_advance

// A jump into the middle of a function, and a tail jump out with another function's frame gone.
        function jumps_out
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     two_exits@PLT
        end jumps_out

        .globl  scenario
        .type   scenario, @function
scenario:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        call    in_registers@PLT
        call    return_in_register@PLT
        call    saved_stack_pointer@PLT
        call    saved_in_red_zone@PLT
        call    expressions@PLT
        xorl    %edi, %edi
        call    two_exits@PLT
        movl    $1, %edi
        call    two_exits@PLT
        call    frame_in_rbx@PLT
        call    far_advance@PLT
        xorl    %edi, %edi
        call    jumps_out@PLT
        popq    %rbp
        .cfi_def_cfa rsp, 8
        ret
        .cfi_endproc
        .size   scenario, .-scenario

        .globl  main
        .type   main, @function
main:
        .cfi_startproc
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    scenario@PLT
        xorl    %eax, %eax
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   main, .-main

        .section .note.GNU-stack, "", @progbits
