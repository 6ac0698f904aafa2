// Loaders by name, by links of other names, and what is none.
#include "image/glibc_loader.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace kymo::image {
namespace {
namespace glibc_loader {

namespace fs = std::filesystem;

TEST(GlibcLoader, IsKnownByItsName) {
    EXPECT_TRUE(is_glibc_loader("/lib64/ld-linux-x86-64.so.2"));
    EXPECT_TRUE(is_glibc_loader("/nowhere/store/lib/ld-linux-aarch64.so.1"));
    EXPECT_TRUE(is_glibc_loader("/lib64/ld64.so.2"));
    EXPECT_FALSE(is_glibc_loader("/lib/ld-musl-x86_64.so.1"));
    EXPECT_FALSE(is_glibc_loader(""));
}

TEST(GlibcLoader, IsKnownByALinkThatLeadsToItAndErrnoIsKept) {
    const fs::path usual = "/lib64/ld-linux-x86-64.so.2";
    if (!fs::exists(usual)) {
        GTEST_SKIP() << usual << " is not there";
    }
    std::string pattern = fs::temp_directory_path() / "kymo-loader-XXXXXX";
    const fs::path folder = mkdtemp(pattern.data());
    fs::create_symlink(usual, folder / "by-link");
    std::ofstream(folder / "other") << "something else";
    errno = EDOM;
    EXPECT_TRUE(is_glibc_loader((folder / "by-link").c_str()));
    EXPECT_FALSE(is_glibc_loader((folder / "other").c_str()));
    EXPECT_FALSE(is_glibc_loader((folder / "missing").c_str()));
    EXPECT_EQ(errno, EDOM);
    fs::remove_all(folder);
}

}  // namespace glibc_loader
}  // namespace
}  // namespace kymo::image
