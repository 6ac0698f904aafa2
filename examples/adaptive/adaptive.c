/* An adaptive program: it hunts for its own page faults while it works, learns from the result which of its parts
 * causes them, and changes that part's ways. Prints the faults before and after.
 *
 * Each request needs two scratch buffers; both parts at first take fresh memory for every request. Only one of them
 * is large enough to matter, and the program does not know which until the hunt tells it.
 */
#include "kymo/hunt.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { kPage = 4096, kRequests = 400 };

/* A part of the program, with its code in a section of its own, so that a find's address tells the part. */
typedef struct {
    const char* name;
    size_t bytes;
    atomic_int reuses;  // the adaptation: keep the buffer from request to request
    char* kept;
} Part;

static Part parse = {"parse", (size_t)2 * kPage, 0, 0};
static Part render = {"render", (size_t)200 * kPage, 0, 0};

extern const char __start_part_parse[], __stop_part_parse[];
extern const char __start_part_render[], __stop_part_render[];

static char* buffer_of(Part* part) {
    if (part->kept) {
        return part->kept;
    }
    char* fresh = mmap(0, part->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    if (atomic_load(&part->reuses)) {
        part->kept = fresh;
    }
    return fresh;
}

static void done_with(Part* part, char* buffer) {
    if (buffer != part->kept) {
        munmap(buffer, part->bytes);
    }
}

__attribute__((noinline, section("part_parse"))) static void do_parse(volatile char* buffer) {
    for (size_t i = 0; i < parse.bytes; i += 64) {
        buffer[i] = 'p';
    }
}

__attribute__((noinline, section("part_render"))) static void do_render(volatile char* buffer) {
    for (size_t i = 0; i < render.bytes; i += 64) {
        buffer[i] = 'r';
    }
}

static Part* _Atomic first_mended;

static void mend(Part* part) {
    Part* none = 0;
    atomic_compare_exchange_strong(&first_mended, &none, part);
    atomic_store(&part->reuses, 1);
}

/* Runs in the signal's handler, in the middle of the hitter's own loop. */
static void on_result(const kymo_hunt_result* result, void* nothing) {
    (void)nothing;
    const char* address = result->address;
    if (result->quiet) {
        return;
    }
    if (address >= __start_part_parse && address < __stop_part_parse) {
        mend(&parse);
    } else if (address >= __start_part_render && address < __stop_part_render) {
        mend(&render);
    }
}

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static void handle_requests(int count) {
    for (int i = 0; i < count; ++i) {
        char* text = buffer_of(&parse);
        do_parse(text);
        done_with(&parse, text);
        char* picture = buffer_of(&render);
        do_render(picture);
        done_with(&render, picture);
    }
}

int main(void) {
    const long begin = faults();
    handle_requests(kRequests);
    const long before = faults() - begin;

    kymo_hunt_options options = {.event = "page-faults", .share = 0.3, .found = on_result};
    kymo_hunt* hunt = kymo_hunt_start(&options);
    if (!hunt) {
        fprintf(stderr, "adaptive: no hunt: %s\n", kymo_hunt_error());
        return 2;
    }
    handle_requests(kRequests);
    kymo_hunt_stop(hunt);

    const long middle = faults();
    handle_requests(kRequests);
    const long after = faults() - middle;
    printf("%d requests took %ld page faults; after the hunt %ld. Changed its ways, first those of %s\n", kRequests,
           before, after, first_mended ? first_mended->name : "nobody");
    return atomic_load(&render.reuses) && first_mended == &render && after * 10 < before ? 0 : 1;
}
