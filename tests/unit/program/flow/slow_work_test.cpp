#include "program/flow/slow_work.h"

#include "compile_functions.h"
#include "program/flow/make_flow_graph.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace kymo::program {
namespace {

// The first word of a function's name tells what its slow instructions are; "plain": it has none.
constexpr const char* kWork = R"(
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#define EACH extern "C" __attribute__((noinline))
std::atomic<long> counter;
EACH unsigned division_whole(unsigned a, unsigned b) { return a / b; }
EACH long division_rest(const long* a, int n, long by) { long s = 0; for (int i = 0; i < n; ++i) s += a[i] % by; return s; }
EACH double division_real(const double* a, int n, double by) { double s = 0; for (int i = 0; i < n; ++i) s += a[i] / (by + s); return s; }
EACH float division_root(float a) { return __builtin_sqrtf(a < 0 ? -a : a); }
EACH void atomic_add(int n) { for (int i = 0; i < n; ++i) counter.fetch_add(1, std::memory_order_relaxed); }
EACH void atomic_store() { counter.store(3); }
EACH bool atomic_try(long old) { return counter.compare_exchange_strong(old, 5); }
EACH double strided_column(const double* a, int n) { double s = 0; for (int i = 0; i < n; ++i) { s += a[static_cast<size_t>(i) * 512]; asm volatile("" : "+x"(s)); } return s; }
EACH long strided_rows(const long* a, size_t n, size_t row) { long s = 0; for (size_t i = 0; i < n; ++i) { s ^= a[i * row]; asm volatile("" : "+r"(s)); } return s; }
EACH unsigned strided_matrix(const unsigned (*m)[1024], unsigned top, unsigned left) { unsigned s = 0; for (unsigned r = 0; r < 1024; ++r) { s ^= m[top + r][left]; asm volatile("" : "+r"(s)); } return s; }
struct Wide { int key; char rest[124]; };
struct Pair { long a, b, c, d, e, f, g, h; };
EACH int strided_records(const Wide* a, int n) { int s = 0; for (int i = 0; i < n; ++i) { s ^= a[i].key; asm volatile("" : "+r"(s)); } return s; }
EACH long strided_clamped(const long* a, long n, long row, long last) { long s = 0; for (long i = 0; i < n; ++i) { s ^= a[(i > last ? last : i) * row]; asm volatile("" : "+r"(s)); } return s; }
struct Raster { int cols; double* cells; };
EACH void strided_members(const Raster* from, const Raster* to, int x, int n) { for (int y = 0; y < n; ++y) { to->cells[y * to->cols + x] = from->cells[y * from->cols + x] * 2; asm volatile("" : : : "memory"); } }
EACH long strided_by_memory(const char* p, const long* step, int n) { long s = 0; for (int i = 0; i < n; ++i) { s ^= *reinterpret_cast<const long*>(p); p += *step; asm volatile("" : "+r"(s) : : "memory"); } return s; }
EACH long plain_member(const Raster* from, long* out, int n) { for (int i = 0; i < n; ++i) { out[i] ^= static_cast<long>(from->cells[i + from->cols]); asm volatile("" : : : "memory"); } return out[0]; }
EACH void strided_store(float* to, const float* from, size_t n, size_t row) { for (size_t i = 0; i < n; ++i) to[i * row] = from[i]; }
EACH void plain_store(float* to, const float* from, size_t n) { for (size_t i = 0; i < n; ++i) { to[i] = from[i] + 1; asm volatile(""); } }
struct Node { Node* next; int value; };
EACH int chained_list(const Node* n) { int s = 0; while (n != nullptr) { s ^= n->value; n = n->next; } return s; }
EACH unsigned chained_indices(const unsigned* next, int n) { unsigned i = 0; for (int k = 0; k < n; ++k) i = next[i]; return i; }
EACH unsigned chained_hash(const unsigned* table, int n) { unsigned i = 1; for (int k = 0; k < n; ++k) i = i * 5 + table[i & 1023]; return i; }
struct Tree { Tree* child[2]; int key; };
EACH const Tree* chained_search(const Tree* t, int key) { while (t != nullptr && t->key != key) t = t->child[key > t->key]; return t; }
EACH const Node* search_list(const Node* n, int key) { while (n != nullptr && n->value != key) n = n->next; return n; }
EACH unsigned search_chain(const unsigned* next, const long* keys, unsigned row, long key) { while (row != ~0u && keys[row] != key) row = next[row]; return row; }
EACH int search_array(const int* a, int n, int key) { for (int i = 0; i < n; ++i) if (a[i] == key) return i; return -1; }
EACH const Wide* search_records(const Wide* a, const Wide* end, int key) { for (; a != end; ++a) if (a->key == key) return a; return nullptr; }
extern "C" int compare(const void*, const void*);
struct Twig { Twig* left; Twig* right; int key; };
EACH const Twig* chained_twigs(const Twig* t, int key) { while (t != nullptr && t->key != key) { asm volatile(""); t = key < t->key ? t->left : t->right; } return t; }
EACH const Twig* chained_names(const Twig* t, const void* key) { while (t != nullptr) { const int c = compare(t, key); if (c == 0) return t; t = c < 0 ? t->left : t->right; } return t; }
EACH const Node* call_list(const Node* n, const void* key) { while (n != nullptr && compare(n, key) != 0) n = n->next; return n; }
EACH long call_array(const Wide* a, long n, const void* key) { for (long i = 0; i < n; ++i) if (compare(&a[i], key) == 0) return i; return -1; }
EACH long plain_halves(const Wide* a, long n, const void* key) { long low = 0; while (low < n) { const long half = (low + n) / 2; const int c = compare(&a[half], key); if (c == 0) return half; if (c < 0) low = half + 1; else n = half; } return -1; }
EACH long plain_all(const Wide* a, long n, const void* key) { long count = 0; for (long i = 0; i < n; ++i) if (compare(&a[i], key) == 0) ++count; return count; }
EACH size_t plain_delimiter(const char* s, char by) { size_t n = 0; while (s[n] != by) ++n; return n; }
EACH size_t plain_mismatch(const int* a, const int* b, size_t n) { size_t i = 0; while (i < n && a[i] == b[i]) ++i; return i; }
EACH size_t plain_partition(const int* a, int pivot) { size_t i = 0; while (a[i] < pivot) ++i; return i; }
EACH unsigned plain_probe(const unsigned* t, unsigned key) { unsigned i = key & 1023; while (t[i] != key && t[i] != 0) i = (i + 1) & 1023; return i; }
EACH unsigned plain_constant(unsigned a) { return a / 10; }
EACH double sum_array(const double* a, int n) { double s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }
EACH double sum_products(const double* a, const double* b, int n) { double s = 0; for (int i = 0; i < n; ++i) s += a[i] * b[i]; return s; }
EACH float sum_factors(const float* a, int n) { float s = 1; for (int i = 0; i < n; ++i) s *= a[i]; return s; }
EACH double plain_sums(const double* a, int n) { double s = 0, t = 0, u = 0, v = 0; for (int i = 0; i + 3 < n; i += 4) { s += a[i] * a[i]; t += a[i + 1] * a[i + 1]; u += a[i + 2] * a[i + 2]; v += a[i + 3] * a[i + 3]; } return s + t + u + v; }
EACH void plain_scale(double* a, int n) { for (int i = 0; i < n; ++i) a[i] *= 3; }
EACH long plain_pointers(long* const* a, int n) { long s = 0; for (int i = 0; i < n; ++i) { s ^= *a[i]; asm volatile("" : "+r"(s)); } return s; }
EACH long plain_table(const unsigned char* a, const long* table, int n) { long s = 0; for (int i = 0; i < n; ++i) { s ^= table[a[i]]; asm volatile("" : "+r"(s)); } return s; }
EACH unsigned plain_states(const unsigned char* turn, const unsigned char* text, int n) { unsigned s = 0; for (int i = 0; i < n; ++i) s = turn[s * 4 + (text[i] & 3)]; return s; }
EACH unsigned plain_checksum(const unsigned* table, const unsigned char* text, int n) { unsigned s = ~0u; for (int i = 0; i < n; ++i) s = table[(s ^ text[i]) & 255] ^ (s >> 8); return s; }
EACH unsigned long plain_bytes(const unsigned long* table, const unsigned char* text, int n) { unsigned long s = 0; for (int i = 0; i < n; ++i) s = table[static_cast<unsigned char>(s >> 56) ^ text[i]] ^ (s << 8); return s; }
struct Step { unsigned char what; int to; };
EACH long plain_interpreter(const Step* code, long* s) { int at = 0; long n = 0; for (;;) { const Step step = code[at++]; switch (step.what) { case 0: n += s[1]; break; case 1: n ^= s[2]; break; case 2: at = step.to; break; case 3: s[3] = n; break; case 4: if (n != s[4]) at = step.to; break; case 5: n -= s[5]; break; case 6: s[6] = n * 3; break; default: return n; } } }
EACH size_t plain_length(const char* s) { size_t n = 0; while (s[n] != 0) ++n; return n; }
EACH long plain_whole_records(const Pair* p, int n) { long s = 0; for (int i = 0; i < n; ++i) { s ^= p[i].a + p[i].b + p[i].c + p[i].d + p[i].e + p[i].f + p[i].g + p[i].h; asm volatile("" : "+r"(s)); } return s; }
EACH unsigned plain_half_lines(const unsigned (*m)[1024], unsigned top, unsigned left) { unsigned s = 0; for (unsigned r = 0; r < 1024; ++r) { const unsigned* p = m[top + r] + left; s ^= p[0] + p[1] + p[2] + p[3] + p[4] + p[5] + p[6] + p[7]; asm volatile("" : "+r"(s)); } return s; }
EACH long plain_generator(int n) { unsigned long x = 1; for (int i = 0; i < n; ++i) x = x * 6364136223846793005u + 1; return static_cast<long>(x); }
EACH long plain_search(const long* a, long n, long key) { long from = 0; while (n > 1) { const long half = n / 2; from += a[from + half] <= key ? half : 0; n -= half; } return from; }
)";

