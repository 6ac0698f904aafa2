#include "image/elf.h"

#include "elf_bytes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace kymo::image {
namespace {

using test::Bytes;

ElfError parse_error(const Bytes& bytes) {
    ElfFile file;
    return ElfFile::parse(bytes, &file);
}

TEST(Elf, RealFile) {
    std::ifstream stream(KYMO_SUBJECT, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
    ElfFile file;
    ASSERT_EQ(ElfFile::parse(bytes, &file), ElfError::kNone);
    EXPECT_EQ(file.type(), ET_DYN);
    EXPECT_EQ(file.build_id().size(), 20U);
    EXPECT_EQ(file.build_id()[0], 0x01);
    EXPECT_EQ(file.build_id()[19], 0x67);
    EXPECT_TRUE(file.interpreter().empty());
    Elf64_Shdr text;
    ASSERT_TRUE(file.find_section(".text", &text));
    EXPECT_EQ(file.contents(text).size(), text.sh_size);
    EXPECT_FALSE(file.find_section(".tex", &text));
    Elf64_Shdr zeros;
    ASSERT_TRUE(file.find_section(".bss", &zeros));
    EXPECT_TRUE(file.contents(zeros).empty());
}

TEST(Elf, EveryCutOfARealFileIsRefusedOrRead) {
    std::ifstream stream(KYMO_SUBJECT, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
    for (std::size_t size = 0; size < bytes.size(); size += size < 512 ? 1 : 61) {
        const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_NE(parse_error(cut), ElfError::kNone) << size;  // the section headers stand at the end
    }
}

TEST(Elf, WhatIsWrongIsSaid) {
    EXPECT_EQ(parse_error({}), ElfError::kTooShort);
    EXPECT_EQ(parse_error({0x7F, 'E', 'L'}), ElfError::kTooShort);
    EXPECT_EQ(parse_error(Bytes(64, 'x')), ElfError::kNotElf);
    Bytes bytes = test::elf_with(ET_EXEC, EM_X86_64, {});
    EXPECT_EQ(parse_error(bytes), ElfError::kNone);
    bytes[EI_CLASS] = ELFCLASS32;
    EXPECT_EQ(parse_error(bytes), ElfError::kNot64Bit);
    bytes[EI_CLASS] = ELFCLASS64;
    bytes[EI_DATA] = ELFDATA2MSB;
    EXPECT_EQ(parse_error(bytes), ElfError::kNotLittleEndian);
    bytes[EI_DATA] = ELFDATA2LSB;
    bytes.resize(63);
    EXPECT_EQ(parse_error(bytes), ElfError::kTooShort);
    for (const ElfError error :
         {ElfError::kTooShort, ElfError::kNotElf, ElfError::kNot64Bit, ElfError::kNotLittleEndian,
          ElfError::kBadProgramHeaders, ElfError::kBadSectionHeaders}) {
        EXPECT_STRNE(describe(error), describe(ElfError::kNone));
    }
}

TEST(Elf, TablesOutsideTheFile) {
    Elf64_Ehdr header = test::header_of(ET_EXEC, EM_X86_64);
    const auto with = [&header] {
        Bytes bytes;
        test::put(bytes, 0, header);
        return parse_error(bytes);
    };
    header.e_phoff = 64;
    header.e_phnum = 1;
    EXPECT_EQ(with(), ElfError::kBadProgramHeaders);
    header.e_phoff = ~std::uint64_t{0} - 8;
    EXPECT_EQ(with(), ElfError::kBadProgramHeaders);
    header.e_phoff = 0;
    header.e_shoff = ~std::uint64_t{0} - 8;
    EXPECT_EQ(with(), ElfError::kBadSectionHeaders);
    header.e_shoff = 32;
    EXPECT_EQ(with(), ElfError::kBadSectionHeaders);
}

TEST(Elf, ExtendedNumbering) {
    // More sections than the header's field holds: the count stands in section 0.
    Elf64_Ehdr header = test::header_of(ET_REL, EM_X86_64);
    header.e_shoff = sizeof(header);
    header.e_shnum = 0;
    header.e_shstrndx = SHN_XINDEX;
    Elf64_Shdr first{};
    first.sh_size = 3;
    first.sh_link = 2;
    Elf64_Shdr second{};
    second.sh_name = 1;
    Elf64_Shdr names{};
    names.sh_type = SHT_STRTAB;
    names.sh_offset = sizeof(header) + 3 * sizeof(Elf64_Shdr);
    names.sh_size = 7;
    Bytes bytes;
    test::put(bytes, 0, header);
    test::put(bytes, sizeof(header), first);
    test::put(bytes, sizeof(header) + sizeof(first), second);
    test::put(bytes, sizeof(header) + 2 * sizeof(first), names);
    for (const char letter : {'\0', '.', 'm', 'a', 'n', 'y', '\0'}) {
        bytes.push_back(static_cast<std::uint8_t>(letter));
    }
    ElfFile file;
    ASSERT_EQ(ElfFile::parse(bytes, &file), ElfError::kNone);
    EXPECT_EQ(file.section_count(), 3U);
    Elf64_Shdr found;
    EXPECT_TRUE(file.find_section(".many", &found));

    first.sh_size = std::uint64_t{1} << 60U;
    test::put(bytes, sizeof(header), first);
    EXPECT_EQ(parse_error(bytes), ElfError::kBadSectionHeaders);
}

TEST(Elf, SectionNamesWithoutAnEnd) {
    Bytes bytes;
    Elf64_Ehdr header = test::header_of(ET_REL, EM_X86_64);
    header.e_shoff = sizeof(header);
    header.e_shnum = 1;
    header.e_shstrndx = 0;
    test::put(bytes, 0, header);
    Elf64_Shdr section{};
    section.sh_name = 0xFFFFFFFF;
    test::put(bytes, sizeof(header), section);
    ElfFile file;
    ASSERT_EQ(ElfFile::parse(bytes, &file), ElfError::kNone);
    EXPECT_TRUE(file.name(file.section(0)).empty());
}

TEST(BuildId, AmongOtherNotes) {
    Bytes notes;
    test::put(notes, 0, Elf64_Nhdr{4, 8, NT_GNU_PROPERTY_TYPE_0});
    test::put(notes, 12, std::uint32_t{0x00554E47});
    test::put(notes, 16, std::uint64_t{1});
    test::put(notes, 24, Elf64_Nhdr{4, 3, NT_GNU_BUILD_ID});
    test::put(notes, 36, std::uint32_t{0x00554E47});
    test::put(notes, 40, std::uint32_t{0x00CCBBAA});
    const auto id = find_build_id(notes, 4);
    ASSERT_EQ(id.size(), 3U);
    EXPECT_EQ(id[2], 0xCC);
    notes.resize(42);  // cut in the middle of the descriptor
    EXPECT_TRUE(find_build_id(notes, 4).empty());
}

TEST(BuildId, SizesThatWrapAround) {
    Bytes notes;
    test::put(notes, 0, Elf64_Nhdr{0xFFFFFFFF, 0xFFFFFFFF, NT_GNU_BUILD_ID});
    notes.resize(64);
    EXPECT_TRUE(find_build_id(notes, 4).empty());
    EXPECT_TRUE(find_build_id(notes, 8).empty());
}

}  // namespace
}  // namespace kymo::image
