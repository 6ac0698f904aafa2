// An ELF file (64 bits, little-endian) as a span of bytes.
//
// Contract: nothing is copied; the span must outlive the ElfFile and everything it returns. The bytes may be
// anything: no access leaves the span, every table is checked as a whole before use, and invalid parts give an
// ElfError or an empty span. Usable in signal handlers. Format: System V ABI, chapter 4; note layout: LSB 5.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <span>
#include <string_view>

namespace kymo::image {

enum class ElfError : std::uint8_t {
    kNone,
    kTooShort,
    kNotElf,
    kNot64Bit,
    kNotLittleEndian,
    kBadProgramHeaders,
    kBadSectionHeaders,
};

// One line without a full stop, to follow a file's name: "is not an ELF file".
const char* describe(ElfError error);

// The ELF header at the start of `bytes`, with the checks that everything else relies on.
ElfError read_header(std::span<const std::uint8_t> bytes, Elf64_Ehdr* header);

// The descriptor of the GNU build id in the contents of a note segment or section; empty if there is none.
std::span<const std::uint8_t> find_build_id(std::span<const std::uint8_t> notes, std::uint64_t alignment);

class ElfFile {
  public:
    static ElfError parse(std::span<const std::uint8_t> bytes, ElfFile* file);

    std::uint16_t machine() const { return header_.e_machine; }
    std::uint16_t type() const { return header_.e_type; }
    const Elf64_Ehdr& header() const { return header_; }

    std::size_t segment_count() const { return segments_; }
    Elf64_Phdr segment(std::size_t index) const;  // precondition: index < segment_count()
    std::size_t section_count() const { return sections_; }
    Elf64_Shdr section(std::size_t index) const;  // precondition: index < section_count()

    // The section's name; empty where the name table does not hold it.
    std::string_view name(const Elf64_Shdr& section) const;
    bool find_section(std::string_view name, Elf64_Shdr* section) const;
    // Its bytes in the file: empty for SHT_NOBITS and for a range outside the file.
    std::span<const std::uint8_t> contents(const Elf64_Shdr& section) const;
    std::span<const std::uint8_t> contents(const Elf64_Phdr& segment) const;

    std::span<const std::uint8_t> build_id() const;
    // The requested dynamic linker (PT_INTERP); empty if there is none.
    std::string_view interpreter() const;

  private:
    std::span<const std::uint8_t> slice(std::uint64_t offset, std::uint64_t size) const;

    std::span<const std::uint8_t> bytes_;
    Elf64_Ehdr header_{};
    std::size_t segments_ = 0;
    std::size_t sections_ = 0;
    std::span<const std::uint8_t> names_;
};

}  // namespace kymo::image
