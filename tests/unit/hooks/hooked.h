// Functions of this test program that the tests hook: each is compiled on its own, is never inlined, and behaves in
// one way. Cells: entries of the n-th are counted in cell kFirst + 2n, exits in the next.
#pragma once

#include <csetjmp>
#include <functional>

extern "C" {
int hooked_plain(int a, int b);
double hooked_many_arguments(long a, long b, long c, long d, long e, long f, long g, long h, double x, double y,
                             double z);
struct HookedPair {
    long a, b;
};
struct HookedBig {
    long words[6];
};
HookedPair hooked_returns_pair(long a);
HookedBig hooked_returns_big(long a);
long double hooked_long_double(long double x);
int hooked_variadic(const char* format, ...);
extern const unsigned hooked_line;  // of hooked_recursive
unsigned long hooked_recursive(unsigned depth);
void hooked_calls(const std::function<void()>& what);
void hooked_calls_inner(const std::function<void()>& what);
int hooked_tail_outer(int a);
int hooked_tail_inner(int a);
int hooked_tail_loop(int left, int sum);
int hooked_tail_loop_other(int left, int sum);
void hooked_jumps(std::jmp_buf& to);
int hooked_with_global(int a);
int hooked_condition_first(const int* p);
int hooked_tiny();
int hooked_entry_only(int a);  // nothing is done at its exit
__attribute__((patchable_function_entry(8))) int hooked_patchable(int a);
void hooked_send(long ns);               // keeps the processor busy so long
long hooked_foo(int messages, long ns);  // how long it spends sending, as it has measured itself
long hooked_bar(int messages, long ns);
}

struct HookedBase {
    virtual ~HookedBase() = default;
    virtual int hooked_virtual(int a) const;
};
struct HookedDerived : HookedBase {
    int hooked_virtual(int a) const override;
};
