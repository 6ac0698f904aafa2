/* Counts things whose numbers are known: 4 threads, each 1000 rounds. Prints what it was able to see itself. */
#include <kymo/metrics.h>
#include <pthread.h>
#include <stdio.h>

void plug_add(uint64_t value);

static kymo_cell rounds, inside, sent, bytes, largest;

static void send_message(uint64_t size) {
    if (kymo_when(kymo_get_counter(inside) > 0)) {
        kymo_add_counter(sent, 1);
    }
    kymo_add_counter(bytes, size);
    kymo_raise_counter(largest, size);
}

static void foo(void) {
    KYMO_COUNT_SCOPE(inside);
    KYMO_TIME_SCOPE(0);
    send_message(10);
}

static void* work(void* unused) {
    int i;
    (void)unused;
    for (i = 0; i < 1000; i++) {
        kymo_add_counter(rounds, 1);
        kymo_add_counter(kymo_indexed(3), 2);
        if (i % 4 == 0) {
            foo();
        }
        send_message((uint64_t)i);
        plug_add(1);
    }
    return 0;
}

int main(void) {
    pthread_t threads[4];
    int i;
    rounds = kymo_counter("rounds", "");
    inside = kymo_gauge("inside", "");
    sent = kymo_counter("sent_in_foo", "messages");
    bytes = kymo_counter("bytes", "bytes");
    largest = kymo_maximum("largest", "bytes");
    kymo_set_timer(0, kymo_counter("in_foo", "ns"));
    for (i = 0; i < 4; i++) {
        pthread_create(&threads[i], 0, work, 0);
    }
    for (i = 0; i < 4; i++) {
        pthread_join(threads[i], 0);
    }
    printf("%s\n", kymo_is_counting() ? "counting" : "not counting");
    return 0;
}
