// Against addr2line (binutils), over every few bytes of programs that the test compiles.
#include "program/symbolize.h"

#include "program/demangle.h"

#include <cstdio>
#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kymo::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSource = R"(
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#define ALWAYS __attribute__((always_inline)) inline
#define NEVER __attribute__((noinline))
namespace deep {
ALWAYS double innermost(double x) {
    double y = x * 3.0;
    for (int i = 0; i < 4; ++i) {
        y += std::sqrt(y + i);
    }
    return y;
}
ALWAYS double middle(double x) {
    return innermost(x + 1) + innermost(x + 2);
}
NEVER double outermost(double x) {
    return middle(x) + middle(-x);
}
}  // namespace deep
namespace geometry {
struct Shape {
    virtual ~Shape() = default;
    virtual double area(double f) const { return deep::outermost(f); }
};
}  // namespace geometry
namespace {
struct Reader {
    NEVER int hidden(const char* text) const {
        return std::atoi(text) + static_cast<int>(std::strlen(text));
    }
};
}  // namespace
template <typename T>
NEVER T total(const std::vector<T>& all) {
    T sum{};
    for (const T& one : all) {
        sum += one;
    }
    return sum;
}
int main(int argc, char** argv) {
    struct Local { NEVER static int twice(int x) { return 2 * x + std::rand(); } };
    geometry::Shape shape;
    const auto add = [&](double x) { return shape.area(x) + 1; };
    std::vector<double> all(static_cast<std::size_t>(argc), add(argc));
    std::printf("%f %d %d\n", total(all), Reader().hidden(argv[0]), Local::twice(argc));
    return 0;
}
)";

struct Ran {
    int status = 0;
    std::string output;
};

Ran run(const std::string& command) {
    Ran ran;
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
        ran.output.append(buffer, got);
    }
    ran.status = ::pclose(pipe);
    return ran;
}

std::string build_id_of(const fs::path& file) {
    const std::string notes = run("readelf -n '" + file.string() + "'").output;
    const std::size_t at = notes.find("Build ID: ");
    std::string bytes;
    if (at != std::string::npos) {
        std::istringstream line(notes.substr(at + 10));
        std::string digits;
        line >> digits;
        for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
            bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
        }
    }
    return bytes;
}

struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

Span section_of(const fs::path& file, const std::string& name) {
    std::istringstream rows(run("readelf -SW '" + file.string() + "'").output);
    for (std::string row; std::getline(rows, row);) {
        const std::size_t at = row.find("] " + name + " ");
        if (at != std::string::npos) {
            std::istringstream fields(row.substr(at + 2));
            std::string ignored;
            std::uint64_t begin = 0;
            std::uint64_t size = 0;
            fields >> ignored >> ignored >> std::hex >> begin >> ignored >> size;
            return {begin, begin + size};
        }
    }
    return {};
}

