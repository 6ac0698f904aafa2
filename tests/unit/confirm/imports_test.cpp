// The functions that files take from their libraries.
#include "confirm/imports.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace kymo::confirm {
namespace {

TEST(Imports, AreTheFunctionsOfOtherFiles) {
    const auto own = imported_functions("/proc/self/exe");
    EXPECT_TRUE(own.contains("getpid")) << "called below";
    EXPECT_FALSE(own.contains("main"));
    EXPECT_FALSE(own.contains(""));
    EXPECT_GT(getpid(), 0);
}

TEST(Imports, AreNoneOfWhatIsNoProgram) {
    EXPECT_TRUE(imported_functions("/nonexistent").empty());
    EXPECT_TRUE(imported_functions("/").empty());
    const auto path = std::filesystem::temp_directory_path() / ("kymo-imports-" + std::to_string(getpid()));
    std::string begin(4096, '\0');
    std::ifstream("/proc/self/exe", std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
    std::ofstream(path, std::ios::binary) << begin;
    EXPECT_TRUE(imported_functions(path.string()).empty()) << "cut off behind its first page";
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace kymo::confirm
