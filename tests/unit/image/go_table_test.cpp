// Go's function table, in tables made by hand of each layout, and in the same with every byte damaged.
#include "image/go_table.h"

#include "../go_bytes.h"

#include <gtest/gtest.h>

namespace kymo::image::test {
namespace {

using go_test::Bytes;
using go_test::GoBytes;
using Layout = GoTable::Layout;

constexpr Layout kLayouts[] = {Layout::k12, Layout::k116, Layout::k118, Layout::k120};

// Two functions; numbers of files begin with 1 in the oldest layout.
GoBytes two_functions(Layout layout) {
    const int first = layout == Layout::k12 ? 1 : 0;
    GoBytes made;
    made.layout = layout;
    made.files = {"/src/main.go", "/src/other.go"};
    made.functions = {
        {.name = "main.work",
         .begin = 0x1000,
         .depths = {{4, 0}, {0x70, 24}, {0x80, 0}},
         .lines = {{0x10, 12}, {0x40, 14}, {0x80, 13}},
         .files = {{0x80, first}},
         .line = 11},
        {.name = "runtime.goexit",
         .begin = 0x1100,
         .depths = {{0x20, 0}},
         .lines = {{0x20, 7}},
         .files = {{0x20, first + 1}},
         .flags = 1},
    };
    return made;
}

TEST(GoTable, HasFunctionsLinesAndFilesInEveryLayout) {
    for (const Layout layout : kLayouts) {
        SCOPED_TRACE(static_cast<int>(layout));
        GoBytes made = two_functions(layout);
        const Bytes bytes = made.made();
        GoTable table;
        ASSERT_TRUE(GoTable::read(bytes, 0, 0, &table));
        EXPECT_EQ(table.layout(), layout);
        ASSERT_EQ(table.size(), 2U);
        GoFunction function;
        ASSERT_TRUE(table.function_at(0x1045, &function));
        EXPECT_EQ(table.name(function.name), "main.work");
        EXPECT_EQ(function.begin, 0x1000U);
        EXPECT_EQ(function.end, 0x1100U);
        EXPECT_FALSE(function.is_outermost);
        EXPECT_EQ(table.line_at(function, 0x1000), 12U);
        EXPECT_EQ(table.line_at(function, 0x1010), 14U);
        EXPECT_EQ(table.line_at(function, 0x107F), 13U);
        EXPECT_EQ(table.line_at(function, 0x1080), 0U);
        EXPECT_EQ(table.file_at(function, 0x1045), "/src/main.go");
        EXPECT_EQ(table.value_at(function, function.depths, 0x1003), 0);
        EXPECT_EQ(table.value_at(function, function.depths, 0x1004), 24);
        EXPECT_EQ(function.line, layout == Layout::k120 ? 11U : 0U);

        ASSERT_TRUE(table.function_at(0x1100, &function));
        EXPECT_EQ(table.name(function.name), "runtime.goexit");
        EXPECT_EQ(table.file_at(function, 0x1100), "/src/other.go");
        EXPECT_EQ(function.is_outermost, layout >= Layout::k116);
        EXPECT_FALSE(table.function_at(0xFFF, &function));
        EXPECT_FALSE(table.function_at(0x2000, &function));
    }
}

TEST(GoTable, CountsFromWhereItIsTold) {
    GoBytes made = two_functions(Layout::k120);
    made.has_text = false;
    const Bytes bytes = made.made();
    GoTable table;
    EXPECT_FALSE(GoTable::read(bytes, 0, 0, &table));
    ASSERT_TRUE(GoTable::read(bytes, 0, 0x501000, &table));
    GoFunction function;
    ASSERT_TRUE(table.function_at(0x501045, &function));
    EXPECT_EQ(table.name(function.name), "main.work");
}

TEST(GoTable, TakesOffWhatTheLoaderHasAdded) {
    for (const Layout layout : kLayouts) {
        GoBytes made = two_functions(layout);
        constexpr std::uint64_t kBias = 0x7F0000000000;
        made.text += kBias;
        made.end += kBias;
        for (auto& function : made.functions) {
            function.begin += kBias;
        }
        const Bytes bytes = made.made();
        GoTable table;
        ASSERT_TRUE(GoTable::read(bytes, kBias, 0, &table));
        GoFunction function;
        EXPECT_TRUE(table.function_at(0x1045, &function));
    }
}

TEST(GoTable, CountsCodeInUnits) {
    GoBytes made = two_functions(Layout::k120);
    made.quantum = 4;
    const Bytes bytes = made.made();
    GoTable table;
    ASSERT_TRUE(GoTable::read(bytes, 0, 0, &table));
    GoFunction function;
    ASSERT_TRUE(table.function_at(0x1000, &function));
    EXPECT_EQ(table.value_at(function, function.depths, 0x1003), 0);
    EXPECT_EQ(table.value_at(function, function.depths, 0x1004), 24);
    EXPECT_EQ(table.value_at(function, function.depths, 0x107F), 0);
}

TEST(GoTable, FindsItselfAmongOtherData) {
    GoBytes made = two_functions(Layout::k118);
    Bytes bytes(64, 0xFF);
    const Bytes table = made.made();
    bytes.insert(bytes.end(), table.begin(), table.end());
    EXPECT_EQ(GoTable::find(bytes), 64U);
    bytes[64] = 0;
    EXPECT_EQ(GoTable::find(bytes), GoTable::kNowhere);
}

TEST(GoTable, RefusesWhatItDoesNotUnderstand) {
    GoBytes made = two_functions(Layout::k120);
    const Bytes bytes = made.made();
    GoTable table;
    const auto with = [&](std::size_t at, std::uint8_t value) {
        Bytes changed = bytes;
        changed.at(at) = value;
        return GoTable::read(changed, 0, 0, &table);
    };
    EXPECT_FALSE(with(0, 0xF2));  // a later layout
    EXPECT_FALSE(with(4, 1));
    EXPECT_FALSE(with(6, 3));   // units of three bytes
    EXPECT_FALSE(with(7, 4));   // pointers of four
    EXPECT_FALSE(with(8, 0));   // no functions
    EXPECT_FALSE(with(15, 1));  // 2^56 of them
    EXPECT_EQ(table.size(), 0U);
    EXPECT_FALSE(GoTable::read({}, 0, 0, &table));
}

// Whatever is damaged, what it says stays in the bytes (the sanitizer sees that), and loops end.
TEST(GoTable, StaysInItsBytesWhateverTheyAre) {
    for (const Layout layout : kLayouts) {
        GoBytes made = two_functions(layout);
        const Bytes good = made.made();
        for (std::size_t at = 0; at < good.size(); ++at) {
            for (const std::uint8_t value : {std::uint8_t{0}, std::uint8_t{0x7F}, std::uint8_t{0xFF}}) {
                Bytes bytes = good;
                bytes[at] = value;
                bytes.resize(good.size() - at % 7);
                GoTable table;
                if (!GoTable::read(bytes, 0, 0, &table)) {
                    continue;
                }
                GoFunction function;
                for (std::size_t i = 0; i < table.size(); ++i) {
                    if (table.function(i, &function)) {
                        table.file_at(function, function.begin + 1);
                        table.line_at(function, function.end - 1);
                        table.name(function.name);
                        table.numbered_data(function, 3);
                        table.values(function, table.numbered_table(function, 2)).next();
                    }
                }
                table.function_at(0x1045, &function);
            }
        }
    }
}

}  // namespace
}  // namespace kymo::image::test
