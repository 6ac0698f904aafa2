/* A library with a known build id. */
int subject(int value) {
    return value + 1;
}
