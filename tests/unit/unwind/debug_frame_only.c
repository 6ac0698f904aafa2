/* Built with .debug_frame as its only call-frame information, and without a frame pointer. */
__attribute__((noipa)) int call_back_from_below(void (*call)(void*), void* context, int depth) {
    volatile int keep[20];
    keep[depth % 20] = depth;
    if (depth == 0) {
        call(context);
        return keep[0];
    }
    return call_back_from_below(call, context, depth - 1) + keep[depth % 20];
}

/* Enough of them that the linker, asked to compress the section, finds that it becomes smaller. */
#define FUNCTION(name, size)                 \
    __attribute__((noipa)) int name(int x) { \
        volatile int keep[size];             \
        keep[x % (size)] = x;                \
        return keep[0];                      \
    }
FUNCTION(f1, 11)
FUNCTION(f2, 22)
FUNCTION(f3, 33)
FUNCTION(f4, 44)
FUNCTION(f5, 55)
FUNCTION(f6, 66)
FUNCTION(f7, 77)
FUNCTION(f8, 88) FUNCTION(f9, 99) FUNCTION(f10, 111) FUNCTION(f11, 122) FUNCTION(f12, 133) FUNCTION(f13, 144)
