#include "program/flow/polling.h"

#include "compile_functions.h"
#include "program/flow/make_flow_graph.h"

#include <gtest/gtest.h>

namespace kymo::program {
namespace {

// Every function has one loop, or one around another; its name tells whether one of them polls.
constexpr const char* kSource = R"(
#include <atomic>
#include <cstdint>
#include <cstddef>
#define EACH extern "C" __attribute__((noinline))
std::atomic<int> flag, other;
std::atomic<bool> lock;
volatile int plain;
EACH void poll_flag() { while (flag.load(std::memory_order_acquire) == 0) {} }
EACH void poll_volatile() { while (plain == 0) {} }
EACH void poll_two(int step) { while (flag.load() < (step + 1) * other.load()) {} }
EACH void poll_pause() { while (flag.load() == 0) __builtin_ia32_pause(); }
EACH int poll_bounded_pause() { for (int i = 0; i < 5000; ++i) { if (flag.load() != 0) return i; __builtin_ia32_pause(); } return -1; }
EACH void poll_pointer(std::atomic<int>* at) { while (at->load(std::memory_order_relaxed) != 3) {} }
EACH void poll_lock() { while (lock.exchange(true, std::memory_order_acquire)) {} }
EACH void poll_test_and_set() { while (lock.exchange(true)) { while (lock.load(std::memory_order_relaxed)) __builtin_ia32_pause(); } }
EACH void poll_compare() { int free = 0; while (!flag.compare_exchange_weak(free, 1)) free = 0; }
EACH void work_count(int n) { for (int i = 0; i < n; ++i) other.fetch_add(1, std::memory_order_relaxed); }
EACH void work_update(int n) { int old = flag.load(); while (!flag.compare_exchange_weak(old, old * n + 1)) {} }
EACH int work_sum(const int* a, int n) { int s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }
EACH float work_float(const float* a, size_t n) { float s = 0; for (size_t i = 0; i < n; ++i) s = s * a[i] + 1; return s; }
EACH size_t work_length(const char* s) { size_t n = 0; while (s[n] != 0) ++n; return n; }
EACH const int* work_find(const int* a) { while (*a != 0) ++a; return a; }
struct Node { Node* next; };
EACH Node* work_list(Node* n) { while (n->next != nullptr) n = n->next; return n; }
EACH void work_store(int* a, int n) { for (int i = 0; i < n; ++i) a[i] = i; }
EACH unsigned work_hash(unsigned x) { while (x % 1000 != 0) { x = x * 2654435761u + 1; } return x; }
void sink(int);
EACH void work_call() { while (flag.load() == 0) sink(1); }
EACH void work_take() { for (;;) { const int i = other.fetch_add(1); if (i > 1000000) return; } }
)";

class Polling : public testing::TestWithParam<const char*> {};

TEST_P(Polling, IsToldFromWork) {
    const auto compiled = compile_functions(kSource, GetParam());
    if (!compiled) {
        GTEST_SKIP() << "this compiler refuses " << GetParam();
    }
    const ElfFunctions& file = *compiled;
    int seen = 0;
    for (const ElfFunction& function : file.functions()) {
        const bool should_poll = function.name.starts_with("poll_");
        if (!should_poll && !function.name.starts_with("work_")) {
            continue;
        }
        ++seen;
        const CodeBytes code({{function.address, function.bytes}});
        const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, file.data());
        const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
        bool found = false;
        for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
            found = found || polls(x86_64_decoder(), code, graph, loops, loop);
        }
        EXPECT_EQ(found, should_poll) << function.name << " " << GetParam();
    }
    EXPECT_EQ(seen, 20);
}

INSTANTIATE_TEST_SUITE_P(Forms, Polling, testing::Values("-O2", "-O1", "-O3", "-Os", "-O2 -fcf-protection=full"));

// Real code has next to none: loops of a C library that were called polling would be wrong.
TEST(Polling, IsRareInTheCLibrary) {
    const ElfFunctions file("/lib/x86_64-linux-gnu/libm.so.6");
    if (file.functions().empty()) {
        GTEST_SKIP() << "no mathematical library where it is looked for";
    }
    std::size_t loops_seen = 0;
    std::vector<std::string> polling;
    for (const ElfFunction& function : file.functions()) {
        const CodeBytes code({{function.address, function.bytes}});
        const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, file.data());
        const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
        loops_seen += loops.loops.size();
        for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
            if (polls(x86_64_decoder(), code, graph, loops, loop)) {
                polling.push_back(function.name);
            }
        }
    }
    EXPECT_GT(loops_seen, 50U);
    EXPECT_EQ(polling, std::vector<std::string>{});
}

}  // namespace
}  // namespace kymo::program