class Symbolize : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "kymo-symbolize-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        std::ofstream(folder_ / "sample.cpp") << kSource;
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path compile(const std::string& flags) {
        const fs::path out = folder_ / "sample";
        const Ran ran = run("cd '" + folder_.string() + "' && " KYMO_TEST_CXX " -std=c++17 -Wl,--build-id " + flags +
                            " -o sample sample.cpp");
        EXPECT_EQ(ran.status, 0) << ran.output;
        return out;
    }

    // Every third byte of a section.
    static std::vector<ImageOffset> offsets_of(const fs::path& file, const std::string& section = ".text") {
        const Span span = section_of(file, section);
        EXPECT_LT(span.begin, span.end) << section;
        std::vector<ImageOffset> offsets;
        for (std::uint64_t at = span.begin; at < span.end; at += 3) {
            offsets.push_back(ImageOffset{at});
        }
        return offsets;
    }

    static Symbols ask(const fs::path& file, std::vector<ImageOffset> offsets) {
        const Request request{{file.string(), build_id_of(file), EM_X86_64}, std::move(offsets)};
        return symbolize({&request, 1});
    }

    // "function|file:line" a frame, innermost first, as addr2line has it; file names without folders.
    static std::vector<std::vector<std::string>> addr2line(const fs::path& file,
                                                           const std::vector<ImageOffset>& offsets) {
        const fs::path list = file.parent_path() / "addresses";
        {
            std::ofstream out(list);
            for (const ImageOffset offset : offsets) {
                out << std::hex << raw(offset) << "\n";
            }
        }
        std::istringstream rows(
            run("addr2line -a -i -f -C -e '" + file.string() + "' < '" + list.string() + "'").output);
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

    static std::vector<std::string> ours(const Symbols& symbols, std::size_t index) {
        std::vector<std::string> frames;
        for (const Frame& frame : symbols.images[0].at(index)) {
            const Function& function = symbols.functions[frame.function];
            frames.insert(frames.begin(),
                          function.name + "|" +
                              (frame.line == 0 ? std::string("?")
                                               : fs::path(symbols.files[frame.file]).filename().string() + ":" +
                                                     std::to_string(frame.line)));
        }
        return frames;
    }

    // Those functions that `ours` names out of debug information must agree with addr2line, frame by frame.
    static void compare(const fs::path& file, const fs::path& oracle, std::size_t at_least) {
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

    fs::path folder_;

  private:
    // Same place; same function. One without a linker name has only its last component in addr2line, or its
    // symbol, or, in the innermost frame, wrongly the symbol of the function around it: the place alone counts then.
    static bool agree(const std::string& found, const std::vector<std::string>& expected, std::size_t depth) {
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

    static std::string tidy(std::string place) {
        place = place.substr(0, place.find(" (discriminator"));
        if (place.starts_with("?") || place.ends_with(":?") || place.ends_with(":0")) {
            return "?";
        }
        return fs::path(place).filename().string();
    }
};

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

TEST_F(Symbolize, QualifiesFunctionsWithoutALinkerName) {
    const fs::path file = compile("-O2 -g");
    const Symbols symbols = ask(file, offsets_of(file));
    std::vector<std::string> names;
    for (const Function& function : symbols.functions) {
        names.push_back(short_name(function.name));
    }
    EXPECT_THAT(names,
                ::testing::IsSupersetOf({"(anonymous namespace)::Reader::hidden", "main::Local::twice", "main"}));
    EXPECT_THAT(names,
                ::testing::Contains(::testing::AllOf(::testing::StartsWith("main"), ::testing::HasSubstr("lambda"),
                                                     ::testing::EndsWith("operator()"))));
}

// What GCC makes of a parallel region lies, in the debug information, inside the function around it, under its
// linker's name.
TEST_F(Symbolize, NamesParallelRegionsAsTheirFunctions) {
    std::ofstream(folder_ / "sample.cpp") << "namespace lib {\n"
                                             "static void half(double* values) {\n"
                                             "#pragma omp parallel for\n"
                                             "    for (int i = 0; i < 1000; ++i) values[i] *= 0.5;\n"
                                             "}\n"
                                             "}\n"
                                             "extern \"C\" double values[1000];\n"
                                             "double values[1000];\n"
                                             "int main() {\n"
                                             "    lib::half(values);\n"
                                             "#pragma omp parallel for\n"
                                             "    for (int i = 0; i < 1000; ++i) values[i] += 1;\n"
                                             "}\n";
    const fs::path file = compile("-O1 -g -fopenmp -fno-inline");
    const Symbols symbols = ask(file, offsets_of(file));
    std::vector<std::string> names;
    for (const Function& function : symbols.functions) {
        names.push_back(function.name);
    }
    EXPECT_THAT(names, ::testing::IsSupersetOf({"main._omp_fn.0", "lib::half(double*) [clone ._omp_fn.0]"}));
}

TEST_F(Symbolize, ReadsSplitDwarf) {
    const fs::path file = compile("-O2 -g -gsplit-dwarf");
    const auto offsets = offsets_of(file);
    const Symbols symbols = ask(file, offsets);
    std::size_t chains = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const auto frames = symbols.images[0].at(i);
        if (frames.size() >= 3 && symbols.functions[frames[0].function].name == "deep::outermost(double)" &&
            symbols.functions[frames[1].function].name == "deep::middle(double)" &&
            symbols.functions[frames[2].function].name == "deep::innermost(double)") {
            EXPECT_TRUE(frames[1].inlined && frames[2].inlined && !frames[0].inlined);
            ++chains;
        }
    }
    EXPECT_GE(chains, 10U);
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

TEST_F(Symbolize, FallsBackToSymbols) {
    const fs::path file = compile("-O2");
    const Symbols symbols = ask(file, offsets_of(file));
    bool found = false;
    for (const Function& function : symbols.functions) {
        found = found || (function.name == "deep::outermost(double)" && function.source == NameSource::kSymbol);
    }
    EXPECT_TRUE(found);
    EXPECT_TRUE(symbols.warnings.empty());
}

TEST_F(Symbolize, GathersAStrippedFileByFunctionStart) {
    const fs::path file = compile("-O2 -static-pie");
    ASSERT_EQ(run("strip '" + file.string() + "'").status, 0);
    const auto offsets = offsets_of(file);
    const Symbols symbols = ask(file, offsets);
    ASSERT_EQ(symbols.warnings.size(), 1U);
    EXPECT_THAT(symbols.warnings[0], ::testing::HasSubstr("stripped"));
    EXPECT_LT(symbols.functions.size(), offsets.size() / 4);
    EXPECT_EQ(symbols.functions[1].name.substr(0, 9), "sample+0x");
}

TEST_F(Symbolize, NamesLinkageTableEntries) {
    const fs::path file = compile("-O2 -g -fPIE -pie -Wl,-z,lazy");
    const Symbols symbols = ask(file, offsets_of(file, ".plt"));
    std::vector<std::string> names;
    for (const Function& function : symbols.functions) {
        if (function.source == NameSource::kPlt) {
            names.push_back(function.name);
        }
    }
    EXPECT_THAT(names, ::testing::IsSupersetOf({"printf@plt", "rand@plt", "strlen@plt"}));
}

TEST_F(Symbolize, DoesNotTrustAChangedFile) {
    const fs::path file = compile("-O2 -g");
    const std::string recorded = build_id_of(file);
    compile("-O1 -g");
    ASSERT_NE(build_id_of(file), recorded);
    const Request request{{file.string(), recorded, EM_X86_64}, {ImageOffset{0x1234}}};
    const Symbols symbols = symbolize({&request, 1});
    ASSERT_EQ(symbols.warnings.size(), 1U);
    EXPECT_THAT(symbols.warnings[0], ::testing::HasSubstr("changed since it was recorded"));
    EXPECT_EQ(symbols.functions[symbols.images[0].at(0)[0].function].name, "sample+0x1234");
}

TEST_F(Symbolize, TellsMissingForeignAndBrokenFiles) {
    const fs::path file = compile("-O2 -g");
    std::ofstream(folder_ / "text") << "not an object file";
    std::ofstream(folder_ / "cut") << std::string("\177ELF\2\1\1", 7);
    ASSERT_EQ(run("mkfifo '" + (folder_ / "pipe").string() + "'").status, 0);
    const std::vector<Request> requests = {
        {{(folder_ / "gone").string(), "", EM_X86_64}, {ImageOffset{1}}},
        {{(folder_ / "text").string(), "", EM_X86_64}, {ImageOffset{1}}},
        {{(folder_ / "cut").string(), "", EM_X86_64}, {ImageOffset{1}}},
        {{(folder_ / "pipe").string(), "", EM_X86_64}, {ImageOffset{1}}},
        {{file.string(), "", EM_AARCH64}, {ImageOffset{1}}},
        {{"", "", EM_X86_64}, {ImageOffset{0x7f0000001000}}},
        {{file.string(), "", EM_X86_64}, {}},
    };
    const Symbols symbols = symbolize(requests);
    EXPECT_EQ(symbols.warnings.size(), 5U);
    for (std::size_t i = 0; i < 6; ++i) {
        ASSERT_EQ(symbols.images[i].at(0).size(), 1U) << i;
    }
    EXPECT_EQ(symbols.functions[symbols.images[0].at(0)[0].function].name, "gone+0x1");
    EXPECT_EQ(symbols.functions[symbols.images[5].at(0)[0].function].name, "[generated]+0x7f0000001000");
}

TEST_F(Symbolize, SurvivesDamagedFiles) {
    const fs::path file = compile("-O2 -g");
    std::ifstream in(file, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    const auto offsets = offsets_of(file);
    std::uint32_t state = 12345;
    const auto next = [&] { return state = state * 1664525U + 1013904223U; };
    for (int round = 0; round < 60; ++round) {
        std::string damaged = bytes;
        for (int i = 0; i < 40; ++i) {
            damaged[next() % damaged.size()] = static_cast<char>(next() >> 24U);
        }
        if (round % 3 == 0) {
            damaged.resize(next() % damaged.size());
        }
        const fs::path broken = folder_ / "broken";
        std::ofstream(broken, std::ios::binary) << damaged;
        const Request request{{broken.string(), "", 0}, offsets};
        const Symbols symbols = symbolize({&request, 1});
        ASSERT_EQ(symbols.images[0].first.size(), offsets.size() + 1);
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            ASSERT_FALSE(symbols.images[0].at(i).empty());
        }
    }
}

TEST(SymbolizeVdso, NamesTheKernelsOwn) {
    std::vector<ImageOffset> offsets;
    for (std::uint64_t at = 0; at < 0x2000; at += 16) {
        offsets.push_back(ImageOffset{at});
    }
    const Request request{{"[vdso]", "", 0}, offsets};
    const Symbols symbols = symbolize({&request, 1});
    bool found = false;
    for (const Function& function : symbols.functions) {
        found = found || function.name.find("clock_gettime") != std::string::npos;
    }
    EXPECT_TRUE(found);
}

}  // namespace
}  // namespace kymo::program
