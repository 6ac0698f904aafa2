// Every common kind of frame a compiler makes, each in a function of its own; compiled many ways (CMakeLists.txt).
#include <alloca.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define SEPARATE __attribute__((noinline))
#else
#define SEPARATE __attribute__((noinline, noclone))
#endif

static volatile uint64_t sink;

SEPARATE static uint64_t leaf(uint64_t x) {
    return x * 3 + 1;
}

// A leaf with locals in the red zone.
SEPARATE static uint64_t red_zone(uint64_t x) {
    volatile uint64_t local[12];
    for (unsigned i = 0; i < 12; i++) {
        local[i] = x + i;
    }
    return local[x % 12];
}

// More values alive over calls than there are callee-saved registers.
SEPARATE static uint64_t all_saved(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) {
    const uint64_t g = leaf(a);
    const uint64_t h = leaf(b);
    const uint64_t i = leaf(c);
    const uint64_t j = leaf(d);
    return (a ^ g) + (b ^ h) + (c ^ i) + (d ^ j) + leaf(e) + leaf(f);
}

// Arguments on the stack: the caller pushes, or reserves an area.
SEPARATE static uint64_t ten(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,
                             uint64_t h, uint64_t i, uint64_t j) {
    return leaf(a + b + c + d + e) - (f ^ g ^ h ^ i ^ j);
}

SEPARATE static uint64_t ten_arguments(uint64_t x) {
    return ten(x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9) +
           ten(9, 8, 7, 6, 5, 4, 3, 2, 1, leaf(x));
}

SEPARATE static uint64_t with_alloca(uint64_t n) {
    unsigned char* bytes = alloca(n);
    memset(bytes, (int)n, n);
    const uint64_t first = leaf(bytes[0]);
    unsigned char* more = alloca(first % 200 + 16);
    more[0] = bytes[n - 1];
    return leaf(more[0]) + bytes[n / 2];
}

SEPARATE static uint64_t with_array(uint64_t n) {
    uint64_t values[n + 1];
    for (uint64_t i = 0; i <= n; i++) {
        values[i] = leaf(i);
    }
    return values[n];
}

// More than a page: probed page by page where the compiler protects against stack clashes.
SEPARATE static uint64_t large_frame(uint64_t x) {
    volatile unsigned char bytes[20000];
    bytes[0] = (unsigned char)x;
    bytes[19999] = (unsigned char)leaf(x);
    return (uint64_t)bytes[0] + bytes[19999];
}

// Locals aligned more than the stack is: the frame is realigned, and reached through another register (DRAP).
SEPARATE static uint64_t realigned(uint64_t x, uint64_t n) {
    _Alignas(64) volatile unsigned char bytes[128];
    for (unsigned i = 0; i < 8; i++) {
        bytes[i * 16] = (unsigned char)leaf(x + i);
    }
    return bytes[n % 8 * 16] + leaf((uintptr_t)&bytes[0] % 64);
}

SEPARATE static uint64_t realigned_alloca(uint64_t x, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                                          uint64_t on_stack) {
    _Alignas(32) volatile unsigned char bytes[64];
    volatile unsigned char* more = alloca(x % 64 + 32);
    bytes[1] = (unsigned char)leaf(x + a + b);
    more[3] = bytes[1];
    return leaf(more[3]) + c + d + e + on_stack;
}

__attribute__((force_align_arg_pointer)) SEPARATE static uint64_t aligned_entry(uint64_t x) {
    const uint64_t y = leaf(x);
    return red_zone(y) + leaf(y);
}

SEPARATE static uint64_t tail_target(uint64_t x) {
    return leaf(x) ^ 5;
}
SEPARATE static uint64_t tail_call(uint64_t x) {
    return tail_target(x + 1);
}
SEPARATE static uint64_t tail_call_with_frame(uint64_t x) {
    const uint64_t y = all_saved(x, x, x, x, x, x);
    return tail_target(y + x);
}
typedef uint64_t (*function)(uint64_t);
SEPARATE static uint64_t tail_call_indirect(function f, uint64_t x) {
    return f(leaf(x));
}

// Shrink-wrapped: the early way out comes before the registers are saved.
SEPARATE static uint64_t early_out(uint64_t x, uint64_t y) {
    if (x < 3) {
        return y;
    }
    uint64_t sum = 0;
    for (uint64_t i = 0; i < x; i++) {
        sum += leaf(i + y) ^ leaf(sum);
    }
    return sum;
}

// Several ways out, each with its epilogue, and code after the first.
SEPARATE static uint64_t many_exits(uint64_t x) {
    const uint64_t y = leaf(x);
    if (y % 2 == 0) {
        return leaf(y) + x;
    }
    if (y % 3 == 0) {
        sink = all_saved(x, y, x, y, x, y);
        return x;
    }
    switch (x % 7) {
        case 0:
            return leaf(1) + y;
        case 1:
            return leaf(2) - y;
        case 2:
            return red_zone(y);
        case 3:
            return y;
        case 4:
            return early_out(y % 5, x);
        case 5:
            return tail_call(x) + 1;
        default:
            return leaf(y);
    }
}

SEPARATE static uint64_t variadic(int count, ...) {
    va_list list;
    va_start(list, count);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += va_arg(list, double);
    }
    va_end(list);
    return (uint64_t)sum + leaf(1);
}

struct big {
    uint64_t values[20];
};
SEPARATE static struct big by_value(struct big in, uint64_t x) {
    in.values[x % 20] = leaf(in.values[3]);
    return in;
}
SEPARATE static uint64_t pass_by_value(uint64_t x) {
    struct big value = {{x, 1, 2, 3}};
    return by_value(by_value(value, x), x + 1).values[x % 20];
}

SEPARATE static uint64_t recursive(uint64_t n) {
    return n == 0 ? leaf(n) : recursive(n - 1) + leaf(n);
}

static double vectors[64];
SEPARATE static uint64_t vectorised(double by) {
    for (int i = 0; i < 64; i++) {
        vectors[i] = vectors[i] * by + i;
    }
    return (uint64_t)vectors[leaf(7) % 64];
}

// The call is the function's last instruction; its return address lies in the next function.
__attribute__((noreturn)) SEPARATE static void leave(uint64_t x) {
    sink = leaf(x);
    exit(0);
}
SEPARATE static void ends_in_a_call(uint64_t x) {
    sink = all_saved(x, 1, 2, 3, 4, 5);
    leave(sink);
}

SEPARATE void scenario(uint64_t x) {
    sink = leaf(x) + red_zone(x);
    sink = all_saved(x, 2, 3, 4, 5, 6);
    sink = ten_arguments(x);
    sink = with_alloca(x + 100) + with_array(x + 5);
    sink = large_frame(x);
    sink = realigned(x, 3) + realigned_alloca(x, 1, 2, 3, 4, 5, 6);
    sink = aligned_entry(x);
    sink = tail_call(x) + tail_call_with_frame(x) + tail_call_indirect(leaf, x);
    sink = early_out(1, x) + early_out(5, x);
    for (uint64_t i = 0; i < 9; i++) {
        sink = many_exits(x + i);
    }
    sink = variadic(3, 1.0, 2.0, 3.0);
    sink = pass_by_value(x);
    sink = recursive(12);
    sink = vectorised(1.5);
    ends_in_a_call(x);
}

int main(int argc, char** argv) {
    (void)argv;
    scenario((uint64_t)argc);
    return 0;
}
