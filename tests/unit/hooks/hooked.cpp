#include "hooked.h"

// Compiled with -fno-inline and without what would call them in another way (CMakeLists.txt).

#include <cstdarg>
#include <cstdio>
#include <ctime>

int hooked_global = 5;

extern "C" {

int hooked_plain(int a, int b) {
    return a * 3 + b;
}

double hooked_many_arguments(long a, long b, long c, long d, long e, long f, long g, long h, double x, double y,
                             double z) {
    return static_cast<double>(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h) + x * y - z;
}

HookedPair hooked_returns_pair(long a) {
    return {a + 1, a * 7};
}

HookedBig hooked_returns_big(long a) {
    return {{a, a + 1, a + 2, a + 3, a + 4, a + 5}};
}

long double hooked_long_double(long double x) {
    return x * 1.5L;
}

int hooked_variadic(const char* format, ...) {
    char text[64];
    va_list list;
    va_start(list, format);
    const int size = std::vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return size;
}

const unsigned hooked_line = __LINE__ + 3;
unsigned long hooked_recursive(unsigned depth) {
    volatile unsigned long own = depth;
    return depth == 0 ? 1 : hooked_recursive(depth - 1) + own;
}

void hooked_calls(const std::function<void()>& what) {
    what();
    asm volatile("" ::: "memory");
}

void hooked_calls_inner(const std::function<void()>& what) {
    what();
    asm volatile("" ::: "memory");
}

int hooked_tail_inner(int a) {
    asm volatile("" ::: "memory");
    return a + 100;
}

int hooked_tail_outer(int a) {
    return hooked_tail_inner(a * 2);
}

int hooked_tail_loop(int left, int sum) {
    return left == 0 ? sum : hooked_tail_loop_other(left - 1, sum + 1);
}

int hooked_tail_loop_other(int left, int sum) {
    return left == 0 ? sum : hooked_tail_loop(left - 1, sum + 1);
}

void hooked_jumps(std::jmp_buf& to) {
    std::longjmp(to, 1);
}

int hooked_with_global(int a) {
    return hooked_global + a;
}

int hooked_condition_first(const int* p) {
    return p == nullptr ? -1 : *p + hooked_global;
}

int hooked_entry_only(int a) {
    return a + 11;
}

int hooked_tiny() {
    return 7;
}

int hooked_patchable(int a) {
    return a + 9;
}

static long now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

void hooked_send(long ns) {
    for (const long end = now() + ns; now() < end;) {
    }
}

static long send_all(int messages, long ns) {
    long spent = 0;
    for (int i = 0; i < messages; ++i) {
        const long begin = now();
        hooked_send(ns);
        spent += now() - begin;
    }
    return spent;
}

long hooked_foo(int messages, long ns) {
    return send_all(messages, ns);
}

long hooked_bar(int messages, long ns) {
    const long spent = send_all(messages, ns);
    return spent + messages;
}
}

int HookedBase::hooked_virtual(int a) const {
    return a + 1;
}

int HookedDerived::hooked_virtual(int a) const {
    return a + 2;
}
