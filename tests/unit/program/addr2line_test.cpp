// Against addr2line (binutils), over every few bytes of programs that the test compiles.
#include "compiled_sample.h"
#include "program/demangle.h"

namespace kymo::program::test {
namespace {

std::string tidy(std::string place) {
    place = place.substr(0, place.find(" (discriminator"));
    if (place.starts_with("?") || place.ends_with(":?") || place.ends_with(":0")) {
        return "?";
    }
    return fs::path(place).filename().string();
}

// Same place; same function. One without a linker name has only its last component in addr2line, or its
// symbol, or, in the innermost frame, wrongly the symbol of the function around it: the place alone counts then.
bool agree(const std::string& found, const std::vector<std::string>& expected, std::size_t depth) {
    const auto split = [](const std::string& text) {
        const std::size_t bar = text.rfind('|');
        return std::pair(text.substr(0, bar), text.substr(bar));
    };
    const auto [name, place] = split(found);
    const auto [their_name, their_place] = split(expected[depth]);
    if (place != their_place) {
        return false;
    }
    const bool is_bare = name.find('(', name.rfind(')') + 1) == std::string::npos && !name.ends_with(")");
    return name == their_name || name == short_name(their_name) || name.ends_with("::" + their_name) ||
           ((is_bare || name.ends_with("operator()")) && depth == 0);
}

// "function|file:line" a frame, innermost first, as addr2line has it; file names without folders.
std::vector<std::vector<std::string>> addr2line(const fs::path& file, const std::vector<ImageOffset>& offsets) {
    const fs::path list = file.parent_path() / "addresses";
    {
        std::ofstream out(list);
        for (const ImageOffset offset : offsets) {
            out << std::hex << raw(offset) << "\n";
        }
    }
    std::istringstream rows(run("addr2line -a -i -f -C -e '" + file.string() + "' < '" + list.string() + "'").output);
    std::vector<std::vector<std::string>> all;
    std::string function;
    for (std::string row; std::getline(rows, row);) {
        if (row.starts_with("0x")) {
            all.emplace_back();
            function.clear();
        } else if (function.empty()) {
            function = row;
        } else {
            all.back().push_back(function + "|" + tidy(row));
            function.clear();
        }
    }
    return all;
}

std::vector<std::string> ours(const Symbols& symbols, std::size_t index) {
    std::vector<std::string> frames;
    for (const Frame& frame : symbols.images[0].at(index)) {
        const Function& function = symbols.functions[frame.function];
        frames.insert(frames.begin(), function.name + "|" +
                                          (frame.line == 0 ? std::string("?")
                                                           : fs::path(symbols.files[frame.file]).filename().string() +
                                                                 ":" + std::to_string(frame.line)));
    }
    return frames;
}

// Those functions that `ours` names out of debug information must agree with addr2line, frame by frame.
void compare(const fs::path& file, const fs::path& oracle, std::size_t at_least) {
    const auto offsets = offsets_of(file);
    const Symbols symbols = ask(file, offsets);
    const auto expected = addr2line(oracle, offsets);
    ASSERT_EQ(expected.size(), offsets.size());
    std::size_t compared = 0;
    std::size_t inlined = 0;
    std::size_t padding = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const auto frames = symbols.images[0].at(i);
        ASSERT_FALSE(frames.empty());
        if (symbols.functions[frames[0].function].source != NameSource::kDebugInfo) {
            // In the padding behind a function addr2line goes on with its last line.
            padding += expected[i].size() == 1 && expected[i][0].ends_with("|?") ? 0 : 1;
            continue;
        }
        const auto found = ours(symbols, i);
        ASSERT_EQ(found.size(), expected[i].size()) << std::hex << raw(offsets[i]);
        for (std::size_t depth = 0; depth < found.size(); ++depth) {
            EXPECT_TRUE(agree(found[depth], expected[i], depth))
                << found[depth] << " is not " << expected[i][depth] << std::hex << " at " << raw(offsets[i]);
        }
        ++compared;
        inlined += frames.size() >= 3 ? 1 : 0;
        if (::testing::Test::HasFailure()) {
            break;
        }
    }
    EXPECT_GE(compared, at_least);
    EXPECT_LE(padding, compared / 8);
    EXPECT_GE(inlined, 10U) << "deep::outermost should hold chains of inlined functions";
}

TEST_F(Symbolize, AgreesWithAddr2lineOnDwarf5) {
    const fs::path file = compile("-O2 -g -gdwarf-5");
    compare(file, file, 100);
}

TEST_F(Symbolize, AgreesWithAddr2lineOnDwarf4) {
    const fs::path file = compile("-O2 -g -gdwarf-4");
    compare(file, file, 100);
}

TEST_F(Symbolize, AgreesWithAddr2lineOnCompressedSections) {
    const fs::path file = compile("-O2 -g -gz");
    compare(file, file, 100);
}

TEST_F(Symbolize, AgreesWithAddr2lineWithoutOptimisation) {
    const fs::path file = compile("-O0 -g -gdwarf-4");
    compare(file, file, 100);
}

TEST_F(Symbolize, FindsTheRangesOfUnitsWithoutAnAddressTable) {
    const fs::path file = compile("-O2 -g");
    EXPECT_EQ(run("objcopy --remove-section .debug_aranges '" + file.string() + "'").status, 0);
    compare(file, file, 100);
}

TEST_F(Symbolize, ReadsASeparateDebugFile) {
    const fs::path file = compile("-O2 -g");
    const std::string command =
        "cd '" + folder_.string() +
        "' && cp sample whole && objcopy --only-keep-debug sample sample.debug && strip sample && "
        "objcopy --add-gnu-debuglink=sample.debug sample";
    ASSERT_EQ(run(command).status, 0);
    compare(file, folder_ / "whole", 100);
}

}  // namespace
}  // namespace kymo::program::test
