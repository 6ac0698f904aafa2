#include "image/program_facts.h"

#include "base/native.h"
#include "elf_bytes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace kymo::image {
namespace {

using test::Bytes;

Bytes text(const std::string& content) {
    return {content.begin(), content.end()};
}

Bytes with_interpreter(std::uint16_t type, std::uint16_t machine) {
    const std::string linker = "/lib/ld.so";
    Bytes bytes = test::elf_with(type, machine, {test::segment(PT_INTERP, 64 + 56, linker.size() + 1)});
    bytes.insert(bytes.end(), linker.begin(), linker.end());
    bytes.push_back(0);
    return bytes;
}

TEST(ProgramFacts, OurselvesAreDynamic) {
    std::ifstream stream("/proc/self/exe", std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
    const ProgramFacts facts = describe_program(bytes);
    EXPECT_EQ(facts.kind, ProgramKind::kDynamic);
    EXPECT_EQ(facts.machine, processor::kMachine);
    EXPECT_FALSE(facts.interpreter.empty());
}

TEST(ProgramFacts, Dynamic) {
    for (const std::uint16_t type : {std::uint16_t{ET_EXEC}, std::uint16_t{ET_DYN}}) {
        const Bytes bytes = with_interpreter(type, EM_AARCH64);
        const ProgramFacts facts = describe_program(bytes);
        EXPECT_EQ(facts.kind, ProgramKind::kDynamic);
        EXPECT_EQ(facts.interpreter, "/lib/ld.so");
        EXPECT_STREQ(machine_name(facts.machine), "aarch64");
    }
}

TEST(ProgramFacts, StaticAndStaticPie) {
    EXPECT_EQ(describe_program(test::elf_with(ET_EXEC, EM_X86_64, {})).kind, ProgramKind::kStatic);
    Bytes bytes = test::elf_with(ET_DYN, EM_X86_64, {test::segment(PT_DYNAMIC, 120, 32)});
    test::put(bytes, 120, Elf64_Dyn{DT_FLAGS_1, {DF_1_PIE}});
    test::put(bytes, 136, Elf64_Dyn{DT_NULL, {0}});
    EXPECT_EQ(describe_program(bytes).kind, ProgramKind::kStatic);
    test::put(bytes, 120, Elf64_Dyn{DT_FLAGS_1, {DF_1_NOW}});
    EXPECT_EQ(describe_program(bytes).kind, ProgramKind::kLibrary);
}

TEST(ProgramFacts, Script) {
    const Bytes bytes = text("#! /usr/bin/env -S python3\nprint()\n");
    const ProgramFacts facts = describe_program(bytes);
    EXPECT_EQ(facts.kind, ProgramKind::kScript);
    EXPECT_EQ(facts.interpreter, "/usr/bin/env");
    EXPECT_EQ(describe_program(text("#!")).interpreter, "");
    EXPECT_EQ(describe_program(text("#!\n/bin/sh")).interpreter, "");
    const Bytes bare = text("#!/bin/sh");
    EXPECT_EQ(describe_program(bare).interpreter, "/bin/sh");
}

TEST(ProgramFacts, Foreign) {
    Bytes bytes = test::elf_with(ET_EXEC, EM_386, {});
    bytes[EI_CLASS] = ELFCLASS32;
    const ProgramFacts facts = describe_program(bytes);
    EXPECT_EQ(facts.kind, ProgramKind::kOther);
    EXPECT_EQ(facts.error, ElfError::kNot64Bit);
    EXPECT_STREQ(machine_name(facts.machine), "x86 (32 bits)");
    bytes[EI_CLASS] = ELFCLASS64;
    bytes[EI_DATA] = ELFDATA2MSB;
    bytes[18] = 0;
    bytes[19] = EM_S390;
    EXPECT_EQ(describe_program(bytes).machine, EM_S390);
}

TEST(ProgramFacts, OtherThings) {
    EXPECT_EQ(describe_program({}).kind, ProgramKind::kOther);
    EXPECT_EQ(describe_program(text("hello")).error, ElfError::kNotElf);
    EXPECT_EQ(describe_program(test::elf_with(ET_CORE, EM_X86_64, {})).kind, ProgramKind::kOther);
    EXPECT_EQ(describe_program(test::elf_with(ET_REL, EM_X86_64, {})).kind, ProgramKind::kOther);
}

}  // namespace
}  // namespace kymo::image
