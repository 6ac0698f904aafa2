/* The eBPF program, as clang made it. */
    .section .rodata
    .balign 8
    .global kymo_probe_object
    .hidden kymo_probe_object
kymo_probe_object:
    .incbin KYMO_PROBE_OBJECT
    .global kymo_probe_object_end
    .hidden kymo_probe_object_end
kymo_probe_object_end:
    .section .note.GNU-stack, "", @progbits
