// Under two names, with the same code at the same place.
void VERSION(long count);
void VERSION(long count) {
    unsigned long hash = 88172645463325252UL;
    for (long i = 0; i < count; ++i) {
        hash ^= hash << 13;
        hash ^= hash >> 7;
        hash ^= hash << 17;
    }
    *(volatile unsigned long*)&hash = hash;
}
