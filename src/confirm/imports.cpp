#include "confirm/imports.h"

#include "image/elf.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <vector>

namespace kymo::confirm {

std::set<std::string, std::less<>> imported_functions(const std::string& path) {
    std::set<std::string, std::less<>> names;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return names;
    }
    std::ifstream in(path, std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
    image::ElfFile file;
    if (image::ElfFile::parse(bytes, &file) != image::ElfError::kNone) {
        return names;
    }
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
            if (symbol.st_shndx == SHN_UNDEF && symbol.st_name < text.size() &&
                ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
                const auto* const name = reinterpret_cast<const char*>(text.data()) + symbol.st_name;
                names.emplace(name, strnlen(name, text.size() - symbol.st_name));
            }
        }
    }
    return names;
}

}  // namespace kymo::confirm
