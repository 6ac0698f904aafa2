#include "program/flow/two_ways.h"

#include "compile_functions.h"
#include "program/flow/make_flow_graph.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo::program {
namespace {

// A jump that stays in the loop either way: "two"; "none": no such jump, or ways that begin with a load, a division,
// a call.
constexpr const char* kJumpingLoops = R"(
#define EACH extern "C" __attribute__((noinline))
EACH unsigned two_filter(const unsigned* a, unsigned* kept, int n, unsigned key) { unsigned k = 0; for (int i = 0; i < n; ++i) { const unsigned x = a[i] & 0xffff; if (x < key) kept[k++] = x; } return k; }
EACH unsigned long two_sums(const unsigned* a, int n, unsigned key) { unsigned long s = 0, t = 0; for (int i = 0; i < n; ++i) { const unsigned x = a[i]; if (x < key) { s += x * 5ul; asm volatile("" : "+r"(s)); } else { t ^= x >> 3; t += s; asm volatile("" : "+r"(t)); } } return s + t; }
EACH unsigned long two_cases(unsigned long x, int n) { unsigned long s = 0; for (int i = 0; i < n; ++i) { x ^= x << 13; x ^= x >> 7; switch (x & 7) { case 0: s = s * 3 + 1; break; case 1: s = s * 5 ^ 2; break; case 2: s = s * 7 + 3; break; case 3: s = s * 9 ^ 4; break; case 4: s = s * 11 + 5; break; case 5: s = s * 13 ^ 6; break; case 6: s = s * 17 + 7; break; case 7: s = s * 19 ^ 8; break; } } return s; }
EACH long none_sum(const long* a, int n) { long s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }
EACH int none_exit(const int* a, int n, int key) { for (int i = 0; i < n; ++i) if (a[i] == key) return i; return -1; }
struct Tree { Tree* left; Tree* right; long key; };
EACH bool none_tree(const Tree* t, long key) { while (t != nullptr && t->key != key) { if (key < t->key) { t = t->left; asm volatile("" : "+r"(t)); } else { t = t->right; asm volatile("" : "+r"(t)); } } return t != nullptr; }
)";

TEST(TwoWays, AreThoseOfJumpsThatStayInTheLoop) {
    for (const char* options : {"-O2", "-O2 -fcf-protection=full", "-O1"}) {
        const auto compiled = compile_functions(kJumpingLoops, options);
        ASSERT_TRUE(compiled) << options;
        int seen = 0;
        for (const ElfFunction& function : compiled->functions()) {
            const std::string kind = function.name.substr(0, function.name.find('_'));
            if (kind != "two" && kind != "none") {
                continue;
            }
            ++seen;
            const CodeBytes code({{function.address, function.bytes}});
            const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, compiled->data());
            const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
            const std::vector<TwoWayLoop> found = two_way_loops(x86_64_decoder(), code, graph, loops);
            EXPECT_EQ(found.size(), kind == "two" ? 1U : 0U) << function.name << " " << options;
            for (const TwoWayLoop& loop : found) {
                for (const TwoWayJump& jump : loop.jumps) {
                    EXPECT_GE(jump.ways.size(), 2U) << function.name;
                    EXPECT_GT(jump.even, 0) << function.name;
                    EXPECT_LT(jump.even, 1) << function.name;
                    for (const CodeBetween& way : jump.ways) {
                        EXPECT_LT(way.begin, way.end) << function.name;
                    }
                }
            }
        }
        EXPECT_EQ(seen, 6) << options;
    }
}

}  // namespace
}  // namespace kymo::program
