#include "program/elf_sections.h"

#include <string_view>

namespace kymo::program {
namespace {

// The first section that `wanted` (of name and header) accepts and `take` (of the section) does not refuse.
template <typename Wanted, typename Take>
std::optional<Section> find_section(Dwfl_Module* module, Wanted&& wanted, Take&& take) {
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &bias);
    std::size_t names = 0;
    if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) {
        return std::nullopt;
    }
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr) {
            continue;
        }
        const char* name = elf_strptr(elf, names, header.sh_name);
        if (name == nullptr || !wanted(std::string_view(name), header)) {
            continue;
        }
        Section found{
            .name = name, .address = header.sh_addr, .bytes = {}, .type = header.sh_type, .flags = header.sh_flags};
        const Elf_Data* data = header.sh_type == SHT_NOBITS ? nullptr : elf_rawdata(section, nullptr);
        if (data != nullptr && data->d_buf != nullptr) {
            found.bytes = {static_cast<const std::uint8_t*>(data->d_buf), data->d_size};
        }
        if (take(found)) {
            return found;
        }
    }
    return std::nullopt;
}

constexpr auto kTakeAny = [](const Section&) { return true; };

}  // namespace

std::optional<Section> section_named(Dwfl_Module* module, const char* name) {
    return find_section(module, [&](std::string_view is, const GElf_Shdr&) { return is == name; }, kTakeAny);
}

std::optional<Section> section_at(Dwfl_Module* module, std::uint64_t offset) {
    return find_section(
        module,
        [&](std::string_view, const GElf_Shdr& header) {
            return (header.sh_flags & SHF_ALLOC) != 0 && header.sh_addr <= offset &&
                   offset - header.sh_addr < header.sh_size;
        },
        kTakeAny);
}

std::vector<Section> loaded_sections(Dwfl_Module* module) {
    std::vector<Section> sections;
    find_section(
        module, [](std::string_view, const GElf_Shdr& header) { return (header.sh_flags & SHF_ALLOC) != 0; },
        [&](const Section& section) {
            sections.push_back(section);
            return false;
        });
    return sections;
}

}  // namespace kymo::program