const std::map<SlowWork, std::string> kWords = {
    {SlowWork::kDivision, "division"},   {SlowWork::kAtomic, "atomic"}, {SlowWork::kStrided, "strided"},
    {SlowWork::kChainedLoad, "chained"}, {SlowWork::kSerialSum, "sum"}, {SlowWork::kSearch, "search"},
    {SlowWork::kSearchByCall, "call"}};

class SlowWorks : public testing::TestWithParam<const char*> {};

TEST_P(SlowWorks, AreToldByTheCode) {
    const auto compiled = compile_functions(kWork, GetParam());
    if (!compiled) {
        GTEST_SKIP() << "this compiler refuses " << GetParam();
    }
    const ElfFunctions& file = *compiled;
    int seen = 0;
    for (const ElfFunction& function : file.functions()) {
        const std::string kind = function.name.substr(0, function.name.find('_'));
        if (kind != "plain" && kind != "division" && kind != "atomic" && kind != "strided" && kind != "chained" &&
            kind != "sum" && kind != "search" && kind != "call") {
            continue;
        }
        ++seen;
        const CodeBytes code({{function.address, function.bytes}});
        const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, file.data());
        const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
        std::set<std::string> found;
        std::uint64_t behind = 0;
        for (const SlowInstruction& slow : slow_instructions(x86_64_decoder(), code, graph, loops)) {
            if (slow.work != SlowWork::kScalarWork && slow.work != SlowWork::kScalarLoop) {
                found.insert(kWords.at(slow.work));
            }
            EXPECT_LE(behind, slow.begin) << function.name;
            EXPECT_LT(slow.begin, slow.end) << function.name;
            behind = slow.end;
        }
        found.erase(kind == "call" ? "chained" : "");  // the list's pointers
        const std::set<std::string> expected = kind == "plain" ? std::set<std::string>{} : std::set{kind};
        EXPECT_EQ(found, expected) << function.name << " " << GetParam();
    }
    EXPECT_EQ(seen, 52);
}

