// A statically linked program.
int main(void) {
    return 0;
}
