#include "confirm/imports.h"

#include "image/dynamic_symbols.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string_view>
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
    image::each_dynamic_symbol(file, [&](const Elf64_Sym& symbol, std::string_view name) {
        if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
            names.emplace(name);
        }
    });
    return names;
}

}  // namespace kymo::confirm