INSTANTIATE_TEST_SUITE_P(Forms, SlowWorks,
                         testing::Values("-O2", "-O1", "-O3", "-O2 -march=x86-64-v3", "-O2 -fcf-protection=full"));

// Loops over arrays, compiled without vectors: "scalar" could have them, "chain" could not, "sum" could if the order
// of additions does not matter.
constexpr const char* kArrays = R"(
#include <cstddef>
#define EACH extern "C" __attribute__((noinline))
EACH double sum_array(const double* a, int n) { double s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }
EACH float sum_product(const float* a, int n) { float s = 1; for (int i = 0; i < n; ++i) s *= a[i]; return s; }
EACH void scalar_scale(double* a, int n) { for (int i = 0; i < n; ++i) a[i] *= 3; }
EACH void scalar_axpy(const float* x, float* y, float f, size_t n) { for (size_t i = 0; i < n; ++i) y[i] = f * x[i] + y[i]; }
EACH double sum_dot(const double* a, const double* b, size_t n) { double s = 0; for (size_t i = 0; i < n; ++i) s += a[i] * b[i]; return s; }
EACH void scalar_stencil(const double* a, double* b, size_t n) { for (size_t i = 1; i + 1 < n; ++i) b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1]; }
EACH void scalar_ahead(double* a, size_t n) { for (size_t i = 0; i + 1 < n; ++i) a[i] = a[i + 1] * 2; }
EACH void scalar_backwards(double* a, size_t n) { for (size_t i = n; i > 0; --i) a[i - 1] *= 3; }
EACH double sum_polynomial(const double* a, double x, int n) { double y = 0; for (int i = 0; i < n; ++i) y = y * x + a[i]; return y; }
EACH void chain_prefix(double* a, size_t n) { double s = 0; for (size_t i = 0; i < n; ++i) { s += a[i]; a[i] = s; } }
EACH void chain_relax(double* a, size_t n) { for (size_t i = 1; i < n; ++i) a[i] = 0.5 * a[i - 1] + a[i]; }
EACH double chain_filter(const double* a, size_t n, double f) { double y = 0; for (size_t i = 0; i < n; ++i) y += f * (a[i] - y); return y; }
EACH double sum_lookup(const double* a, const int* index, size_t n) { double s = 0; for (size_t i = 0; i < n; ++i) s += a[index[i]]; return s; }
EACH double chain_number(size_t n) { double x = 0.5; for (size_t i = 0; i < n; ++i) x = 3.9 * x * (1 - x); return x; }
EACH double chain_call(double (*f)(double), const double* a, size_t n) { double s = 0; for (size_t i = 0; i < n; ++i) s += f(a[i]); return s; }
EACH void scalar_blend(unsigned short* out, const unsigned short* in, unsigned n, unsigned short w) { for (unsigned i = 0; i < n; ++i) { const unsigned short part = static_cast<unsigned short>(out[i] * 3 + in[i] * w); out[i] = static_cast<unsigned short>(part ^ (part >> 3)); } }
EACH unsigned scalar_bits(const unsigned* a, unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; ++i) s ^= (a[i] >> 3) + (a[i] << 5); return s; }
EACH long scalar_bytes(const unsigned char* a, unsigned n) { long s = 0; for (unsigned i = 0; i < n; ++i) s += a[i]; return s; }
EACH unsigned long sum_horner(const unsigned long* a, unsigned long x, int n) { unsigned long y = 0; for (int i = 0; i < n; ++i) y = y * x + a[i]; return y; }
EACH unsigned long chain_two(const unsigned long* a, unsigned long x, int n) { unsigned long y = 0, z = 0; for (int i = 0; i + 1 < n; i += 2) { y = y * x + a[i]; z = z * x + a[i + 1]; } return y * x + z; }
EACH unsigned char scalar_most(const unsigned char* a, int n) { unsigned char most = 3; for (int i = 0; i < n; ++i) { const unsigned char v = a[i] ^ 0x5a; most = v > most ? v : most; } return most; }
EACH unsigned scalar_least(const unsigned* a, unsigned n) { unsigned least = ~0U; for (unsigned i = 0; i < n; ++i) { const unsigned v = a[i] ^ 5U; least = v < least ? v : least; } return least; }
EACH unsigned chain_last(const unsigned* a, unsigned n) { unsigned last = 0; for (unsigned i = 0; i < n; ++i) last = a[i] > 7 ? a[i] : last * 3; return last; }
EACH unsigned long chain_generator(unsigned long* a, int n) { unsigned long x = 1; for (int i = 0; i < n; ++i) { x = x * 6364136223846793005u + 12345; a[x >> 60] += 1; } return x; }
EACH unsigned chain_hash(const unsigned char* a, unsigned n) { unsigned s = 1; for (unsigned i = 0; i < n; ++i) s = (s ^ a[i]) * 16777619u; return s; }
EACH unsigned chain_states(const unsigned char* turn, const unsigned char* a, unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; ++i) s = turn[s * 4 + (a[i] & 3)]; return s; }
EACH void chain_carry(unsigned* a, unsigned n) { unsigned carry = 7; for (unsigned i = 0; i < n; ++i) { carry += a[i]; a[i] = carry >> 1; } }
EACH unsigned chain_text(const char* text) { unsigned s = 0; for (; *text != 0; ++text) s += static_cast<unsigned char>(*text); return s; }
EACH void chain_wide(unsigned long* a, unsigned n) { for (unsigned i = 0; i < n; ++i) a[i] = a[i] * 5 + 1; }
EACH void chain_copy(const double* a, double* b, size_t n) { for (size_t i = 0; i < n; ++i) b[i] = a[i]; }
EACH long chain_whole(const long* a, size_t n) { long s = 0; for (size_t i = 0; i < n; ++i) { s += a[i] * 3; asm volatile("" : "+r"(s)); } return s; }
)";

