// io_uring by bare system calls: reads, timeouts and waits for them, while the thread computes in between.
#include "../burn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    unsigned *head, *tail, *mask, *array, *done_head, *done_tail, *done_mask;
    struct io_uring_sqe* entries;
    struct io_uring_cqe* done;
} ring;

static void submit(const struct io_uring_sqe* entry) {
    const unsigned tail = *ring.tail;
    ring.entries[tail & *ring.mask] = *entry;
    ring.array[tail & *ring.mask] = tail & *ring.mask;
    atomic_store_explicit((_Atomic unsigned*)ring.tail, tail + 1, memory_order_release);
}

static int take(int file, unsigned long long* which) {
    while (*ring.done_head == atomic_load_explicit((_Atomic unsigned*)ring.done_tail, memory_order_acquire)) {
        MUST(syscall(SYS_io_uring_enter, file, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) >= 0);
    }
    const struct io_uring_cqe* entry = &ring.done[*ring.done_head & *ring.done_mask];
    *which = entry->user_data;
    const int result = entry->res;
    atomic_store_explicit((_Atomic unsigned*)ring.done_head, *ring.done_head + 1, memory_order_release);
    return result;
}

int main(void) {
    struct io_uring_params about = {0};
    const int file = (int)syscall(SYS_io_uring_setup, 8, &about);
    if (file < 0) {
        burn(300);
        printf("no io_uring here\n");
        return 0;
    }
    char* sub = mmap(NULL, about.sq_off.array + about.sq_entries * sizeof(unsigned), PROT_READ | PROT_WRITE,
                     MAP_SHARED, file, IORING_OFF_SQ_RING);
    char* done = mmap(NULL, about.cq_off.cqes + about.cq_entries * sizeof(struct io_uring_cqe),
                      PROT_READ | PROT_WRITE, MAP_SHARED, file, IORING_OFF_CQ_RING);
    ring.entries = mmap(NULL, about.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED,
                        file, IORING_OFF_SQES);
    MUST(sub != MAP_FAILED && done != MAP_FAILED && ring.entries != MAP_FAILED);
    ring.head = (unsigned*)(sub + about.sq_off.head);
    ring.tail = (unsigned*)(sub + about.sq_off.tail);
    ring.mask = (unsigned*)(sub + about.sq_off.ring_mask);
    ring.array = (unsigned*)(sub + about.sq_off.array);
    ring.done_head = (unsigned*)(done + about.cq_off.head);
    ring.done_tail = (unsigned*)(done + about.cq_off.tail);
    ring.done_mask = (unsigned*)(done + about.cq_off.ring_mask);
    ring.done = (struct io_uring_cqe*)(done + about.cq_off.cqes);

    const int zeros = open("/dev/zero", O_RDONLY);
    long bytes = 0;
    int timeouts = 0;
    for (int i = 0; i < 60; ++i) {
        static char buffer[4096];
        struct __kernel_timespec soon = {.tv_nsec = 2000000};
        struct io_uring_sqe entry = {.opcode = IORING_OP_READ,
                                     .fd = zeros,
                                     .addr = (unsigned long)buffer,
                                     .len = sizeof buffer,
                                     .user_data = 1};
        submit(&entry);
        entry = (struct io_uring_sqe){
            .opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = (unsigned long)&soon, .len = 1, .user_data = 2};
        submit(&entry);
        MUST(syscall(SYS_io_uring_enter, file, 2, 0, 0, NULL, 0) == 2);
        burn(4);
        for (int each = 0; each < 2; ++each) {
            unsigned long long which = 0;
            const int result = take(file, &which);
            bytes += which == 1 ? result : 0;
            timeouts += which == 2 && (result == -ETIME || result == 0);
        }
    }
    printf("%ld bytes, %d timeouts\n", bytes, timeouts);
    return 0;
}
