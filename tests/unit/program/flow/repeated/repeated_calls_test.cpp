#include "program/flow/repeated/repeated_calls.h"

#include "../compile_functions.h"
#include "../word_code.h"
#include "program/flow/make_flow_graph.h"
#include "program/flow/repeated/math_functions.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace kymo::program {
namespace {

// The first word of a name says what the function is: "pure" and "reading" (memory) have no calls, "impure" ones
// neither; "again" computes something again, "once" does not.
constexpr const char* kFunctions = R"(
#include <cstddef>
#include <cstdint>
#define EACH __attribute__((noinline, noclone, noipa)) uint64_t
extern "C" {
extern uint64_t changing;
uint64_t changing = 1;
uint64_t outside(uint64_t);
EACH pure_steps(uint64_t seed, unsigned depth) { uint64_t v = seed | 1; for (unsigned i = 0; i < depth; ++i) v = v * 0x9e3779b97f4a7c15u + (v >> 33); return v; }
EACH pure_local(uint64_t seed) { volatile uint64_t row[16]; for (int i = 0; i < 16; ++i) row[i] = seed ^ static_cast<uint64_t>(i); uint64_t s = 0; for (int i = 0; i < 16; ++i) s += row[i]; return s; }
__attribute__((noinline, noclone, noipa)) double pure_real(double a, int n) { double s = a; for (int i = 0; i < n; ++i) s = s * 0.75 + 0.5; return s; }
EACH reading_sum(const uint64_t* a, size_t n) { uint64_t s = 0; for (size_t i = 0; i < n; ++i) s += a[i] * a[i]; return s; }
EACH reading_global(uint64_t by) { return changing * by; }
EACH impure_store(uint64_t* a, size_t n) { for (size_t i = 0; i < n; ++i) a[i] += 1; return n; }
EACH impure_global(uint64_t by) { return changing += by; }
EACH impure_call(uint64_t a) { return outside(a) + 1; }
EACH impure_tail(uint64_t a) { return outside(a + 1); }
EACH impure_clock(uint64_t a) { return __builtin_ia32_rdtsc() + a; }
EACH impure_atomic(uint64_t a) { return __atomic_fetch_add(&changing, a, __ATOMIC_RELAXED); }
EACH impure_pointer(uint64_t (*f)(uint64_t), uint64_t a) { return f(a) + 1; }
EACH impure_stack_argument(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t g) { return g * 3; }

EACH again_same(const uint64_t* a, int n, uint64_t seed) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += a[i] * pure_steps(seed, 100); return s; }
EACH again_stored(uint64_t* a, int n, uint64_t seed) { for (int i = 0; i < n; ++i) a[i] = pure_steps(seed + 5, 100); return 0; }
EACH again_two(uint64_t key, int n) { uint64_t s = 0; const uint64_t base = key & 0xffff; for (int i = 0; i < n; ++i) s += (key >> (i & 31)) * pure_steps(base, 600 + (i & 1)); return s; }
EACH again_other_calls(uint64_t key, int n) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += outside(key + static_cast<uint64_t>(i)) * pure_steps(key, 100); return s; }
EACH again_nested(uint64_t key, int n) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += static_cast<uint64_t>(i) * pure_steps(pure_local(key), 9); return s; }
__attribute__((noinline, noclone, noipa)) double again_real(const double* a, int n, double by) { double s = 0; for (int i = 0; i < n; ++i) s += a[i] * pure_real(by, 50); return s; }
EACH again_reading(const uint64_t* a, size_t n) { uint64_t s = 0; for (size_t i = 0; i < n; ++i) s ^= i * reading_sum(a, n); return s; }
EACH again_recurrence(unsigned n, uint64_t salt) { if (n < 2) return n + salt; return again_recurrence(n - 1, salt) + again_recurrence(n - 2, salt) + (n ^ salt); }
EACH again_ways(int x, int y) { if (x == 0 || y == 0) return 1; return again_ways(x - 1, y) + again_ways(x, y - 1); }
EACH again_reading_best(const uint64_t* cost, int n) { if (n < 2) return cost[0]; const uint64_t a = again_reading_best(cost, n - 1), b = again_reading_best(cost, n - 2); return cost[n] + (a < b ? a : b); }

