// Lengths, kinds and targets of another architecture's real code against its GNU objdump, which other people made.
// Nightly (KYMO_CROSS=1); needs Debian's binutils and C library of that architecture.
#include "elf_functions.h"
#include "program/flow/make_flow_graph.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

namespace kymo::program {
namespace {

struct CrossLibrary {
    const char* objdump;
    const char* file;
    const Decoder& (*decoder)();
    std::vector<std::string_view> directs;  // jumps and calls to an address, which is the last operand
    std::vector<std::string_view> others;   // what else is no plain instruction
};

struct Disassembled {
    std::string mnemonic;
    std::uint64_t target = 0;
};

bool is_one_of(const std::vector<std::string_view>& names, std::string_view mnemonic) {
    return std::find(names.begin(), names.end(), mnemonic) != names.end();
}

// "b.ne\tc8 <f+0x8>  // b.any", "tbz\tw5, #3, 3c <f+0x3c>"
Disassembled read_instruction(std::string_view text, const CrossLibrary& library) {
    text = text.substr(0, text.find_first_of("#/\n") == std::string_view::npos ? text.size() : text.find(" <"));
    const std::size_t gap = text.find('\t');
    Disassembled line{std::string(text.substr(0, gap)), 0};
    const std::size_t trailing = line.mnemonic.find_last_not_of(" \n");
    line.mnemonic.resize(trailing == std::string::npos ? 0 : trailing + 1);
    if (is_one_of(library.directs, line.mnemonic) && gap != std::string_view::npos) {
        const std::string_view operands = text.substr(gap + 1);
        const std::size_t comma = operands.rfind(',');
        line.target = std::strtoull(
            std::string(operands.substr(comma == std::string_view::npos ? 0 : comma + 1)).c_str(), nullptr, 16);
    }
    return line;
}

std::map<std::uint64_t, Disassembled> disassembly_of(const CrossLibrary& library) {
    std::map<std::uint64_t, Disassembled> lines;
    const std::string command =
        std::string(library.objdump) + " -d -w --no-show-raw-insn " + library.file + " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 4096> buffer;
    while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
        const std::string_view text(buffer.data());
        const std::size_t colon = text.find(":\t");
        if (text.front() == ' ' && colon != std::string_view::npos) {
            lines.emplace_hint(lines.end(), std::stoull(std::string(text.substr(0, colon)), nullptr, 16),
                               read_instruction(text.substr(colon + 2), library));
        }
    }
    return lines;
}

class CrossObjdump : public testing::TestWithParam<CrossLibrary> {};

TEST_P(CrossObjdump, AgreesOnEveryInstruction) {
    const CrossLibrary& library = GetParam();
    if (std::getenv("KYMO_CROSS") == nullptr) {
        GTEST_SKIP() << "nightly";
    }
    const ElfFunctions file(library.file);
    const auto lines = disassembly_of(library);
    if (file.functions().empty() || lines.empty()) {
        GTEST_SKIP() << library.objdump << " or " << library.file << " is not installed";
    }
    const Decoder& decoder = library.decoder();
    std::size_t instructions = 0;
    std::size_t branches = 0;
    std::size_t differing = 0;
    std::size_t tables = 0;
    std::size_t unresolved = 0;
    for (const ElfFunction& function : file.functions()) {
        const std::uint64_t end = function.address + function.bytes.size();
        for (auto line = lines.lower_bound(function.address); line != lines.end() && line->first < end; ++line) {
            const Disassembled& theirs = line->second;
            if (theirs.mnemonic.empty() || theirs.mnemonic.front() == '.') {
                continue;  // data
            }
            const auto next = std::next(line);
            const std::uint64_t behind = next == lines.end() ? end : std::min(end, next->first);
            Instruction ours;
            Instruction whole;
            const auto bytes = function.bytes.subspan(line->first - function.address);
            const bool is_direct = is_one_of(library.directs, theirs.mnemonic);
            const bool is_plain = !is_direct && !is_one_of(library.others, theirs.mnemonic);
            const bool same = decoder.decode_flow(bytes, line->first, &ours) &&
                              decoder.decode(bytes, line->first, &whole) && ours.length == behind - line->first &&
                              whole.kind == ours.kind && whole.length == ours.length &&
                              (ours.kind == InstructionKind::kPlain) == is_plain && ours.has_target == is_direct &&
                              ours.target == theirs.target;
            ++instructions;
            branches += is_plain ? 0 : 1;
            if (!same && ++differing <= 20) {
                std::printf("%#lx %s %#lx: we have kind %d, length %d, target %#lx\n", line->first,
                            theirs.mnemonic.c_str(), theirs.target, static_cast<int>(ours.kind), ours.length,
                            ours.target);
            }
        }
        const FlowGraph graph = make_flow_graph(
            decoder, {CodeBytes({{function.address, function.bytes}}), function.address}, file.data());
        tables += graph.tables.size();
        unresolved += graph.unresolved.size();
    }
    std::printf(
        "%s: %zu instructions, %zu of them not plain; %zu differ; %zu jump tables read, %zu other indirect jumps\n",
        library.file, instructions, branches, differing, tables, unresolved);
    EXPECT_EQ(differing, 0U);
    EXPECT_GT(branches, 10'000U);
}

const std::vector<std::string_view> kArmDirects = {
    "b",    "bl",   "cbz",  "cbnz", "tbz",  "tbnz", "b.eq", "b.ne", "b.cs", "b.cc", "b.mi",
    "b.pl", "b.vs", "b.vc", "b.hi", "b.ls", "b.ge", "b.lt", "b.gt", "b.le", "b.al", "b.nv",
};
const std::vector<std::string_view> kArmOthers = {"br", "blr", "ret", "retaa", "retab", "eret", "brk", "hlt", "udf"};

// As objdump -M no-aliases names them.
const std::vector<std::string_view> kRiscDirects = {"beq",  "bne",    "blt",    "bge", "bltu",
                                                    "bgeu", "c.beqz", "c.bnez", "jal", "c.j"};
const std::vector<std::string_view> kRiscOthers = {"jalr",     "c.jr", "c.jalr", "ebreak",
                                                   "c.ebreak", "sret", "mret",   "c.unimp"};

INSTANTIATE_TEST_SUITE_P(
    Libraries, CrossObjdump,
    testing::Values(CrossLibrary{"aarch64-linux-gnu-objdump", "/usr/aarch64-linux-gnu/lib/libc.so.6", aarch64_decoder,
                                 kArmDirects, kArmOthers},
                    CrossLibrary{"aarch64-linux-gnu-objdump", "/usr/aarch64-linux-gnu/lib/libstdc++.so.6",
                                 aarch64_decoder, kArmDirects, kArmOthers},
                    CrossLibrary{"riscv64-linux-gnu-objdump -M no-aliases", "/usr/riscv64-linux-gnu/lib/libc.so.6",
                                 riscv64_decoder, kRiscDirects, kRiscOthers},
                    CrossLibrary{"riscv64-linux-gnu-objdump -M no-aliases", "/usr/riscv64-linux-gnu/lib/libm.so.6",
                                 riscv64_decoder, kRiscDirects, kRiscOthers}));

}  // namespace
}  // namespace kymo::program
