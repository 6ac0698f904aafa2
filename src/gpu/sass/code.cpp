#include "gpu/sass/code.h"

#include "gpu/sass/line_rows.h"

namespace kymo::gpu::sass {
namespace {

constexpr std::size_t kMostBytes = (std::size_t{1} << 20U) * kInstructionBytes;

// sm_90 is compute capability 9.0. ELF flags: up to CUDA 12 the low byte, from 13 on bits 8–15.
unsigned capability_of(const Elf64_Ehdr& header) {
    constexpr unsigned kOldAbi = 7;
    const unsigned low = header.e_flags & 0xFFU;
    const unsigned high = header.e_flags >> 8U & 0xFFU;
    return header.e_ident[EI_ABIVERSION] <= kOldAbi ? low : high;
}

void put_lines(const std::vector<LineRow>& rows, std::vector<Instruction>& instructions) {
    std::size_t row = 0;
    for (Instruction& instruction : instructions) {
        while (row + 1 < rows.size() && rows[row + 1].pc <= instruction.pc) {
            ++row;
        }
        instruction.line = !rows.empty() && rows[row].pc <= instruction.pc ? rows[row].line : 0;
    }
}

// What fills the function up to its alignment: a jump to itself, and nothing done.
void drop_padding(std::vector<Instruction>& instructions) {
    while (!instructions.empty() &&
           (instructions.back().opcode == "NOP" || instructions.back().target == instructions.back().pc)) {
        instructions.pop_back();
    }
}

}  // namespace

Result<CubinCode> read_code(std::span<const std::uint8_t> cubin, const std::string& name) {
    constexpr std::string_view kPrefix = ".text.";
    constexpr unsigned kRegistersShift = 24;
    const std::string next = "build the program again with nvcc";
    image::ElfFile file;
    if (const auto why = image::ElfFile::parse(cubin, &file); why != image::ElfError::kNone) {
        return Error{ErrorKind::kMalformed, name + ": its machine code " + image::describe(why), next};
    }
    auto rows = line_rows(file, name);
    if (!rows) {
        return rows.error();
    }
    const unsigned capability = capability_of(file.header());
    CubinCode made;
    for (std::size_t i = 0; i < file.section_count(); ++i) {
        const Elf64_Shdr section = file.section(i);
        const std::string_view title = file.name(section);
        if (!title.starts_with(kPrefix) || title.size() == kPrefix.size()) {
            continue;
        }
        const auto bytes = file.contents(section);
        if (bytes.size() > kMostBytes || bytes.size() % kInstructionBytes != 0) {
            return Error{ErrorKind::kMalformed,
                         name + ": " + std::string(title) + " is not a list of at most 2^20 instructions", next};
        }
        Code code;
        code.registers = section.sh_info >> kRegistersShift;
        for (std::size_t at = 0; at < bytes.size(); at += kInstructionBytes) {
            code.instructions.push_back(
                decode_instruction(bytes.subspan(at).first<kInstructionBytes>(), at, capability));
        }
        if (const auto lines = rows->find(i); lines != rows->end()) {
            code.has_lines = true;
            put_lines(lines->second, code.instructions);
        }
        drop_padding(code.instructions);
        made.emplace(title.substr(kPrefix.size()), std::move(code));
    }
    return made;
}

}  // namespace kymo::gpu::sass