class ScalarLoops : public testing::TestWithParam<const char*> {};

TEST_P(ScalarLoops, AreThoseThatVectorsCouldDo) {
    const auto compiled = compile_functions(kArrays, GetParam());
    if (!compiled) {
        GTEST_SKIP() << "this compiler refuses " << GetParam();
    }
    const ElfFunctions& file = *compiled;
    int seen = 0;
    for (const ElfFunction& function : file.functions()) {
        const bool is_scalar = function.name.starts_with("scalar_");
        const bool is_sum = function.name.starts_with("sum_");
        if (!is_scalar && !is_sum && !function.name.starts_with("chain_")) {
            continue;
        }
        ++seen;
        const CodeBytes code({{function.address, function.bytes}});
        const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, file.data());
        const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
        const auto found = slow_instructions(x86_64_decoder(), code, graph, loops);
        const auto has = [&](SlowWork work) {
            return std::any_of(found.begin(), found.end(),
                               [&](const SlowInstruction& slow) { return slow.work == work; });
        };
        EXPECT_EQ(has(SlowWork::kScalarWork) || has(SlowWork::kScalarLoop), is_scalar)
            << function.name << " " << GetParam();
        EXPECT_EQ(has(SlowWork::kSerialSum), is_sum) << function.name << " " << GetParam();
        // Few instructions for many bytes: memory may be what takes long.
        if (function.name == "scalar_scale" || function.name == "scalar_axpy") {
            EXPECT_FALSE(has(SlowWork::kScalarWork)) << function.name << " " << GetParam();
        }
        if (function.name == "scalar_blend" || function.name == "scalar_bytes") {
            EXPECT_TRUE(has(SlowWork::kScalarWork)) << function.name << " " << GetParam();
        }
    }
    EXPECT_EQ(seen, 31);
}

