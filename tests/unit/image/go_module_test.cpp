// Where Go's functions and their data are counted from, found in a program's data and in its relocations.
#include "image/go_module.h"

#include "../go_bytes.h"

#include <elf.h>
#include <gtest/gtest.h>

namespace kymo::image::test {
namespace {

using go_test::append;
using go_test::Bytes;
using go_test::GoBytes;
using Layout = GoTable::Layout;

constexpr std::uint64_t kTable = 0x5000;
constexpr std::uint64_t kData = 0x9008;

Bytes one_function(Layout layout) {
    GoBytes made;
    made.layout = layout;
    made.has_text = false;
    made.functions = {{.name = "main.main", .begin = 0x1000, .depths = {{8, 0}}}};
    return made.made();
}

TEST(GoModule, IsFoundByItsContents) {
    for (const Layout layout : {Layout::k118, Layout::k120}) {
        const Bytes table = one_function(layout);
        // Another pointer to the table comes first, and nothing else of the description behind it.
        Bytes data;
        append(data, kTable);
        data.resize(512);
        const Bytes words = go_test::go_module_data(table, kTable, 0x401000, 0x7770);
        data.insert(data.end(), words.begin(), words.end());
        const GoPiece pieces[] = {{kData, data}};
        GoProgram program;
        program.table = {kTable, table};
        program.data = pieces;
        GoTable read;
        GoModule module;
        ASSERT_TRUE(open_go_table(program, &read, &module));
        EXPECT_EQ(module.text, 0x401000U);
        EXPECT_EQ(module.function_data, 0x7770U);
        EXPECT_EQ(read.begin(0), 0x401000U);
    }
}

TEST(GoModule, IsFoundWhereTheLoaderHasRelocatedIt) {
    constexpr std::uint64_t kBias = 0x555500000000;
    const Bytes table = one_function(Layout::k120);
    const Bytes words = go_test::go_module_data(table, kTable + kBias, 0x401000 + kBias, 0x7770 + kBias);
    const GoPiece pieces[] = {{kData, words}};
    GoProgram program;
    program.table = {kTable, table};
    program.data = pieces;
    program.relocated_by = kBias;
    const GoModule module = find_go_module(program);
    EXPECT_EQ(module.text, 0x401000U);
    EXPECT_EQ(module.function_data, 0x7770U);
}

TEST(GoModule, IsFoundByRelocationsWhereAddressesAreNotInTheFile) {
    const Bytes table = one_function(Layout::k120);
    Bytes words = go_test::go_module_data(table, kTable, 0x401000, 0x7770);
    Bytes relocations;
    for (std::size_t at = 0; at < words.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, &words[at], 8);
        if (word != 0 && at / 8 != 17) {  // the length is no address
            append(relocations,
                   Elf64_Rela{.r_offset = kData + at, .r_info = R_X86_64_RELATIVE, .r_addend = Elf64_Sxword(word)});
            std::memset(&words[at], 0, 8);
        }
    }
    const GoPiece pieces[] = {{kData, words}};
    GoProgram program;
    program.table = {kTable, table};
    program.data = pieces;
    program.relocations = relocations;
    const GoModule module = find_go_module(program);
    EXPECT_EQ(module.text, 0x401000U);
    EXPECT_EQ(module.function_data, 0x7770U);
}

TEST(GoModule, IsNotKnownWhereOneOfItsWordsDiffers) {
    const Bytes table = one_function(Layout::k120);
    for (const std::size_t word : {1U, 4U, 7U, 10U, 13U, 17U}) {
        Bytes words = go_test::go_module_data(table, kTable, 0x401000, 0x7770);
        ++words[word * 8];
        const GoPiece pieces[] = {{kData, words}};
        GoProgram program;
        program.table = {kTable, table};
        program.data = pieces;
        EXPECT_EQ(find_go_module(program).text, 0U) << word;
    }
    GoProgram cut;
    const Bytes words = go_test::go_module_data(table, kTable, 0x401000, 0x7770);
    const GoPiece pieces[] = {{kData, std::span(words).first(words.size() - 1)}};
    cut.table = {kTable, table};
    cut.data = pieces;
    EXPECT_EQ(find_go_module(cut).text, 0U);
}

}  // namespace
}  // namespace kymo::image::test
