// The symbols by which a file is linked with others when it is loaded.
#pragma once

#include "image/elf.h"

#include <cstring>
#include <string_view>

namespace kymo::image {

// Calls visit(symbol, name) for each of the file's dynamic symbol tables, in their order; symbols whose name lies
// outside the table of names are left out. The name lives as long as the file's bytes. Format: System V ABI,
// chapter 4.
template <typename Visit>
void each_dynamic_symbol(const ElfFile& file, const Visit& visit) {
    for (std::size_t i = 0; i < file.section_count(); ++i) {
        const Elf64_Shdr section = file.section(i);
        if (section.sh_type != SHT_DYNSYM || section.sh_link >= file.section_count()) {
            continue;
        }
        const auto table = file.contents(section);
        const auto text = file.contents(file.section(section.sh_link));
        for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, table.data() + at, sizeof symbol);
            if (symbol.st_name < text.size()) {
                const auto* const name = reinterpret_cast<const char*>(text.data()) + symbol.st_name;
                visit(symbol, std::string_view(name, strnlen(name, text.size() - symbol.st_name)));
            }
        }
    }
}

}  // namespace kymo::image