EACH once_varying(int n, uint64_t seed) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += pure_steps(seed + static_cast<uint64_t>(i), 100); return s; }
EACH once_loaded(const uint64_t* a, int n) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += pure_steps(a[i], 100); return s; }
EACH once_depth(const unsigned* a, int n, uint64_t seed) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += pure_steps(seed, a[i] & 63); return s; }
EACH once_result(int n, uint64_t seed) { for (int i = 0; i < n; ++i) seed = pure_steps(seed, 100); return seed; }
EACH once_changed(uint64_t* a, size_t n) { uint64_t s = 0; for (size_t i = 0; i < n; ++i) { s ^= reading_sum(a, n); a[i] = s; } return s; }
EACH once_global(int n) { uint64_t s = 0; for (int i = 0; i < n; ++i) { s ^= reading_global(3); changing = s; } return s; }
EACH once_impure(uint64_t* a, int n) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += impure_global(3) ^ a[0]; return s; }
EACH once_clock(int n) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += impure_clock(3); return s; }
EACH once_no_loop(uint64_t seed) { return pure_steps(seed, 100) + pure_local(seed); }
EACH once_until(uint64_t seed) { while (pure_steps(seed, 9) != 0) seed = outside(seed); return seed; }
EACH once_local(int n) { uint64_t v = 1, s = 0; for (int i = 0; i < n; ++i) { s += pure_steps(v, 100); impure_store(&v, 1); } return s; }
EACH once_factorial(unsigned n) { return n < 2 ? 1 : n * once_factorial(n - 1); }
EACH once_halves(uint64_t from, uint64_t to) { if (to - from < 2) return from * from; const uint64_t middle = from + (to - from) / 2; return once_halves(from, middle) + once_halves(middle, to); }
EACH once_either(unsigned n, uint64_t a) { if (n == 0) return a; if ((a & 1) != 0) return 3 * once_either(n - 1, a); return 5 * once_either(n - 1, a) + 1; }
EACH once_sum_of(const uint64_t* a, unsigned n, uint64_t left) { if (n == 0) return left == 0; return once_sum_of(a, n - 1, left) + once_sum_of(a, n - 1, left - a[n]); }
// The compiler may use what it knows of a function beside: registers that this one does not change.
__attribute__((noinline)) static uint64_t near_steps(uint64_t seed, unsigned depth) { uint64_t v = seed | 1; for (unsigned i = 0; i < depth; ++i) v = v * 0x9e3779b97f4a7c15u + (v >> 33); return v; }
EACH again_near(uint64_t key, int n) { uint64_t s = 0; const uint64_t base = key & 0xffff; for (int i = 0; i < n; ++i) s += (key >> (i & 31)) * near_steps(base, 600 + (i & 1)); return s; }
EACH once_near(uint64_t key, int n) { uint64_t s = 0; for (int i = 0; i < n; ++i) s += near_steps(key >> (i & 31), 600); return s; }
EACH once_tries(uint64_t seed, int n) { int bad = 0; while (bad < n) { if (near_steps(seed, 9) == 0) ++bad; seed = outside(seed); } return seed; }
EACH once_benchmark(uint64_t seed, int n) { for (int i = 0; i < n; ++i) { const uint64_t kept = pure_steps(seed, 100); asm volatile("" : : "r"(kept)); } return 0; }
struct Tree { Tree* left; Tree* right; uint64_t key; };
EACH once_tree(const Tree* t) { return t == nullptr ? 0 : t->key + once_tree(t->left) + once_tree(t->right); }
// In place of the C library's, under names that compilers do not know.
double sine(double) __asm__("sin");
double power(double, double) __asm__("pow");
void both(double, double*, double*) __asm__("sincos");
__attribute__((noinline, noclone, noipa)) double sine(double a) { return a + static_cast<double>(outside(1)); }
__attribute__((noinline, noclone, noipa)) double power(double a, double b) { return a * b + static_cast<double>(outside(2)); }
__attribute__((noinline, noclone, noipa)) void both(double a, double* s, double* c) { *s = a; *c = a + static_cast<double>(outside(3)); }
struct Band { double hz, gain, b0, b1, z; };
EACH again_fields(Band* b, float* a, int n) { for (int i = 0; i < n; ++i) { b->b0 = power(10.0, b->gain / 40.0); b->b1 = sine(b->hz * 0.001); b->z = b->b0 * a[i] + b->z * b->b1; a[i] = static_cast<float>(b->z); } return 0; }
EACH again_pair(Band* b, float* a, int n) { for (int i = 0; i < n; ++i) { double s, c; both(b->hz, &s, &c); b->z += s; a[i] *= static_cast<float>(s * c); } return 0; }
EACH again_factor(const double* a, double* to, int n, double x) { for (int i = 0; i < n; ++i) to[i] = a[i] * sine(x); return 0; }
EACH once_fields(Band* b, float* a, int n) { for (int i = 0; i < n; ++i) { b->b0 = power(10.0, b->gain / 40.0); b->gain += b->b0; a[i] = static_cast<float>(b->b0); } return 0; }
EACH once_elements(double* a, int n) { for (int i = 0; i < n; ++i) a[i] = sine(a[i]); return 0; }
EACH once_objects(Band* b, Band* other, int n) { for (int i = 0; i < n; ++i) other->z += sine(b->hz); return 0; }
EACH once_changing(Band* b, double* a, int n) { for (int i = 0; i < n; ++i) { a[i] += sine(b->hz); outside(4); } return 0; }
EACH once_pair(const double* a, double* to, int n) { for (int i = 0; i < n; ++i) { double s, c; both(a[i], &s, &c); to[i] = s * c; } return 0; }
EACH once_chained(double* to, int n, double x) { for (int i = 0; i < n; ++i) { double c; both(x, &x, &c); to[i] = c; } return 0; }
EACH once_written(uint64_t* a, int n) { if (n < 2) return 1; a[n] += once_written(a, n - 1); return a[n] + once_written(a, n - 2); }
}
)";

