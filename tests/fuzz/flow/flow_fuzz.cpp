// Any bytes as a function with a jump table behind it, of every architecture that has a decoder. The first byte says
// how the rest is cut: code, a second part of the function, data. Checked is what every graph promises; the
// sanitizers see to the rest.
#include "program/flow/flow_graph.h"
#include "program/flow/induction.h"
#include "program/flow/loops.h"
#include "program/flow/make_flow_graph.h"
#include "program/flow/no_return.h"
#include "program/flow/polling.h"
#include "program/flow/repeated/repeated_calls.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace kymo::program;

namespace {

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "broken: %s\n", what);
        std::abort();
    }
}

void check(const Decoder& decoder, const FunctionCode& function, const CodeBytes& table) {
    const CodeBytes& code = function.code;
    const FlowGraph graph = make_flow_graph(decoder, function, table, [](std::uint64_t at) { return at % 3 == 0; });

    std::uint64_t last_end = 0;
    std::size_t instructions = 0;
    for (std::uint32_t block = 0; block < graph.blocks.size(); ++block) {
        const Block& at = graph.blocks[block];
        require(at.begin >= last_end && at.begin < at.end && at.instructions > 0, "blocks ascend and are not empty");
        require(code.contains(at.begin) && code.contains(at.end - 1), "blocks lie in the code");
        require(at.first_instruction == instructions && graph.instructions[instructions] == at.begin,
                "instructions belong to blocks");
        require(graph.block_at(at.begin) == block && graph.block_at(at.end - 1) == block, "blocks are found");
        for (const BlockEdge& edge : graph.edges_of(block)) {
            require(edge.to < graph.blocks.size(), "edges lead to blocks");
        }
        instructions += at.instructions;
        last_end = at.end;
    }
    require(instructions == graph.instructions.size(), "every instruction belongs to a block");

    const Digraph numbers = block_digraph(graph);
    const std::uint32_t root = static_cast<std::uint32_t>(graph.blocks.size());
    const auto dominators = immediate_dominators(numbers, root);
    const Loops loops = find_loops(numbers, root);
    for (std::uint32_t block = 0; block < root; ++block) {
        require(dominators[block] != kymo::kNone, "the root reaches every block");
    }
    for (std::uint32_t loop = 0; loop < loops.loops.size(); ++loop) {
        const Loop& at = loops.loops[loop];
        require(at.parent == kymo::kNone || at.parent < loop, "outer loops come first");
        require(loops.gave_up || loops.loop_of[at.header] == loop, "a header lies in its loop");
    }
    (void)can_return(graph);
    constexpr std::size_t kLookedInto = 8;
    for (std::uint32_t loop = 0; loop < std::min(loops.loops.size(), kLookedInto); ++loop) {
        (void)polls(decoder, code, graph, loops, loop);
        (void)inductions(decoder, code, graph, loops, loop);
    }
    const std::uint64_t entry = function.entry;
    const FunctionEffects own = function_effects(decoder, code, graph, table, entry);
    require(own.is_pure || own.overlapping_calls.empty(), "recurrences are of pure functions");
    for (const std::uint64_t call : repeated_calls(decoder, code, graph, loops, table, entry,
                                                   [&](std::uint64_t at) { return at % 2 == 0 ? &own : nullptr; })) {
        require(std::binary_search(graph.instructions.begin(), graph.instructions.end(), call),
                "repeated calls are instructions");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const std::span<const std::uint8_t> all(data + 1, size - 1);
    const std::size_t hot = all.size() * (data[0] & 0xfU) / 16;
    const std::size_t cold = (all.size() - hot) * (data[0] >> 4U) / 16;
    const CodeBytes code({{0x1000, all.first(hot)}, {0x1000 + hot + (data[0] & 1U) * 64, all.subspan(hot, cold)}});
    const CodeBytes table({{0x1000, all}});
    const FunctionCode function{code, 0x1000, {0x1000 + hot / 2}};
    for (const Decoder* decoder :
         {&x86_64_decoder(), &aarch64_decoder(), &riscv64_decoder(), &loongarch64_decoder(), &sw_64_decoder()}) {
        check(*decoder, function, table);
    }
    return 0;
}
