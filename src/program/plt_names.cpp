#include "program/plt_names.h"

#include "program/elf_sections.h"
#include "program/flow/decode.h"

#include <algorithm>
#include <elf.h>
#include <gelf.h>
#include <string>
#include <unordered_map>

namespace kymo::program {
namespace {

constexpr std::uint64_t kEntryBytes = 16;

// Table slot → the symbol that the loader puts there.
std::unordered_map<std::uint64_t, std::string> slot_names(Elf* elf) {
    std::unordered_map<std::uint64_t, std::string> slots;
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_RELA || header.sh_entsize == 0 ||
            (header.sh_flags & SHF_ALLOC) == 0) {
            continue;
        }
        Elf_Scn* symbol_section = elf_getscn(elf, header.sh_link);
        GElf_Shdr symbol_header;
        Elf_Data* relocations = elf_getdata(section, nullptr);
        Elf_Data* symbols = symbol_section == nullptr ? nullptr : elf_getdata(symbol_section, nullptr);
        if (relocations == nullptr || symbols == nullptr || gelf_getshdr(symbol_section, &symbol_header) == nullptr) {
            continue;
        }
        const auto count = static_cast<int>(std::min<std::uint64_t>(header.sh_size / header.sh_entsize, 1U << 24U));
        for (int i = 0; i < count; ++i) {
            GElf_Rela relocation;
            GElf_Sym symbol;
            if (gelf_getrela(relocations, i, &relocation) == nullptr) {
                break;
            }
            const auto index = static_cast<int>(GELF_R_SYM(relocation.r_info));
            if (index == 0 || gelf_getsym(symbols, index, &symbol) == nullptr) {
                continue;
            }
            if (const char* name = elf_strptr(elf, symbol_header.sh_link, symbol.st_name); name != nullptr) {
                slots.try_emplace(relocation.r_offset, name);
            }
        }
    }
    return slots;
}

}  // namespace

// An address is put into a register and loaded from, or jumped through as it is.
std::optional<std::uint64_t> plt_slot(std::uint16_t machine, std::span<const std::uint8_t> code,
                                      std::uint64_t address) {
    const Decoder* const decoder = decoder_for(machine);
    std::uint8_t reg = kNoRegister;
    std::uint64_t value = 0;  // of the register
    Instruction in;
    for (std::size_t at = 0; decoder != nullptr && at < code.size(); at += in.length) {
        if (!decoder->decode(code.subspan(at), address + at, &in)) {
            break;
        }
        const MemoryOperand& operand = in.memory[0];
        if (in.kind == InstructionKind::kIndirectJump && in.memory_operands == 1 && operand.image_relative) {
            return static_cast<std::uint64_t>(operand.displacement);
        }
        if (in.operation == Operation::kLoad && reg != kNoRegister && operand.base == reg) {
            return value + static_cast<std::uint64_t>(operand.displacement);
        }
        if (in.kind != InstructionKind::kPlain) {
            break;
        }
        if (in.operation == Operation::kSum && in.source == kNoRegister && in.source2 == kNoRegister) {
            reg = in.destination;
            value = static_cast<std::uint64_t>(in.constant);
        } else if (reg != kNoRegister && (in.writes >> reg & 1U) != 0) {
            reg = kNoRegister;
        }
    }
    return std::nullopt;
}

void name_by_plt(Dwfl_Module* module, std::string_view module_name, std::span<Wanted> wanted, CodeNames& names) {
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &bias);
    GElf_Ehdr header;
    if (elf == nullptr || gelf_getehdr(elf, &header) == nullptr) {
        return;
    }
    std::unordered_map<std::uint64_t, std::string> slots;
    bool is_read = false;
    for (Wanted& one : wanted) {
        if (!one.frames.empty()) {
            continue;
        }
        const auto section = section_at(module, one.offset);
        if (!section || !section->name.starts_with(".plt") || section->bytes.empty()) {
            continue;
        }
        if (!is_read) {
            slots = slot_names(elf);
            is_read = true;
        }
        // Entries of .plt.got may be 8 bytes; its section address is the grid's origin in every case.
        const std::uint64_t grid = section->name == ".plt.got" && header.e_machine == EM_X86_64 ? 8 : kEntryBytes;
        const std::uint64_t begin = (one.offset - section->address) / grid * grid;
        std::optional<std::uint64_t> slot;
        if (begin < section->bytes.size()) {
            const std::size_t length = std::min<std::size_t>(kEntryBytes, section->bytes.size() - begin);
            slot = plt_slot(header.e_machine, section->bytes.subspan(begin, length), section->address + begin);
        }
        const auto found = slot ? slots.find(*slot) : slots.end();
        const std::string name = found == slots.end() ? "[linkage table]" : found->second + "@plt";
        const std::uint32_t function =
            names.function({.name = name, .module = std::string(module_name), .source = NameSource::kPlt});
        one.frames.push_back({.function = function});
    }
}

}  // namespace kymo::program
