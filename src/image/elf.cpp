#include "image/elf.h"

#include <cstring>

namespace kymo::image {

namespace {

template <typename T>
T read_as(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

// Whether [offset, offset + count * size) lies in `bytes`, without overflow.
bool table_fits(std::span<const std::uint8_t> bytes, std::uint64_t offset, std::uint64_t count, std::uint64_t size) {
    return offset <= bytes.size() && count <= (bytes.size() - offset) / size;
}

}  // namespace

const char* describe(ElfError error) {
    switch (error) {
        case ElfError::kNone:
            return "is an ELF file";
        case ElfError::kTooShort:
            return "is too short for an ELF file";
        case ElfError::kNotElf:
            return "is not an ELF file";
        case ElfError::kNot64Bit:
            return "is not a 64-bit ELF file";
        case ElfError::kNotLittleEndian:
            return "is a big-endian ELF file";
        case ElfError::kBadProgramHeaders:
            return "has program headers outside the file";
        case ElfError::kBadSectionHeaders:
            return "has section headers outside the file";
    }
    return "is not an ELF file";
}

ElfError read_header(std::span<const std::uint8_t> bytes, Elf64_Ehdr* header) {
    if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
        return bytes.size() < SELFMAG ? ElfError::kTooShort : ElfError::kNotElf;
    }
    if (bytes.size() < EI_NIDENT) {
        return ElfError::kTooShort;
    }
    if (bytes[EI_CLASS] != ELFCLASS64) {
        return ElfError::kNot64Bit;
    }
    if (bytes[EI_DATA] != ELFDATA2LSB) {
        return ElfError::kNotLittleEndian;
    }
    if (bytes.size() < sizeof(Elf64_Ehdr)) {
        return ElfError::kTooShort;
    }
    *header = read_as<Elf64_Ehdr>(bytes.data());
    return ElfError::kNone;
}

std::span<const std::uint8_t> find_build_id(std::span<const std::uint8_t> notes, std::uint64_t alignment) {
    // Notes are aligned to 4 bytes, or to 8 if the segment requires it (then only the descriptor's end is affected
    // differently).
    const std::uint64_t align = alignment == 8 ? 8 : 4;
    const auto padded = [align](std::uint64_t size) { return (size + align - 1) & ~(align - 1); };
    while (notes.size() >= sizeof(Elf64_Nhdr)) {
        const auto note = read_as<Elf64_Nhdr>(notes.data());
        const std::uint64_t description = padded(sizeof(Elf64_Nhdr) + note.n_namesz);
        if (description > notes.size() || note.n_descsz > notes.size() - description) {
            return {};
        }
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz != 0 &&
            std::memcmp(notes.data() + sizeof(Elf64_Nhdr), "GNU", 4) == 0) {
            return notes.subspan(description, note.n_descsz);
        }
        const std::uint64_t end = padded(description + note.n_descsz);
        if (end >= notes.size()) {
            return {};
        }
        notes = notes.subspan(end);
    }
    return {};
}

ElfError ElfFile::parse(std::span<const std::uint8_t> bytes, ElfFile* file) {
    *file = ElfFile{};
    if (const ElfError error = read_header(bytes, &file->header_); error != ElfError::kNone) {
        return error;
    }
    file->bytes_ = bytes;
    const Elf64_Ehdr& header = file->header_;

    // Counts that do not fit their fields are kept in section 0 (System V ABI, "extended numbering").
    Elf64_Shdr first{};
    if (header.e_shoff != 0) {
        if (header.e_shentsize != sizeof(Elf64_Shdr) || !table_fits(bytes, header.e_shoff, 1, sizeof(Elf64_Shdr))) {
            return ElfError::kBadSectionHeaders;
        }
        first = read_as<Elf64_Shdr>(bytes.data() + header.e_shoff);
        const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
        if (!table_fits(bytes, header.e_shoff, count, sizeof(Elf64_Shdr))) {
            return ElfError::kBadSectionHeaders;
        }
        file->sections_ = static_cast<std::size_t>(count);
    }
    if (header.e_phoff != 0) {
        const std::uint64_t count = header.e_phnum != PN_XNUM ? header.e_phnum : first.sh_info;
        if (count != 0 && (header.e_phentsize != sizeof(Elf64_Phdr) ||
                           !table_fits(bytes, header.e_phoff, count, sizeof(Elf64_Phdr)))) {
            return ElfError::kBadProgramHeaders;
        }
        file->segments_ = static_cast<std::size_t>(count);
    }
    const std::size_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
    if (names != SHN_UNDEF && names < file->sections_) {
        file->names_ = file->contents(file->section(names));
    }
    return ElfError::kNone;
}

Elf64_Phdr ElfFile::segment(std::size_t index) const {
    return read_as<Elf64_Phdr>(bytes_.data() + header_.e_phoff + index * sizeof(Elf64_Phdr));
}

Elf64_Shdr ElfFile::section(std::size_t index) const {
    return read_as<Elf64_Shdr>(bytes_.data() + header_.e_shoff + index * sizeof(Elf64_Shdr));
}

std::span<const std::uint8_t> ElfFile::slice(std::uint64_t offset, std::uint64_t size) const {
    return table_fits(bytes_, offset, size, 1) ? bytes_.subspan(offset, size) : std::span<const std::uint8_t>{};
}

std::span<const std::uint8_t> ElfFile::contents(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::span<const std::uint8_t>{}
                                         : slice(section.sh_offset, section.sh_size);
}

std::span<const std::uint8_t> ElfFile::contents(const Elf64_Phdr& segment) const {
    return slice(segment.p_offset, segment.p_filesz);
}

std::string_view ElfFile::name(const Elf64_Shdr& section) const {
    if (section.sh_name >= names_.size()) {
        return {};
    }
    const auto* text = reinterpret_cast<const char*>(names_.data()) + section.sh_name;
    const std::size_t room = names_.size() - section.sh_name;
    const void* end = std::memchr(text, 0, room);
    return end == nullptr ? std::string_view{}
                          : std::string_view(text, static_cast<std::size_t>(static_cast<const char*>(end) - text));
}

bool ElfFile::find_section(std::string_view wanted, Elf64_Shdr* found) const {
    for (std::size_t i = 0; i < sections_; ++i) {
        const Elf64_Shdr candidate = section(i);
        if (name(candidate) == wanted) {
            *found = candidate;
            return true;
        }
    }
    return false;
}

std::span<const std::uint8_t> ElfFile::build_id() const {
    for (std::size_t i = 0; i < segments_; ++i) {
        const Elf64_Phdr candidate = segment(i);
        if (candidate.p_type == PT_NOTE) {
            if (const auto id = find_build_id(contents(candidate), candidate.p_align); !id.empty()) {
                return id;
            }
        }
    }
    // Relocatable files have no segments.
    for (std::size_t i = 0; segments_ == 0 && i < sections_; ++i) {
        const Elf64_Shdr candidate = section(i);
        if (candidate.sh_type == SHT_NOTE) {
            if (const auto id = find_build_id(contents(candidate), candidate.sh_addralign); !id.empty()) {
                return id;
            }
        }
    }
    return {};
}

std::string_view ElfFile::interpreter() const {
    for (std::size_t i = 0; i < segments_; ++i) {
        const Elf64_Phdr candidate = segment(i);
        if (candidate.p_type == PT_INTERP) {
            const auto text = contents(candidate);
            const auto* begin = reinterpret_cast<const char*>(text.data());
            return {begin, text.empty() ? 0 : strnlen(begin, text.size())};
        }
    }
    return {};
}

}  // namespace kymo::image