INSTANTIATE_TEST_SUITE_P(Forms, ScalarLoops,
                         testing::Values("-O1", "-O2 -fno-tree-vectorize",
                                         "-O2 -fno-tree-vectorize -march=x86-64-v3"));

// What is in vectors already is not slow.
TEST(ScalarLoop, IsNoneWhereThereAreVectors) {
    const auto compiled = compile_functions(
        "extern \"C\" void scale(double* __restrict a) { for (int i = 0; i < 4096; ++i) a[i] *= 3; }\n"
        "extern \"C\" void mix(unsigned* a) { for (int i = 0; i < 4096; ++i) a[i] ^= a[i] >> 3; }\n",
        "-O3");
    ASSERT_TRUE(compiled);
    for (const ElfFunction& function : compiled->functions()) {
        const CodeBytes code({{function.address, function.bytes}});
        const FlowGraph graph = make_flow_graph(x86_64_decoder(), {code, function.address}, compiled->data());
        const Loops loops = find_loops(block_digraph(graph), static_cast<std::uint32_t>(graph.blocks.size()));
        EXPECT_FALSE(loops.loops.empty());
        EXPECT_TRUE(slow_instructions(x86_64_decoder(), code, graph, loops).empty());
    }
}

}  // namespace
}  // namespace kymo::program
