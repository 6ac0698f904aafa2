// The code behind a profile and the structure made of it, on functions written here in assembly: this very program is
// the image.
#include "spacetime/evidence/identity.h"
#include "spacetime/evidence/kept_nodes.h"
#include "spacetime/evidence/named_run.h"
#include "spacetime/evidence/structure.h"
#include "spacetime/spaces/pair_counts.h"

#include <algorithm>
#include <elf.h>
#include <filesystem>
#include <gtest/gtest.h>

#if defined(__x86_64__)

// A loop of two instructions behind one, then a way out to a part elsewhere; a nest; something that no symbol covers.
asm(R"(
    .text
    .globl looped_subject, looped_end, cold_begin, nested_subject
    .type looped_subject, @function
looped_subject:
    xor %eax, %eax
1:  add %edi, %eax
    dec %edi
    jne 1b
    test %eax, %eax
    je cold_begin
    ret
    .size looped_subject, .-looped_subject
looped_end:
    int3
    int3
    .type looped_subject.cold, @function
looped_subject.cold:
cold_begin:
    mov $1, %eax
    ret
    .size looped_subject.cold, .-looped_subject.cold
    .type nested_subject, @function
nested_subject:
    mov %edi, %esi
2:  mov %esi, %ecx
3:  dec %ecx
    jne 3b
    dec %edi
    jne 2b
    ret
    .size nested_subject, .-nested_subject
)");
extern "C" const char looped_subject[];
extern "C" const char looped_end[];
extern "C" const char cold_begin[];
extern "C" const char nested_subject[];
extern "C" const char __ehdr_start[];  // NOLINT(readability-identifier-naming): the linker's name

namespace kymo::spacetime {
namespace {

std::uint64_t offset_of(const char* address) {
    return static_cast<std::uint64_t>(address - __ehdr_start);
}

ImageInfo own_image() {
    return {.path = std::filesystem::read_symlink("/proc/self/exe").string(), .build_id = "", .machine = EM_X86_64};
}

class Code : public ::testing::Test {
  protected:
    std::uint64_t looped_ = offset_of(looped_subject);
    std::uint64_t cold_ = offset_of(cold_begin);
    std::uint64_t nested_ = offset_of(nested_subject);
};

TEST_F(Code, FunctionsAreWhatSymbolsSay) {
    program::ImageCode code({own_image().path, "", EM_X86_64});
    ASSERT_EQ(code.problem(), "");
    const std::uint32_t looped = code.function_at(looped_);
    ASSERT_NE(looped, kNone);
    EXPECT_EQ(code.function(looped).linkage_name, "looped_subject");
    EXPECT_EQ(code.function(looped).entry(), looped_);
    EXPECT_EQ(code.function_at(offset_of(looped_end) - 1), looped);
    EXPECT_EQ(code.function_at(offset_of(looped_end)), kNone);
    // The cold part is the same function's.
    ASSERT_EQ(code.function(looped).parts.size(), 2U);
    EXPECT_EQ(code.function(looped).parts[1].begin, cold_);
    EXPECT_EQ(code.function_at(cold_), looped);
    EXPECT_EQ(code.function_at(0), kNone);
    EXPECT_EQ(code.function_at(~std::uint64_t{0}), kNone);
}

TEST_F(Code, AGraphIsMadeOnceOverAllParts) {
    program::ImageCode code({own_image().path, "", EM_X86_64});
    const std::uint32_t looped = code.function_at(looped_);
    const program::FlowGraph* graph = code.flow(looped);
    ASSERT_NE(graph, nullptr);
    EXPECT_EQ(code.flow(looped), graph);
    // xor | add dec jne | test je | ret | mov ret
    ASSERT_EQ(graph->blocks.size(), 5U);
    EXPECT_EQ(graph->instructions.size(), 9U);
    EXPECT_EQ(graph->block_at(cold_), 4U);
    EXPECT_TRUE(graph->blocks[4].reached);
    EXPECT_EQ(graph->edges_of(1).size(), 2U);
}

TEST_F(Code, AnImageThatIsNotThereHasAProblemAndNoFunctions) {
    const program::ImageCode code({"/nonexistent/app", "", EM_X86_64});
    EXPECT_NE(code.problem(), "");
    EXPECT_EQ(code.function_at(looped_), kNone);
}

TEST_F(Code, TheMapNumbersWhatIsWantedByImageAndAddress) {
    const std::vector<ImageInfo> images = {{.path = "/nonexistent/app", .build_id = "1"}, own_image()};
    CodeMap map(images, {{1, 2}, {looped_, looped_ + 2, nested_}});
    ASSERT_EQ(map.size(), 2U);
    const std::uint32_t looped = map.function_at(1, looped_);
    const std::uint32_t nested = map.function_at(1, nested_ + 1);
    EXPECT_EQ(std::max(looped, nested), 1U);
    EXPECT_NE(looped, nested);
    EXPECT_EQ(looped < nested, looped_ < nested_);
    EXPECT_EQ(map.function_at(1, cold_), looped);
    EXPECT_EQ(map.function_at(0, 1), kNone);
    EXPECT_EQ(map.function_at(7, looped_), kNone);
    EXPECT_EQ(map.function_at(1, offset_of(looped_end)), kNone);
    EXPECT_EQ(map.image_of(looped), 1U);
    EXPECT_EQ(map.code_of(nested).linkage_name, "nested_subject");
    ASSERT_EQ(map.problems().size(), 1U);

    EXPECT_EQ(map.made(looped), nullptr);
    map.make_flows({looped, nested});
    ASSERT_NE(map.made(looped), nullptr);
    EXPECT_EQ(map.made(looped)->flow->loops.loops.size(), 1U);
    EXPECT_EQ(map.made(nested)->flow->loops.loops.size(), 2U);
    EXPECT_FALSE(map.polls(looped, 0));  // it counts
    EXPECT_FALSE(map.polls(looped, 5));
    EXPECT_EQ(map.flow_of(99), nullptr);
}

// root › looped_subject (5 ms behind its loop) › its loop (60 ms), which calls looped_subject again (10 ms in its
// loop); root › nested_subject › nest (20 ms) › loop (5 ms).
class MadeStructure : public Code {
  protected:
    MadeStructure() {
        profile_.images = {own_image()};
        profile_.events.push_back({.name = "task-clock", .unit = "ns"});
        profile_.self = CostTable(1);
        add(0, NodeKind::kRoot, 0, 0);
        own_node_ = add(0, NodeKind::kFrame, looped_ + 8, 5);
        loop_node_ = add(0, NodeKind::kFrame, looped_ + 2, 60);
        again_node_ = add(loop_node_, NodeKind::kFrame, looped_ + 4, 10);
        partial_ = add(0, NodeKind::kPartial, 0, 0);
        outer_node_ = add(partial_, NodeKind::kFrame, nested_ + 2, 20);
        inner_node_ = add(partial_, NodeKind::kFrame, nested_ + 4, 5);
        run_ = name_run(profile_);
    }
    std::uint32_t add(std::uint32_t parent, NodeKind kind, std::uint64_t offset, std::int64_t ms) {
        profile_.nodes.push_back({parent, kind, 0, offset});
        profile_.self.resize(profile_.nodes.size());
        profile_.self[profile_.nodes.size() - 1][kUser] = ms * 1'000'000;
        return static_cast<std::uint32_t>(profile_.nodes.size() - 1);
    }

