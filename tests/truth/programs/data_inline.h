/* Included where `mode` is another static variable each time. */
__attribute__((always_inline)) static inline int of_mode(int turn) {
    return turn + mode; /* HEADER */
}
