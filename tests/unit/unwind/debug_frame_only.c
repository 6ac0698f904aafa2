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
