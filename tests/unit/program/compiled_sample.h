// A small program that tests of names compile in several forms, and what they ask of it.
#pragma once

#include "program/symbolize.h"

#include <cstdio>
#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace kymo::program::test {

namespace fs = std::filesystem;
inline constexpr const char* kSource = R"(
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

inline Ran run(const std::string& command) {
    Ran ran;
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) {
        ran.output.append(buffer, got);
    }
    ran.status = ::pclose(pipe);
    return ran;
}

inline std::string build_id_of(const fs::path& file) {
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

inline Span section_of(const fs::path& file, const std::string& name) {
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

// Every third byte of a section.
inline std::vector<ImageOffset> offsets_of(const fs::path& file, const std::string& section = ".text") {
    const Span span = section_of(file, section);
    EXPECT_LT(span.begin, span.end) << section;
    std::vector<ImageOffset> offsets;
    for (std::uint64_t at = span.begin; at < span.end; at += 3) {
        offsets.push_back(ImageOffset{at});
    }
    return offsets;
}

inline Symbols ask(const fs::path& file, std::vector<ImageOffset> offsets) {
    const Request request{{file.string(), build_id_of(file), EM_X86_64}, std::move(offsets)};
    return symbolize({&request, 1});
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

    fs::path folder_;
};

}  // namespace kymo::program::test
