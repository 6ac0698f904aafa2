#include "program/flow/flow_graph.h"

#include "hex.h"
#include "program/flow/loops.h"
#include "program/flow/make_flow_graph.h"

#include <gtest/gtest.h>

namespace kymo::program {
namespace {

struct Code {
    explicit Code(std::string_view text, std::uint64_t at = 0) : bytes(hex(text)), begin(at) {}
    FlowGraph graph(const std::function<bool(std::uint64_t)>& does_not_return = {}) const {
        return make_flow_graph(x86_64_decoder(), {CodeBytes({{begin, bytes}}), begin}, {}, does_not_return);
    }
    std::vector<std::uint8_t> bytes;
    std::uint64_t begin;
};

std::vector<std::uint64_t> begins(const FlowGraph& graph) {
    std::vector<std::uint64_t> result;
    for (const Block& block : graph.blocks) {
        result.push_back(block.begin);
    }
    return result;
}

std::vector<BlockEdge> edges(const FlowGraph& graph, std::uint32_t block) {
    const auto found = graph.edges_of(block);
    return {found.begin(), found.end()};
}

// 0: xor %eax,%eax   2: test $1,%dil   6: je e   8: add $2,%rax   c: jmp 12   e: add $1,%rax
// 12: dec %rsi   15: jne 2   17: ret
constexpr std::string_view kDiamondInLoop = "31c0 40f6c701 7406 4883c002 eb04 4883c001 48ffce 75eb c3";

TEST(FlowGraph, OfADiamondInALoop) {
    const FlowGraph graph = Code(kDiamondInLoop).graph();
    EXPECT_EQ(begins(graph), (std::vector<std::uint64_t>{0, 2, 8, 0xe, 0x12, 0x17}));
    EXPECT_EQ(graph.instructions, (std::vector<std::uint64_t>{0, 2, 6, 8, 0xc, 0xe, 0x12, 0x15, 0x17}));
    EXPECT_EQ(edges(graph, 0), (std::vector<BlockEdge>{{1, EdgeKind::kFallThrough}}));
    EXPECT_EQ(edges(graph, 1), (std::vector<BlockEdge>{{2, EdgeKind::kFallThrough}, {3, EdgeKind::kJump}}));
    EXPECT_EQ(edges(graph, 2), (std::vector<BlockEdge>{{4, EdgeKind::kJump}}));
    EXPECT_EQ(edges(graph, 3), (std::vector<BlockEdge>{{4, EdgeKind::kFallThrough}}));
    EXPECT_EQ(edges(graph, 4), (std::vector<BlockEdge>{{5, EdgeKind::kFallThrough}, {1, EdgeKind::kJump}}));
    EXPECT_TRUE(edges(graph, 5).empty());
    const BlockEnd how[] = {BlockEnd::kFallThrough, BlockEnd::kConditionalJump, BlockEnd::kJump,
                            BlockEnd::kFallThrough, BlockEnd::kConditionalJump, BlockEnd::kReturn};
    for (std::uint32_t block = 0; block < 6; ++block) {
        EXPECT_EQ(graph.blocks[block].how, how[block]) << block;
        EXPECT_TRUE(graph.blocks[block].reached) << block;
        EXPECT_EQ(graph.blocks[block].leaves, block == 5) << block;
    }
    EXPECT_EQ(graph.entries, std::vector{0U});
    EXPECT_EQ(graph.undecodable_bytes + graph.overlaps, 0U);

    const Loops loops = find_loops(block_digraph(graph), 6);
    ASSERT_EQ(loops.loops.size(), 1U);
    EXPECT_EQ(loops.loops[0].own, (std::vector{1U, 2U, 3U, 4U}));
}

TEST(FlowGraph, FindsBlocksAndInstructionsByAddress) {
    const FlowGraph graph = Code(kDiamondInLoop, 0x1000).graph();
    EXPECT_EQ(graph.block_at(0x0fff), kNone);
    EXPECT_EQ(graph.block_at(0x1000), 0U);
    EXPECT_EQ(graph.block_at(0x1007), 1U);
    EXPECT_EQ(graph.block_at(0x1017), 5U);
    EXPECT_EQ(graph.block_at(0x1018), kNone);
    const Block& block = graph.blocks[1];
    EXPECT_EQ(graph.instructions[graph.instruction_at(block, 0x1002)], 0x1002U);
    EXPECT_EQ(graph.instructions[graph.instruction_at(block, 0x1005)], 0x1002U);
    EXPECT_EQ(graph.instructions[graph.instruction_at(block, 0x1007)], 0x1006U);
    EXPECT_EQ(graph.last_instruction(block), 0x1006U);
    EXPECT_EQ(graph.instruction_end(block, graph.instruction_at(block, 0x1002)), 0x1006U);
    EXPECT_EQ(graph.instruction_end(block, graph.instruction_at(block, 0x1006)), 0x1008U);
}

TEST(FlowGraph, CountsAJumpOverALockPrefixAsOneToTheInstruction) {
    // 0: cmpl $0,%fs:0x18   9: je c   b: lock cmpxchg %ecx,(%rdi)   f: jne 12   11: ret   12: int3
    const FlowGraph graph = Code("64833c251800000000 7401 f00fb10f 7501 c3 cc").graph();
    EXPECT_EQ(begins(graph), (std::vector<std::uint64_t>{0, 0xb, 0x11, 0x12}));
    EXPECT_EQ(edges(graph, 0), (std::vector<BlockEdge>{{1, EdgeKind::kFallThrough}}));
    EXPECT_EQ(graph.overlaps, 1U);
    EXPECT_EQ(graph.blocks[3].how, BlockEnd::kTrap);
}

TEST(FlowGraph, CallsEndABlockOnlyIfTheyDoNotReturn) {
    // 0: call 0x105   5: ret
    const Code code("e800010000 c3");
    EXPECT_EQ(begins(code.graph()), (std::vector<std::uint64_t>{0}));
    const FlowGraph known = code.graph([](std::uint64_t target) { return target == 0x105; });
    EXPECT_EQ(begins(known), (std::vector<std::uint64_t>{0, 5}));
    EXPECT_EQ(known.blocks[0].how, BlockEnd::kNoReturnCall);
    EXPECT_TRUE(edges(known, 0).empty());
    EXPECT_FALSE(known.blocks[1].reached);
}

TEST(FlowGraph, TailCallsLeave) {
    // 0: test %eax,%eax   2: jne 0x102   8: jmp 0x200   d: jmp *%rax
    const FlowGraph graph = Code("85c0 0f85fa000000 e9f3010000 ffe0").graph();
    ASSERT_EQ(begins(graph), (std::vector<std::uint64_t>{0, 8, 0xd}));
    EXPECT_TRUE(graph.blocks[0].leaves);
    EXPECT_EQ(edges(graph, 0), (std::vector<BlockEdge>{{1, EdgeKind::kFallThrough}}));
    EXPECT_TRUE(graph.blocks[1].leaves);
    EXPECT_TRUE(edges(graph, 1).empty());
    EXPECT_EQ(graph.unresolved, (std::vector<std::uint64_t>{0xd}));
    EXPECT_FALSE(graph.blocks[2].reached);
}

TEST(FlowGraph, DecodesWhatNothingLeadsToAndSaysSo) {
    // 0: jmp 4   2: xchg %ax,%ax   4: dec %eax   6: jne 4   8: ret
    const FlowGraph graph = Code("eb02 6690 ffc8 75fc c3").graph();
    ASSERT_EQ(begins(graph), (std::vector<std::uint64_t>{0, 2, 4, 8}));
    EXPECT_FALSE(graph.blocks[1].reached);
    EXPECT_EQ(edges(graph, 1), (std::vector<BlockEdge>{{2, EdgeKind::kFallThrough}}));
    // The padding that seems to fall into the loop is no second way in.
    const Loops loops = find_loops(block_digraph(graph), 4);
    ASSERT_EQ(loops.loops.size(), 1U);
    EXPECT_FALSE(loops.loops[0].irreducible);
    EXPECT_EQ(immediate_dominators(block_digraph(graph), 4)[2], 0U);
}

TEST(FlowGraph, ConnectsThePartsOfASplitFunction) {
    // hot  0x0: test %eax,%eax  2: jne 0x100  8: ret      cold  0x100: dec %eax  102: jmp 8
    const auto hot = hex("85c0 0f85f8000000 c3");
    const auto cold = hex("ffc8 e901ffffff");
    const FunctionCode function{CodeBytes({{0x100, cold}, {0, hot}}), 0};
    const FlowGraph graph = make_flow_graph(x86_64_decoder(), function, {});
    ASSERT_EQ(begins(graph), (std::vector<std::uint64_t>{0, 8, 0x100}));
    EXPECT_EQ(edges(graph, 0), (std::vector<BlockEdge>{{1, EdgeKind::kFallThrough}, {2, EdgeKind::kJump}}));
    EXPECT_EQ(edges(graph, 2), (std::vector<BlockEdge>{{1, EdgeKind::kJump}}));
}

TEST(FlowGraph, EndsBlocksAtBytesThatAreNoInstruction) {
    // 0: nop   1: (bad) 06   2: ret
    const FlowGraph graph = Code("90 06 c3").graph();
    ASSERT_EQ(begins(graph), (std::vector<std::uint64_t>{0, 2}));
    EXPECT_EQ(graph.blocks[0].how, BlockEnd::kCut);
    EXPECT_EQ(graph.undecodable_bytes, 1U);
    // A call cut short; the two zero bytes behind are tried by themselves: add %al,(%rax).
    EXPECT_EQ(Code("e8 00 00").graph().undecodable_bytes, 1U);
}

TEST(FlowGraph, TakesMoreEntries) {
    const auto bytes = hex("c3 90 c3");  // 0: ret   1: nop   2: ret
    const FlowGraph graph = make_flow_graph(x86_64_decoder(), {CodeBytes({{0, bytes}}), 0, {1, 0x999}}, {});
    EXPECT_EQ(graph.entries, (std::vector{0U, 1U}));
    EXPECT_TRUE(graph.blocks[1].reached);
}

TEST(FlowGraph, OfNothingAndOfTooMuch) {
    EXPECT_TRUE(make_flow_graph(x86_64_decoder(), {CodeBytes{}, 0}, {}).blocks.empty());
    const Code code(kDiamondInLoop);
    const FlowGraph graph =
        make_flow_graph(x86_64_decoder(), {CodeBytes({{0, code.bytes}}), 0}, {}, {}, {.max_bytes = 8});
    EXPECT_TRUE(graph.too_large);
    EXPECT_TRUE(graph.blocks.empty());
    EXPECT_EQ(block_digraph(graph).size(), 1U);
}

TEST(CodeBytes, FindsRangesAndLeavesOutOverlappingOnes) {
    const std::vector<std::uint8_t> bytes(16);
    const std::span<const std::uint8_t> all(bytes);
    const CodeBytes code({{0x20, all}, {0x10, all.first(8)}, {0x24, all}, {0x40, {}}, {~0ULL - 3, all}});
    ASSERT_EQ(code.ranges().size(), 2U);
    EXPECT_TRUE(code.from(0xf).empty());
    EXPECT_EQ(code.from(0x10).size(), 8U);
    EXPECT_TRUE(code.from(0x18).empty());
    EXPECT_EQ(code.from(0x2f).size(), 1U);
    EXPECT_TRUE(code.from(0x30).empty());
}

}  // namespace
}  // namespace kymo::program
