// Small ELF files made by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <vector>

namespace kymo::image::test {

using Bytes = std::vector<std::uint8_t>;

template <typename T>
void put(Bytes& bytes, std::size_t at, const T& value) {
    if (bytes.size() < at + sizeof(T)) {
        bytes.resize(at + sizeof(T));
    }
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

inline Elf64_Ehdr header_of(std::uint16_t type, std::uint16_t machine) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = type;
    header.e_machine = machine;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    return header;
}

// Header and program headers; each segment's contents are where it says.
inline Bytes elf_with(std::uint16_t type, std::uint16_t machine, const std::vector<Elf64_Phdr>& segments) {
    Elf64_Ehdr header = header_of(type, machine);
    header.e_phoff = segments.empty() ? 0 : sizeof(header);
    header.e_phnum = static_cast<std::uint16_t>(segments.size());
    Bytes bytes;
    put(bytes, 0, header);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        put(bytes, sizeof(header) + i * sizeof(Elf64_Phdr), segments[i]);
    }
    return bytes;
}

inline Elf64_Phdr segment(std::uint32_t type, std::uint64_t offset, std::uint64_t size) {
    Elf64_Phdr header{};
    header.p_type = type;
    header.p_offset = offset;
    header.p_filesz = size;
    header.p_memsz = size;
    header.p_align = 4;
    return header;
}

}  // namespace kymo::image::test
