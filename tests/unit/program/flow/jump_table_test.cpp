#include "program/flow/jump_table.h"

#include "elf_functions.h"
#include "hex.h"
#include "program/flow/make_flow_graph.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace kymo::program {
namespace {

template <typename T>
std::vector<std::uint8_t> table(const std::vector<std::int64_t>& values) {
    std::vector<std::uint8_t> bytes;
    for (const std::int64_t value : values) {
        const T entry = static_cast<T>(value);
        const auto* from = reinterpret_cast<const std::uint8_t*>(&entry);
        bytes.insert(bytes.end(), from, from + sizeof entry);
    }
    return bytes;
}

FlowGraph graph_of(std::uint64_t begin, const std::vector<std::uint8_t>& code, std::uint64_t data_begin,
                   const std::vector<std::uint8_t>& data) {
    return make_flow_graph(x86_64_decoder(), {CodeBytes({{begin, code}}), begin}, CodeBytes({{data_begin, data}}));
}

std::vector<std::uint64_t> targets_of(const FlowGraph& graph, std::uint64_t jump) {
    std::vector<std::uint64_t> result;
    for (const BlockEdge& edge : graph.edges_of(graph.block_at(jump))) {
        EXPECT_EQ(edge.kind, EdgeKind::kTable);
        result.push_back(graph.blocks[edge.to].begin);
    }
    return result;
}

// gcc -fPIC: offsets relative to the table.
//   0: cmp $3,%edi           3: ja 2a            5: lea 0x58(%rip),%rdx  # 0x64
//   c: mov %edi,%edi         e: movslq (%rdx,%rdi,4),%rax
//  12: add %rdx,%rax        15: notrack jmp *%rax
//  18: mov $10,%eax  1d: ret   1e: mov $20,%eax  23: ret   24: mov $30,%eax  29: ret   2a: xor %eax,%eax  2c: ret
constexpr std::string_view kSwitch =
    "83ff03 7725 488d1558000000 89ff 486304ba 4801d0 3effe0 b80a000000 c3 b814000000 c3 b81e000000 c3 31c0 c3";

TEST(JumpTable, OfGccPositionIndependent) {
    const auto data = table<std::int32_t>({0x18 - 0x64, 0x1e - 0x64, 0x2a - 0x64, 0x24 - 0x64, 0x18 - 0x64});
    const FlowGraph graph = graph_of(0, hex(kSwitch), 0x64, data);
    EXPECT_EQ(targets_of(graph, 0x15), (std::vector<std::uint64_t>{0x18, 0x1e, 0x2a, 0x24}));
    ASSERT_EQ(graph.tables.size(), 1U);
    EXPECT_EQ(graph.tables[0].address, 0x64U);
    EXPECT_EQ(graph.tables[0].entries, 4U);  // 0 … 3, though a fifth would make sense
    EXPECT_EQ(graph.tables[0].entry_bytes, 4U);
    EXPECT_TRUE(graph.tables[0].bounded);
    EXPECT_TRUE(graph.unresolved.empty());
    EXPECT_TRUE(std::all_of(graph.blocks.begin(), graph.blocks.end(), [](const Block& b) { return b.reached; }));
}

TEST(JumpTable, WithoutItsDataIsNotGuessed) {
    const FlowGraph graph = graph_of(0, hex(kSwitch), 0x64, {});
    EXPECT_TRUE(graph.tables.empty());
    EXPECT_EQ(graph.unresolved, (std::vector<std::uint64_t>{0x15}));
    EXPECT_TRUE(graph.blocks[graph.block_at(0x15)].leaves);
    EXPECT_FALSE(graph.blocks[graph.block_at(0x18)].reached);
}

TEST(JumpTable, ThatLeadsOutOfTheFunctionIsNotTaken) {
    const FlowGraph graph = graph_of(0, hex(kSwitch), 0x64, table<std::int32_t>({0x1000, 0x2000, 0x3000, 0x4000}));
    EXPECT_TRUE(graph.tables.empty());
}

TEST(JumpTable, WithoutABoundEndsWhereEntriesMakeNoSense) {
    // The same without cmp and ja: 0: lea 0x5d(%rip),%rdx  # 0x64   7: mov %edi,%edi   9: movslq (%rdx,%rdi,4),%rax
    //   d: add %rdx,%rax   10: notrack jmp *%rax   13: mov $10,%eax   18: ret   19: mov $20,%eax   1e: ret
    const auto code = hex("488d155d000000 89ff 486304ba 4801d0 3effe0 b80a000000 c3 b814000000 c3");
    const auto data = table<std::int32_t>({0x13 - 0x64, 0x19 - 0x64, 0x7000, 0x13 - 0x64});
    const FlowGraph graph = graph_of(0, code, 0x64, data);
    EXPECT_EQ(targets_of(graph, 0x10), (std::vector<std::uint64_t>{0x13, 0x19}));
    EXPECT_EQ(graph.tables[0].entries, 2U);
    EXPECT_FALSE(graph.tables[0].bounded);
    // Nor does it go on into an instruction.
    const auto inside = table<std::int32_t>({0x13 - 0x64, 0x19 - 0x64, 0xe - 0x64, 0x13 - 0x64});
    EXPECT_EQ(graph_of(0, code, 0x64, inside).tables[0].entries, 2U);
}

TEST(JumpTable, OfAbsoluteAddressesWithTheIndexComparedInMemory) {
    // 1000: cmpl $2,0x10(%rdi)   1004: ja 1016   1006: mov 0x10(%rdi),%eax   1009: jmp *0x2000(,%rax,8)
    // 1010: ret   1011: nop   1012: ret   1013: nop   1014: nop   1015: ret   1016: int3
    const auto code = hex("837f1002 7710 8b4710 ff24c500200000 c3 90 c3 90 90 c3 cc");
    const auto data = table<std::int64_t>({0x1013, 0x1010, 0x1011, 0x1016});
    const FlowGraph graph = graph_of(0x1000, code, 0x2000, data);
    EXPECT_EQ(targets_of(graph, 0x1009), (std::vector<std::uint64_t>{0x1013, 0x1010, 0x1011}));
    EXPECT_TRUE(graph.tables[0].bounded);
    EXPECT_EQ(graph.tables[0].entry_bytes, 8);
}

TEST(JumpTable, WhoseBaseWasSetBeforeALoopAndWhoseIndexIsMasked) {
    // 1100: push %rbx   1101: lea 0x100(%rip),%rbx  # 1208   1108: call 1100   110d: and $1,%eax
    // 1110: movslq (%rbx,%rax,4),%rcx   1114: add %rbx,%rcx   1117: jmp *%rcx
    // 1119: dec %ebp   111b: jne 1108   111d: pop %rbx   111e: ret
    const auto code = hex("53 488d1d00010000 e8f3ffffff 83e001 48630c83 4801d9 ffe1 ffcd 75eb 5b c3");
    const auto data = table<std::int32_t>({0x1119 - 0x1208, 0x111d - 0x1208, 0x1119 - 0x1208});
    const FlowGraph graph = graph_of(0x1100, code, 0x1208, data);
    EXPECT_EQ(targets_of(graph, 0x1117), (std::vector<std::uint64_t>{0x1119, 0x111d}));
    EXPECT_TRUE(graph.tables[0].bounded);
    EXPECT_EQ(graph.tables[0].entries, 2U);
}

TEST(JumpTable, WhoseSwitchIsTheTakenSideOfTheComparison) {
    // 1200: cmp $2,%sil   1204: jb 1207   1206: ret   1207: movzbl %sil,%esi   120b: lea 0x100(%rip),%rdx  # 1312
    // 1212: movslq (%rdx,%rsi,4),%rsi   1216: add %rdx,%rsi   1219: jmp *%rsi   121b: ret   121c: nop   121d: ret
    const auto code = hex("4080fe02 7201 c3 400fb6f6 488d1500010000 486334b2 4801d6 ffe6 c3 90 c3");
    const auto data = table<std::int32_t>({0x121b - 0x1312, 0x121c - 0x1312, 0x121b - 0x1312});
    const FlowGraph graph = graph_of(0x1200, code, 0x1312, data);
    EXPECT_EQ(targets_of(graph, 0x1219), (std::vector<std::uint64_t>{0x121b, 0x121c}));
    EXPECT_TRUE(graph.tables[0].bounded);
    EXPECT_EQ(graph.tables[0].entries, 2U);  // below 2
}

TEST(JumpTable, AComparisonWhoseFlagsAreOverwrittenIsNoBound) {
    // As kSwitch, with `test %edi,%edi` between cmp and ja (all later addresses + 2; the table stays at 0x64).
    const auto code =
        hex("83ff03 85ff 7725 488d1556000000 89ff 486304ba 4801d0 3effe0 b80a000000 c3 b814000000 c3 b81e000000 c3 "
            "31c0 c3");
    const auto data = table<std::int32_t>({0x1a - 0x64, 0x20 - 0x64, 0x2c - 0x64, 0x26 - 0x64, 0x1a - 0x64});
    const FlowGraph graph = graph_of(0, code, 0x64, data);
    ASSERT_EQ(graph.tables.size(), 1U);
    EXPECT_FALSE(graph.tables[0].bounded);
    EXPECT_EQ(graph.tables[0].entries, 5U);
}

TEST(JumpTable, IsCappedWhateverTheComparisonSays) {
    // cmp $0x7fffffff,%edi instead of cmp $3: 0: cmp (6 bytes)   6: ja 2d   8: lea 0x55(%rip),%rdx  # 0x64 …
    const auto code =
        hex("81ffffffff7f 7725 488d1555000000 89ff 486304ba 4801d0 3effe0 b80a000000 c3 b814000000 c3 b81e000000 c3 "
            "31c0 c3");
    const std::vector<std::int64_t> same(10'000, 0x1b - 0x64);
    const FlowGraph graph = graph_of(0, code, 0x64, table<std::int32_t>(same));
    ASSERT_EQ(graph.tables.size(), 1U);
    EXPECT_EQ(graph.tables[0].entries, 4096U);
    EXPECT_FALSE(graph.tables[0].bounded);
    EXPECT_EQ(targets_of(graph, 0x18), (std::vector<std::uint64_t>{0x1b}));
}

// A switch of 41 cases with different bodies, made by the compilers at hand in every form they have.
struct SwitchForm {
    const char* compiler;
    const char* options;
    const Decoder& (*decoder)();
};
class CompiledSwitch : public testing::TestWithParam<SwitchForm> {};

TEST_P(CompiledSwitch, HasAllItsCases) {
    const auto folder = std::filesystem::temp_directory_path() / ("kymo-switch-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    {
        std::ofstream source(folder / "switch.cpp");
        source << "extern \"C\" long work(long);\nlong (*volatile sink)(long);\n"
                  "extern \"C\" long pick(const unsigned* which, long x) {\n"
                  "  for (;;) switch (*which++) {\n";
        for (int i = 0; i <= 40; ++i) {
            source << "    case " << i << ": x = sink(x) * " << 1000 + 37 * i << " + " << i * i << "; break;\n";
        }
        source << "    case 50: return x;\n    default: x -= 5; break;\n  }\n}\n";
    }
    const std::string object = (folder / "switch.so").string();
    const std::string command = std::string(GetParam().compiler) + " " + GetParam().options +
                                " -shared -nostdlib -o " + object + " " + (folder / "switch.cpp").string() + " 2>" +
                                (folder / "log").string();
    if (std::system(command.c_str()) != 0) {
        std::filesystem::remove_all(folder);
        GTEST_SKIP() << "this compiler refuses: " << command;
    }
    const ElfFunctions file(object);
    std::filesystem::remove_all(folder);
    const ElfFunction* pick = file.named("pick");
    ASSERT_NE(pick, nullptr);
    const FlowGraph graph = make_flow_graph(GetParam().decoder(),
                                            {CodeBytes({{pick->address, pick->bytes}}), pick->address}, file.data());
    ASSERT_EQ(graph.tables.size(), 1U) << command;
    EXPECT_TRUE(graph.tables[0].bounded) << command;
    EXPECT_EQ(graph.tables[0].entries, 51U) << command;
    std::set<std::uint32_t> targets;
    for (const BlockEdge& edge : graph.edges_of(graph.block_at(graph.tables[0].jump))) {
        targets.insert(edge.to);
    }
    EXPECT_EQ(targets.size(), 43U) << command;  // 41 cases, 50 and the default
}

INSTANTIATE_TEST_SUITE_P(Forms, CompiledSwitch,
                         testing::Values(SwitchForm{KYMO_TEST_CXX, "-O2 -fPIC", x86_64_decoder},
                                         SwitchForm{KYMO_TEST_CXX, "-O2 -fPIC -fcf-protection=full", x86_64_decoder},
                                         SwitchForm{KYMO_TEST_CXX, "-O1 -fPIC", x86_64_decoder},
                                         SwitchForm{KYMO_TEST_CXX, "-O3 -fPIC", x86_64_decoder},
                                         SwitchForm{KYMO_TEST_CXX, "-Os -fPIC", x86_64_decoder},
                                         SwitchForm{KYMO_TEST_CXX, "-O0 -fPIC", x86_64_decoder},
                                         SwitchForm{KYMO_TEST_CXX, "-O2 -fPIC -march=native", x86_64_decoder}));

// Skipped where no such compiler is installed. (gcc -O2 loads the index again, by a pointer that has moved: no
// bound.)
INSTANTIATE_TEST_SUITE_P(OfRiscv64, CompiledSwitch,
                         testing::Values(SwitchForm{"riscv64-linux-gnu-g++", "-O1 -fPIC", riscv64_decoder},
                                         SwitchForm{"riscv64-linux-gnu-g++", "-Os -fPIC", riscv64_decoder},
                                         SwitchForm{"riscv64-linux-gnu-g++", "-O0 -fPIC", riscv64_decoder},
                                         SwitchForm{"clang++ --target=riscv64-linux-gnu -march=rv64gc -fuse-ld=lld",
                                                    "-O2 -fPIC", riscv64_decoder}));

// Skipped where no such compiler is installed.
INSTANTIATE_TEST_SUITE_P(OfAarch64, CompiledSwitch,
                         testing::Values(SwitchForm{"aarch64-linux-gnu-g++", "-O2 -fPIC", aarch64_decoder},
                                         SwitchForm{"aarch64-linux-gnu-g++", "-O1 -fPIC", aarch64_decoder},
                                         SwitchForm{"aarch64-linux-gnu-g++", "-Os -fPIC", aarch64_decoder},
                                         SwitchForm{"aarch64-linux-gnu-g++", "-O0 -fPIC", aarch64_decoder},
                                         SwitchForm{"clang++ --target=aarch64-linux-gnu -fuse-ld=lld", "-O2 -fPIC",
                                                    aarch64_decoder}));

}  // namespace
}  // namespace kymo::program
