// A library with room between its segments, as linkers made every library once.
int roomy(int a) {
    return a + 1;
}
int roomy_data = 5;
