// Names and places of programs that the test compiles; addr2line_test.cpp holds them against another reader.
#include "compiled_sample.h"
#include "program/demangle.h"

#include <gmock/gmock.h>

namespace kymo::program::test {
namespace {

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
}  // namespace kymo::program::test
