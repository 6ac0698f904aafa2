// Instructions, targets and blocks of real code against GNU objdump: another decoder, made by other people.
#include "elf_functions.h"
#include "program/flow/flow_graph.h"
#include "program/flow/loops.h"
#include "program/flow/make_flow_graph.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace kymo::program {
namespace {

struct Line {
    bool is_jump = false;      // of any kind: jumps, returns, traps
    std::uint64_t target = 0;  // of direct jumps
};

bool begins_with(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

Line read_line(std::string_view text) {
    Line line;
    for (const std::string_view prefix : {"notrack ", "bnd ", "repz ", "rep "}) {
        if (begins_with(text, prefix)) {
            text.remove_prefix(prefix.size());
        }
    }
    line.is_jump = text.front() == 'j' || begins_with(text, "loop") || begins_with(text, "ret") ||
                   begins_with(text, "xbegin") || begins_with(text, "hlt") || begins_with(text, "ud") ||
                   begins_with(text, "int3") || begins_with(text, "iret") || begins_with(text, "sysret");
    const std::size_t operand = text.find(' ');
    if (line.is_jump && operand != std::string_view::npos) {
        const std::string rest(text.substr(text.find_first_not_of(' ', operand)));
        if (std::isxdigit(static_cast<unsigned char>(rest.front())) != 0) {
            line.target = std::stoull(rest, nullptr, 16);
        }
    }
    return line;
}

std::map<std::uint64_t, Line> disassemble(const std::string& path) {
    std::map<std::uint64_t, Line> lines;
    const std::string command = "objdump -d -w --no-show-raw-insn " + path + " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 4096> buffer;
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
        const std::string_view text(buffer.data());
        const std::size_t colon = text.find(":\t");
        if (text.front() == ' ' && colon != std::string_view::npos) {
            lines.emplace_hint(lines.end(), std::stoull(std::string(text.substr(0, colon)), nullptr, 16),
                               read_line(text.substr(colon + 2)));
        }
    }
    return lines;
}

class Objdump : public testing::TestWithParam<const char*> {};

TEST_P(Objdump, FindsTheSameInstructionsTargetsAndBlocks) {
    const ElfFunctions file(GetParam());
    const auto lines = disassemble(GetParam());
    if (file.functions().empty() || lines.empty()) {
        GTEST_SKIP() << "objdump or " << GetParam() << " is not installed";
    }
    const CodeBytes data = file.data();
    std::size_t functions = 0;
    std::size_t differing = 0;
    std::size_t instructions = 0;
    std::size_t blocks = 0;
    for (const ElfFunction& function : file.functions()) {
        const std::uint64_t begin = function.address;
        const std::uint64_t end = begin + function.bytes.size();
        const FlowGraph graph =
            make_flow_graph(x86_64_decoder(), {CodeBytes({{begin, function.bytes}}), begin}, data);
        std::set<std::uint64_t> ours(graph.instructions.begin(), graph.instructions.end());
        std::set<std::uint64_t> theirs;
        std::set<std::uint64_t> leaders = {begin};
        for (auto line = lines.lower_bound(begin); line != lines.end() && line->first < end; ++line) {
            theirs.insert(line->first);
            const auto next = std::next(line);
            if (line->second.is_jump && next != lines.end() && next->first < end) {
                leaders.insert(next->first);
            }
            if (line->second.target >= begin && line->second.target < end) {
                // A jump over a prefix goes to the instruction.
                leaders.insert(std::prev(lines.upper_bound(line->second.target))->first);
            }
        }
        // objdump shows fwait (9b) and the x87 instruction behind it as one.
        std::erase_if(ours, [&](std::uint64_t at) {
            return at > begin && function.bytes[at - 1 - begin] == 0x9b && !theirs.contains(at);
        });
        for (const Block& block : graph.blocks) {
            for (const BlockEdge& edge : graph.edges_of(graph.block_at(block.begin))) {
                if (edge.kind == EdgeKind::kTable) {
                    leaders.insert(graph.blocks[edge.to].begin);
                }
            }
        }
        std::set<std::uint64_t> starts;
        for (const Block& block : graph.blocks) {
            starts.insert(block.begin);
        }
        ++functions;
        instructions += ours.size();
        blocks += starts.size();
        if (ours != theirs || starts != leaders) {
            ++differing;
            const auto& mine = ours != theirs ? ours : starts;
            const auto& other = ours != theirs ? theirs : leaders;
            std::vector<std::uint64_t> only;
            std::set_symmetric_difference(mine.begin(), mine.end(), other.begin(), other.end(),
                                          std::back_inserter(only));
            if (differing <= 10) {
                std::printf("%s at %#lx: %s differ first at %#lx\n", function.name.c_str(), begin,
                            ours != theirs ? "instructions" : "blocks", only.front());
            }
        }
    }
    std::printf("%s: %zu functions, %zu instructions, %zu blocks; %zu functions differ\n", GetParam(), functions,
                instructions, blocks, differing);
    EXPECT_EQ(differing, 0U);
    EXPECT_GT(blocks, functions);
}

INSTANTIATE_TEST_SUITE_P(Libraries, Objdump,
                         testing::Values("/lib/x86_64-linux-gnu/libc.so.6",
                                         "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                                         "/lib/x86_64-linux-gnu/libm.so.6"));

}  // namespace
}  // namespace kymo::program
