# The way that a hooked call takes, without anything that is done on it: out of the function, four registers kept, a call,
# back, three registers kept, home. What is left of hooks if all their work cost nothing.
    .text
    .globl by_empty_way
    .type by_empty_way, @function
    .balign 64
by_empty_way:
    jmp .Lentry
    .balign 64
.Lbody:
    lea 1(%rdi), %eax
    ret
    .balign 64
.Lentry:
    mov %r11, -16(%rsp)
    mov $1, %r11d
    jmp *.Lto_trampoline(%rip)
    .balign 64
.Ltrampoline:
    mov %rcx, -24(%rsp)
    mov %rax, -32(%rsp)
    mov %rdx, -40(%rsp)
    mov %rsi, -48(%rsp)
    mov (%rsp), %rcx
    mov %rcx, .Lkept(%rip)
    mov .Lto_stub(%rip), %rcx
    mov %rcx, -8(%rsp)
    mov -48(%rsp), %rsi
    mov -40(%rsp), %rdx
    mov -32(%rsp), %rax
    mov -24(%rsp), %rcx
    mov -16(%rsp), %r11
    jmp *-8(%rsp)
    .balign 64
.Lstub:
    lea 8(%rsp), %rsp
    call *.Lto_body(%rip)
    mov %r11, -16(%rsp)
    lea .Lkept(%rip), %r11
    push (%r11)
    mov %rdx, -16(%rsp)
    mov %rcx, -24(%rsp)
    mov %rsi, -32(%rsp)
    mov -32(%rsp), %rsi
    mov -24(%rsp), %rcx
    mov -16(%rsp), %rdx
    mov -8(%rsp), %r11
    ret
    .size by_empty_way, . - by_empty_way

    .data
    .balign 64
.Lkept: .quad 0
    .balign 64
.Lto_trampoline: .quad .Ltrampoline
.Lto_stub: .quad .Lstub
.Lto_body: .quad .Lbody
    .section .note.GNU-stack, "", @progbits
