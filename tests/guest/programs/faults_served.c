// Memory whose pages another thread of the program brings in, one by one (userfaultfd), as migration of virtual
// machines and collectors have it; also the stack of a coroutine, whose outer pages are away while the inner ones
// compute. Whoever else touches a page that is away waits for it, and the program counts one more than it should.
#include "../burn.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { kPages = 16, kPage = 4096 };
static char* area;
static int faults, served, done[2];
static ucontext_t outside, inside;

static void* serve(void* unused) {
    static char page[kPage] __attribute__((aligned(4096)));
    struct pollfd polled[2] = {{.fd = faults, .events = POLLIN}, {.fd = done[0], .events = POLLIN}};
    while (poll(polled, 2, -1) > 0 && polled[1].revents == 0) {
        struct uffd_msg message;
        if (read(faults, &message, sizeof message) != sizeof message) {
            continue;
        }
        struct uffdio_copy copy = {
            .dst = message.arg.pagefault.address & ~(kPage - 1ULL), .src = (uintptr_t)page, .len = kPage};
        MUST(ioctl(faults, UFFDIO_COPY, &copy) == 0);
        ++served;
    }
    return unused;
}

// The pages from `away` on are taken away, and computing goes on below them.
__attribute__((noinline)) static void compute_below(char* away) {
    static char kept[kPages * kPage];
    const size_t bytes = (size_t)(area + kPages * kPage - away);
    memcpy(kept, away, bytes);
    MUST(madvise(away, bytes, MADV_DONTNEED) == 0);
    const int before = served;
    burn(60);
    printf("%d pages were touched meanwhile\n", served - before);
    struct uffdio_copy copy = {.dst = (uintptr_t)away, .src = (uintptr_t)kept, .len = bytes};
    MUST(ioctl(faults, UFFDIO_COPY, &copy) == 0);
}

static void deep(void) {
    volatile char room[8 * kPage];
    room[0] = 1;
    compute_below((char*)(((uintptr_t)room + kPage) & ~(kPage - 1UL)));
    room[1] = room[0];
}

int main(void) {
    pthread_t server;
    struct uffdio_api api = {.api = UFFD_API};
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    area = mmap(NULL, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(area != MAP_FAILED && pipe(done) == 0);
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0) {
        puts("faults cannot be served here");
        burn(50);
        return 0;
    }
    struct uffdio_register all = {.range = {(uintptr_t)area, kPages * kPage}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    MUST(ioctl(faults, UFFDIO_REGISTER, &all) == 0 && pthread_create(&server, NULL, serve, NULL) == 0);
    for (int i = 0; i < kPages; ++i) {
        burn(2);
        ((volatile char*)area)[i * kPage] = 1;
    }
    MUST(getcontext(&inside) == 0);
    inside.uc_stack.ss_sp = area;
    inside.uc_stack.ss_size = kPages * kPage;
    inside.uc_link = &outside;
    makecontext(&inside, deep, 0);
    MUST(swapcontext(&outside, &inside) == 0);
    MUST(write(done[1], "x", 1) == 1 && pthread_join(server, NULL) == 0);
    printf("%d served\n", served);
    return 0;
}
