#include "import/image_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <link.h>
#include <string>
#include <sys/stat.h>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

class Scratch {
  public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "kymo-image-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~Scratch() { fs::remove_all(path_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    fs::path operator/(const std::string& name) const { return path_ / name; }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

const fs::path kOwn = "/proc/self/exe";

TEST(ImageFile, SaysWhereTheCodeOfAFileLies) {
    const auto image = read_image_file(kOwn);
    ASSERT_TRUE(image);
    EXPECT_FALSE(image->build_id.empty());
    struct Seen {
        std::uint64_t bias = 0;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> code;  // offset in the file, address
    } seen;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            auto* const found = static_cast<Seen*>(out);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
                    found->code.emplace_back(info->dlpi_phdr[i].p_offset, info->dlpi_phdr[i].p_vaddr);
                }
            }
            return 1;  // the program alone
        },
        &seen);
    ASSERT_FALSE(seen.code.empty());
    for (const auto& [offset, address] : seen.code) {
        EXPECT_EQ(image->moved_by(offset), address - offset);
    }
    EXPECT_EQ(image->moved_by(std::uint64_t{1} << 60U), std::nullopt);
    EXPECT_LT(image->begin(), image->end());
}

TEST(ImageFile, PipesAndOtherFilesAreNoImages) {
    const Scratch scratch;
    ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(read_image_file(scratch / "pipe"));
    EXPECT_FALSE(read_image_file("/dev/null"));
    EXPECT_FALSE(read_image_file(scratch.path()));
    EXPECT_FALSE(read_image_file(scratch / "none"));
    std::ofstream(scratch / "text") << "#!/bin/sh\n";
    EXPECT_FALSE(read_image_file(scratch / "text"));
}

TEST(ImageFinder, TakesAFileOfTheRightBuildIdAlone) {
    const std::string path = fs::read_symlink(kOwn);
    const std::string right = read_image_file(kOwn)->build_id;
    std::string wrong = right;
    wrong[0] = static_cast<char>(wrong[0] ^ 1);
    const ImageFinder finder{fs::path()};
    EXPECT_TRUE(finder.find(path, right));
    EXPECT_TRUE(finder.find(path, ""));
    EXPECT_FALSE(finder.find(path, wrong));
    EXPECT_FALSE(finder.find("relative", ""));
}

TEST(ImageFinder, LeavesNoOtherDirectoryThanTheOneNamed) {
    const Scratch scratch;
    fs::create_directories(scratch / "root/bin");
    fs::copy_file(fs::read_symlink(kOwn), scratch / "root/bin/inside");
    fs::copy_file(fs::read_symlink(kOwn), scratch / "outside");
    fs::create_symlink("../../outside", scratch / "root/bin/link");
    fs::create_symlink("inside", scratch / "root/bin/good");
    const ImageFinder finder(scratch / "root");
    EXPECT_TRUE(finder.find("/bin/inside", ""));
    EXPECT_TRUE(finder.find("/bin/good", ""));
    EXPECT_FALSE(finder.find("/bin/link", ""));
    EXPECT_FALSE(finder.find("/../outside", ""));
    EXPECT_FALSE(finder.find(scratch / "outside", ""));
    EXPECT_FALSE(finder.find(fs::read_symlink(kOwn), ""));
}

}  // namespace
}  // namespace kymo::import
