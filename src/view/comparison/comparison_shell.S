// The built page's bytes. KYMO_DIFF_SHELL names the file; in builds without Node.js there is none.
    .section .rodata
    .global kymo_diff_shell_begin
    .global kymo_diff_shell_end
    .balign 8
kymo_diff_shell_begin:
#ifdef KYMO_DIFF_SHELL
    .incbin KYMO_DIFF_SHELL
#endif
kymo_diff_shell_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