class RepeatedCalls : public testing::TestWithParam<const char*> {};

TEST_P(RepeatedCalls, AreFoundByTheCode) {
    const auto compiled = compile_functions(kFunctions, std::string(GetParam()) + " -fvisibility=hidden");
    if (!compiled) {
        GTEST_SKIP() << "this compiler refuses " << GetParam();
    }
    const Decoder& decoder = x86_64_decoder();
    struct Made {
        CodeBytes code;
        FlowGraph graph;
        FunctionEffects effects;
        std::string name;
    };
    std::map<std::uint64_t, Made> made;
    for (const ElfFunction& function : compiled->functions()) {
        Made& one = made[function.address];
        one.code = CodeBytes({{function.address, function.bytes}});
        one.graph = make_flow_graph(decoder, {one.code, function.address}, compiled->data());
        one.name = function.name;
        one.effects = function_effects(decoder, one.code, one.graph, compiled->constants(), function.address);
    }
    const auto effects = [&](std::uint64_t address) -> const FunctionEffects* {
        const auto known = made.find(address);
        const FunctionEffects* const of_math = known == made.end() ? nullptr : math_effects(known->second.name);
        return known == made.end() ? nullptr : of_math != nullptr ? of_math : &known->second.effects;
    };
    int seen = 0;
    for (const ElfFunction& function : compiled->functions()) {
        const std::string kind = function.name.substr(0, function.name.find('_'));
        const Made& one = made[function.address];
        const Loops loops = find_loops(block_digraph(one.graph), static_cast<std::uint32_t>(one.graph.blocks.size()));
        const auto calls =
            repeated_calls(decoder, one.code, one.graph, loops, compiled->constants(), function.address, effects);
        const std::string name = function.name + " " + GetParam();
        if (kind == "pure" || kind == "reading") {
            EXPECT_TRUE(one.effects.is_pure) << name;
            EXPECT_EQ(one.effects.reads_memory, kind == "reading") << name;
        } else if (kind == "impure") {
            EXPECT_FALSE(one.effects.is_pure) << name;
        } else if (kind == "again") {
            EXPECT_FALSE(calls.empty()) << name;
        } else if (kind == "once") {
            EXPECT_TRUE(calls.empty()) << name;
        } else {
            continue;
        }
        ++seen;
    }
    EXPECT_EQ(seen, 53);
}

// Its registers of arguments are not those of x86-64: nothing is known of what such a function does.
TEST(FunctionEffects, AreNotKnownOfOtherProcessors) {
    const auto bytes = code_of({0x9b017c00,    // mul x0, x0, x1
                                0xd65f03c0});  // ret
    const CodeBytes code({{0x1000, bytes}});
    const FlowGraph graph = make_flow_graph(aarch64_decoder(), {code, 0x1000}, {});
    ASSERT_EQ(graph.instructions.size(), 2U);
    EXPECT_FALSE(function_effects(aarch64_decoder(), code, graph, {}, 0x1000).is_pure);
}

INSTANTIATE_TEST_SUITE_P(Forms, RepeatedCalls,
                         testing::Values("-O2", "-O1", "-O3", "-Os", "-O2 -march=x86-64-v3",
                                         "-O2 -fcf-protection=full"));

}  // namespace
}  // namespace kymo::program
