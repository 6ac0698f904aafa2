// The built page's bytes. KYMO_PAGE_SHELL names the file; in builds without Node.js there is none.
    .section .rodata
    .global kymo_page_shell_begin
    .global kymo_page_shell_end
    .balign 8
kymo_page_shell_begin:
#ifdef KYMO_PAGE_SHELL
    .incbin KYMO_PAGE_SHELL
#endif
kymo_page_shell_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
