#include "import/generated_code.h"

#include "base/native.h"
#include "image/build_id_path.h"
#include "program/symbolize.h"
#include "recording/format.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

class GeneratedCodeTest : public testing::Test {
  protected:
    GeneratedCodeTest() { fs::create_directories(place_); }
    ~GeneratedCodeTest() override { fs::remove_all(place_); }

    void write_map(std::uint32_t number, const std::string& text) const {
        std::ofstream(place_ / perf_map_name(number)) << text;
    }
    Descriptor open(std::uint32_t number, std::optional<uid_t> owner = geteuid()) const {
        const Descriptor directory(::open(place_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        return open_perf_map(directory.number(), number, owner);
    }

    const fs::path place_ = fs::path(testing::TempDir()) / ("generated" + std::to_string(getpid()));
};

TEST_F(GeneratedCodeTest, IsMemoryWithoutAFileOfAProgram) {
    for (const char* path : {"", "//anon", "[anon:v8]", "[heap]", "[stack]", "/memfd:doublemapper (deleted)",
                             "/dev/zero (deleted)", "/anon_hugepage (deleted)"}) {
        EXPECT_TRUE(is_generated_code(path)) << path;
    }
    for (const char* path : {"/usr/bin/node", "[vdso]", "[vsyscall]", "[uprobes]", "[kernel.kallsyms]_text"}) {
        EXPECT_FALSE(is_generated_code(path)) << path;
    }
}

TEST_F(GeneratedCodeTest, OpensOrdinaryFilesOfTheOwnerAlone) {
    write_map(1, "1000 10 f\n");
    EXPECT_TRUE(open(1));
    EXPECT_TRUE(open(1, std::nullopt));
    EXPECT_EQ(static_cast<bool>(open(1, geteuid() + 1)), geteuid() == 0) << "root's is anybody's";
    EXPECT_FALSE(open(2));
    fs::create_symlink(place_ / perf_map_name(1), place_ / perf_map_name(3));
    EXPECT_FALSE(open(3)) << "a link";
    ASSERT_EQ(::mkfifo((place_ / perf_map_name(4)).c_str(), 0600), 0);
    EXPECT_FALSE(open(4)) << "a pipe, without waiting for its other end";
    fs::create_directories(place_ / perf_map_name(5));
    EXPECT_FALSE(open(5)) << "a directory";
}

TEST_F(GeneratedCodeTest, BecomesAnImageOfNames) {
    write_map(1, "7f0000001000 100 Function:~add /a.js:1\n7f0000009000 40 Function:*add /a.js:1\n");
    const auto folder = recording::Folder::open_own(place_);
    ASSERT_TRUE(folder);
    const auto made = write_generated_image({0x7f0000009010, 0x7f0000001000, 0x7f0000001050, 0x500}, open(1),
                                            processor::kMachine, *folder);
    ASSERT_TRUE(made);
    ASSERT_TRUE(*made);
    const recording::Image& row = (*made)->row;
    EXPECT_EQ(row.image, 0U);
    EXPECT_EQ(row.bias, 0U);
    EXPECT_EQ(row.begin, 0x7f0000001000U);
    EXPECT_EQ(row.end, 0x7f000000a000U);
    const fs::path file = place_ / recording::kImagesFolder / build_id_path((*made)->build_id);
    ASSERT_TRUE(fs::exists(file));
    const program::Request request{
        .image = {.path = file, .build_id = (*made)->build_id, .machine = processor::kMachine},
        .offsets = {ImageOffset{0x500}, ImageOffset{0x7f0000001050}, ImageOffset{0x7f0000009010}}};
    const program::Symbols symbols = program::symbolize(std::span(&request, 1), program::NameCache());
    EXPECT_TRUE(symbols.warnings.empty());
    const auto name = [&](std::size_t i) { return symbols.functions[symbols.images[0].at(i)[0].function].name; };
    EXPECT_EQ(name(1), "Function:~add /a.js:1");
    EXPECT_EQ(name(2), "Function:*add /a.js:1");
    EXPECT_NE(name(0), name(1));
}

TEST_F(GeneratedCodeTest, WithoutNamesIsNoImage) {
    write_map(1, "1000 10 f\nnonsense\n");
    const auto folder = recording::Folder::open_own(place_);
    ASSERT_TRUE(folder);
    const auto made = write_generated_image({0x2000}, open(1), processor::kMachine, *folder);
    ASSERT_TRUE(made);
    EXPECT_FALSE(*made);
    EXPECT_FALSE(fs::exists(place_ / recording::kImagesFolder));
}

}  // namespace
}  // namespace kymo::import
