#include "program/flow/induction.h"

#include "compile_functions.h"
#include "program/flow/make_flow_graph.h"

#include <gtest/gtest.h>

namespace kymo::program {
namespace {

// Every function has one outermost loop; its name tells whether its rounds are counted by a register.
constexpr const char* kLoops = R"(
#include <cstddef>
#include <cstdint>
#define EACH extern "C" __attribute__((noinline))
EACH std::uint64_t counted_rounds(long n) { std::uint64_t x = 1; for (long i = 0; i < n; ++i) { x = x * 6364136223846793005u + 1; asm volatile("" : "+r"(x)); } return x; }
EACH std::uint64_t counted_int(int n) { std::uint64_t x = 1; for (int i = 0; i < n; ++i) { x ^= x << 7; asm volatile("" : "+r"(x)); } return x; }
EACH std::uint64_t counted_outer(int n) { std::uint64_t x = 1; for (int i = 0; i < n; ++i) for (int k = 0; k < 400; ++k) { x ^= x << 7; asm volatile("" : "+r"(x)); } return x; }
EACH void counted_array(double* a, std::size_t n) { for (std::size_t i = 0; i < n; ++i) { a[i] = a[i] * 3 + 1; asm volatile("" ::: "memory"); } }
EACH int counted_branches(const int* a, int n) { int s = 0; for (int i = 0; i < n; ++i) { if (a[i] > 3) { s += a[i]; asm volatile("" : "+r"(s)); } else { s ^= 5; asm volatile("" : "+r"(s)); } } return s; }
extern "C" void outside(int);
EACH void counted_calls(int n) { for (int i = 0; i < n; ++i) outside(3); }
struct Node { Node* next; int value; };
EACH int free_list(const Node* n) { int s = 0; while (n != nullptr) { s ^= n->value; n = n->next; } return s; }
EACH unsigned free_hash(unsigned x) { while (x % 1000 != 7) x = x * 2654435761u ^ 1; return x; }
EACH const int* free_sometimes(const int* a, int n) { do { asm volatile("" : "+r"(n)); if (*a > n) { ++a; } n ^= *a; } while (n != 0); return a; }
EACH unsigned free_uneven(unsigned x) { unsigned i = 0; do { i += x & 3; x = x * 2654435761u; } while (i < 1000000); return x; }
)";

class Inductions : public testing::TestWithParam<const char*> {};

TEST_P(Inductions, AreTheRegistersThatCountRounds) {
    const auto compiled = compile_functions(kLoops, GetParam());
    if (!compiled) {
        GTEST_SKIP() << "this compiler refuses " << GetParam();
    }
    const ElfFunctions& file = *compiled;
    int seen = 0;
    for (const ElfFunction& function : file.functions()) {
        const bool is_counted = function.name.starts_with("counted_");
        if (!is_counted && !function.name.starts_with("free_")) {
            continue;
        }
        ++seen;
        const CodeBytes code({{function.address, function.bytes}});
        const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, file.data());
        const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
        ASSERT_FALSE(loops.loops.empty()) << function.name;
        const auto found = inductions(x86_64_decoder(), code, graph, loops, 0);
        EXPECT_EQ(!found.empty(), is_counted) << function.name << " " << GetParam();
    }
    EXPECT_EQ(seen, 10);
}

INSTANTIATE_TEST_SUITE_P(Forms, Inductions, testing::Values("-O2", "-O1", "-O3", "-Os", "-O2 -fcf-protection=full"));

TEST(Induction, CountsRoundsModuloTheRegistersWidth) {
    const Induction up{.reg = 1, .bits = 64, .step = 8};
    EXPECT_EQ(up.rounds(800, 1600), 100U);
    EXPECT_EQ(up.rounds(800, 800), 0U);
    EXPECT_EQ(up.rounds(800, 804), std::nullopt);        // no whole number of steps
    EXPECT_EQ(up.rounds(1600, 800), std::nullopt);       // begun anew
    EXPECT_EQ(up.rounds(~std::uint64_t{0} - 7, 8), 2U);  // through 0
    const Induction down{.reg = 1, .bits = 32, .step = -1};
    EXPECT_EQ(down.rounds(1000, 10), 990U);
    EXPECT_EQ(down.rounds(5, 0xffff'fffbU), 10U);
    EXPECT_EQ(down.rounds(10, 1000), std::nullopt);
}

}  // namespace
}  // namespace kymo::program
