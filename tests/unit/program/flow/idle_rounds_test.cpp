#include "program/flow/idle_rounds.h"

#include "compile_functions.h"
#include "program/flow/make_flow_graph.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo::program {
namespace {

// "idle": rounds that change nothing but for some elements; "busy": each has a result, or none does anything, or it
// is text.
constexpr const char* kIdleLoops = R"(
#define EACH extern "C" __attribute__((noinline))
struct Session { Session* next; unsigned user; unsigned seen; bool open; };
extern void close_session(Session*);
EACH void idle_sweep(Session* at, unsigned now) { while (at != nullptr) { Session* next = at->next; if (at->open && at->seen < now) close_session(at); at = next; } }
EACH void idle_table(Session* table, int n, unsigned now) { for (int i = 0; i < n; ++i) if (table[i].seen < now) table[i].open = false; }
EACH void idle_frontier(const int* level, int n, int now, int* out, int* count) { for (int i = 0; i < n; ++i) if (level[i] == now) out[(*count)++] = i; }
EACH void idle_pairs(const double* x, const double* y, int n, double px, double py, double most, int* hits) { for (int i = 0; i < n; ++i) { const double dx = x[i] - px, dy = y[i] - py; if (dx * dx + dy * dy < most) ++hits[i & 7]; } }
EACH long busy_sum(const long* a, int n) { long s = 0; for (int i = 0; i < n; ++i) if (a[i] > 0) s += a[i]; return s; }
EACH int busy_most(const int* a, int n) { int m = 0; for (int i = 0; i < n; ++i) if (a[i] > m) { m = a[i]; asm volatile("" : "+r"(m)); } return m; }
EACH double busy_total(const double* a, int n) { double s = 0; for (int i = 0; i < n; ++i) { s += a[i]; if (s > 1e9) { asm volatile("" : "+x"(s) : : "memory"); s = 0; } } return s; }
EACH int busy_exit(const int* a, int n, int key) { for (int i = 0; i < n; ++i) if (a[i] > key) return i; return -1; }
EACH void busy_text(const char* s, int n, int* lines) { for (int i = 0; i < n; ++i) if (s[i] == '\n') ++*lines; }
EACH void busy_copy(int* to, const int* from, int n) { for (int i = 0; i < n; ++i) to[i] = from[i] + 1; }
)";

TEST(IdleRounds, AreThoseThatChangeNothing) {
    for (const char* options : {"-O2", "-O2 -fcf-protection=full", "-O1"}) {
        const auto compiled = compile_functions(kIdleLoops, options);
        ASSERT_TRUE(compiled) << options;
        int seen = 0;
        for (const ElfFunction& function : compiled->functions()) {
            const std::string kind = function.name.substr(0, function.name.find('_'));
            if (kind != "idle" && kind != "busy") {
                continue;
            }
            ++seen;
            const CodeBytes code({{function.address, function.bytes}});
            const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, compiled->data());
            const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
            const std::vector<IdleLoop> found = idle_loops(x86_64_decoder(), code, graph, loops);
            EXPECT_EQ(found.size(), kind == "idle" ? 1U : 0U) << function.name << " " << options;
            for (const IdleLoop& loop : found) {
                EXPECT_FALSE(loop.acting.empty()) << function.name;
                EXPECT_EQ(loop.acts_long, function.name == "idle_sweep") << function.name;
            }
        }
        EXPECT_EQ(seen, 10) << options;
    }
}

}  // namespace
}  // namespace kymo::program