    Profile profile_;
    NamedRun run_;
    std::uint32_t own_node_ = 0;
    std::uint32_t loop_node_ = 0;
    std::uint32_t again_node_ = 0;
    std::uint32_t partial_ = 0;
    std::uint32_t outer_node_ = 0;
    std::uint32_t inner_node_ = 0;
};

TEST_F(MadeStructure, LoopsStandBelowTheirFunctionsAndRecursionIsOneNode) {
    const Structure structure = make_structure(profile_, run_.names(), *run_.code);
    const auto user_ms = [&](std::uint32_t node) { return structure.total[node][kUser] / 1'000'000; };
    const std::uint32_t function = structure.node_of[own_node_];
    const std::uint32_t loop = structure.node_of[loop_node_];
    EXPECT_EQ(structure.nodes[function].kind, SpaceKind::kFunction);
    EXPECT_EQ(run_.tree.symbols.functions[structure.nodes[function].function].name, "looped_subject");
    EXPECT_EQ(structure.nodes[loop].kind, SpaceKind::kLoop);
    EXPECT_EQ(structure.nodes[loop].parent, function);
    EXPECT_EQ(structure.nodes[loop].loop, 0U);
    EXPECT_EQ(structure.node_of[again_node_], loop);  // called by itself: not once more below
    EXPECT_EQ(user_ms(loop), 70);
    EXPECT_EQ(user_ms(function), 75);

    const std::uint32_t nest = structure.node_of[outer_node_];
    const std::uint32_t inner = structure.node_of[inner_node_];
    EXPECT_EQ(structure.nodes[nest].kind, SpaceKind::kLoopNest);
    EXPECT_EQ(structure.nodes[inner].kind, SpaceKind::kLoop);
    EXPECT_EQ(structure.nodes[inner].parent, nest);
    EXPECT_EQ(user_ms(nest), 25);
    const std::uint32_t group = structure.node_of[partial_];
    EXPECT_TRUE(structure.nodes[group].is_group);
    EXPECT_EQ(structure.nodes[structure.nodes[nest].parent].parent, group);
    EXPECT_EQ(user_ms(0), 100);
    for (std::uint32_t node = 1; node < structure.nodes.size(); ++node) {
        EXPECT_LT(structure.nodes[node].parent, node);
    }
}

// The header of looped_subject's loop as code of `compare`, inlined into it; and its jump back likewise, or the
// function's own.
class InlinedHeader : public MadeStructure {
  protected:
    // Where the loop stands: in the function itself, or in what is inlined.
    const StructureNode& loop(bool jump_is_inlined, Structure* structure) {
        const std::uint64_t header = looped_ + 2;
        const std::uint64_t jump = looped_ + 6;
        program::Symbols symbols = run_.tree.symbols;
        const auto compare = static_cast<std::uint32_t>(symbols.functions.size());
        symbols.functions.emplace_back().name = "compare";
        const auto& offsets = run_.requests[0].offsets;
        program::ImageSymbols named{.first = {0}, .frames = {}};
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            const auto frames = symbols.images[0].at(i);
            named.frames.insert(named.frames.end(), frames.begin(), frames.end());
            if (raw(offsets[i]) == header || (raw(offsets[i]) == jump && jump_is_inlined)) {
                named.frames.push_back({.function = compare, .inlined = true});
            }
            named.first.push_back(static_cast<std::uint32_t>(named.frames.size()));
        }
        symbols.images[0] = named;
        *structure = make_structure(profile_, Names(run_.requests, symbols), *run_.code);
        const auto at =
            std::find_if(structure->nodes.begin(), structure->nodes.end(), [&](const StructureNode& node) {
                return node.kind == SpaceKind::kLoop && node.code == run_.code->function_at(0, looped_);
            });
        EXPECT_NE(at, structure->nodes.end());
        return *at;
    }
};

TEST_F(InlinedHeader, IsTheLoopOfTheFunctionWhoseJumpsCloseIt) {
    Structure structure;
    const StructureNode& of_function = loop(false, &structure);
    EXPECT_EQ(of_function.inlined, 0U);
    EXPECT_EQ(structure.nodes[of_function.parent].kind, SpaceKind::kFunction);
    // What was sampled at the header is the inlined code's, inside the loop.
    const StructureNode& sampled = structure.nodes[structure.node_of[loop_node_]];
    EXPECT_EQ(sampled.kind, SpaceKind::kInlined);
    EXPECT_EQ(&structure.nodes[sampled.parent], &of_function);
}

TEST_F(InlinedHeader, IsTheInlinedFunctionsLoopWhereTheJumpsAreItsOwn) {
    Structure structure;
    const StructureNode& of_inlined = loop(true, &structure);
    EXPECT_EQ(of_inlined.inlined, 1U);
    EXPECT_EQ(structure.nodes[of_inlined.parent].kind, SpaceKind::kInlined);
}

TEST_F(MadeStructure, SmallFunctionsAreToldByEveryInstruction) {
    const CodeOfFunction* code = run_.code->made(run_.code->function_at(0, looped_));
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(telling_addresses(code->flow->graph), code->flow->graph.instructions);
}

TEST_F(MadeStructure, KeptIsWhatHasMoreThanTheShareOrIsAskedFor) {
    const Structure structure = make_structure(profile_, run_.names(), *run_.code);
    const auto is_kept = [&](const KeptNodes& kept, std::uint32_t node) {
        return std::find(kept.structure.begin(), kept.structure.end(), node) != kept.structure.end();
    };
    const std::uint32_t inner = structure.node_of[inner_node_];
    const KeptNodes some = keep_nodes(structure, percent(10));
    EXPECT_FALSE(is_kept(some, inner));
    EXPECT_TRUE(is_kept(some, structure.node_of[outer_node_]));
    std::vector<bool> asked(structure.nodes.size());
    asked[inner] = true;
    const KeptNodes more = keep_nodes(structure, percent(10), asked);
    EXPECT_TRUE(is_kept(more, inner));
    EXPECT_EQ(more.size(), some.size() + 1);
    EXPECT_LT(more.leaf_of[inner_node_], more.size());
    EXPECT_EQ(more.structure[more.leaf_of[inner_node_]], inner);
}

TEST_F(MadeStructure, IdentitiesTellPlacesApartAndAreTheSameInAnotherProfile) {
    const Structure structure = make_structure(profile_, run_.names(), *run_.code);
    const auto first = identities(profile_, structure, run_.names(), *run_.code);
    std::vector<std::uint64_t> sorted;
    for (std::size_t node = 1; node < first.size(); ++node) {
        if (!structure.nodes[node].is_group) {
            sorted.push_back(first[node]);
        }
    }
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());

    // The nested function alone, at the root, its image the second one: groups are no part of a place.
    Profile other;
    other.images = {{.path = "/nonexistent/lib", .build_id = "9"}, own_image()};
    other.events = profile_.events;
    other.self = CostTable(1);
    other.nodes = {{0, NodeKind::kRoot, 0, 0}, {0, NodeKind::kFrame, 1, nested_ + 4}};
    other.self.resize(2);
    other.self[1][kUser] = 1'000'000;
    const NamedRun run = name_run(other);
    const Structure alone = make_structure(other, run.names(), *run.code);
    const auto second = identities(other, alone, run.names(), *run.code);
    EXPECT_EQ(second[alone.node_of[1]], first[structure.node_of[inner_node_]]);
}

}  // namespace
}  // namespace kymo::spacetime

#endif
