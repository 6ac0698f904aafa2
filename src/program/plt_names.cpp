#include "program/plt_names.h"

#include "program/elf_sections.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <gelf.h>
#include <string>
#include <unordered_map>

namespace kymo::program {
namespace {

constexpr std::uint64_t kEntryBytes = 16;

template <typename T>
T load(std::span<const std::uint8_t> bytes, std::size_t at) {
    T value;
    std::memcpy(&value, &bytes[at], sizeof value);
    return value;
}

std::optional<std::uint64_t> x86_64_slot(std::span<const std::uint8_t> code, std::uint64_t address) {
    constexpr std::size_t kJump = 6;  // ff 25 and four bytes of displacement
    for (std::size_t at = 0; at + kJump <= code.size() && at <= 5; ++at) {
        if (code[at] == 0xff && code[at + 1] == 0x25) {
            const auto displacement = std::int64_t{load<std::int32_t>(code, at + 2)};
            return address + at + kJump + static_cast<std::uint64_t>(displacement);
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> aarch64_slot(std::span<const std::uint8_t> code, std::uint64_t address) {
    for (std::size_t at = 0; at + 8 <= code.size() && at <= 4; at += 4) {
        const auto page = load<std::uint32_t>(code, at);
        const auto fetch = load<std::uint32_t>(code, at + 4);
        // adrp x16, page; ldr x17, [x16, #offset]
        if ((page & 0x9f00001fU) != 0x90000010U || (fetch & 0xffc003ffU) != 0xf9400211U) {
            continue;
        }
        const std::uint32_t pages = ((page >> 5U) & 0x7ffffU) << 2U | ((page >> 29U) & 3U);
        const std::int64_t relative =
            static_cast<std::int64_t>(std::uint64_t{pages} << 43U) >> 31;  // 21 bits, × 4096
        return ((address + at) & ~0xfffULL) + static_cast<std::uint64_t>(relative) +
               std::uint64_t{(fetch >> 10U) & 0xfffU} * 8;
    }
    return std::nullopt;
}

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

std::optional<std::uint64_t> plt_slot(std::uint16_t machine, std::span<const std::uint8_t> code,
                                      std::uint64_t address) {
    switch (machine) {
        case EM_X86_64:
            return x86_64_slot(code, address);
        case EM_AARCH64:
            return aarch64_slot(code, address);
        default:
            return std::nullopt;
    }
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
