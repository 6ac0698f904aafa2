/* The eBPF program, as clang made it. */
    .section .rodata
    .balign 8
    .global kymo_pairs_object
    .hidden kymo_pairs_object
kymo_pairs_object:
    .incbin KYMO_PAIRS_OBJECT
    .global kymo_pairs_object_end
    .hidden kymo_pairs_object_end
kymo_pairs_object_end:
    .section .note.GNU-stack, "", @progbits
