#include "import/kernel_code.h"

#include "image/build_id_path.h"
#include "recording/format.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kymo::import {
namespace {

namespace fs = std::filesystem;

class KernelCodeTest : public testing::Test {
  protected:
    ~KernelCodeTest() override { fs::remove_all(place_); }

    fs::path symbols(const std::string& text) {
        fs::create_directories(place_);
        const fs::path file = place_ / ("kallsyms" + std::to_string(++files_));
        std::ofstream(file) << text;
        return file;
    }

    const fs::path place_ = fs::path(testing::TempDir()) / ("kernel" + std::to_string(getpid()));
    int files_ = 0;
};

constexpr const char* kSymbols =
    "ffffffff81000000 T _text\n"
    "ffffffff81000100 t local_one\n"
    "ffffffff81000200 D some_data\n"
    "ffffffff81000300 W weak_one\n"
    "a line that makes no sense\n"
    "ffffffffc0000000 t in_module\t[ext4]\n";

TEST_F(KernelCodeTest, FindsTheFunctionAtAnAddress) {
    KernelCode kernel(symbols(kSymbols));
    const auto local = kernel.offset_at(0xffffffff81000150);
    ASSERT_TRUE(local);
    EXPECT_EQ(kernel.offset_at(0xffffffff81000100), local);
    EXPECT_EQ(kernel.offset_at(0xffffffff81000210), local) << "data are no functions";
    const auto weak = kernel.offset_at(0xffffffff81000301);
    ASSERT_TRUE(weak);
    EXPECT_NE(weak, local);
    EXPECT_TRUE(kernel.offset_at(0xffffffffc0000010));
    EXPECT_FALSE(kernel.offset_at(0xffffffff80ffffff)) << "before the first one";
    EXPECT_FALSE(kernel.offset_at(0xffffffffa0000000)) << "far behind the last one of its part";
    EXPECT_FALSE(kernel.offset_at(0));
}

TEST_F(KernelCodeTest, FollowsTheKernelToWhereItLayThen) {
    KernelCode kernel(symbols(kSymbols));
    kernel.set_reference("_text", 0xffffffff91000000);
    EXPECT_TRUE(kernel.offset_at(0xffffffff91000100));
    EXPECT_FALSE(kernel.offset_at(0xffffffff81000100));
    EXPECT_FALSE(kernel.offset_at(0xffffffffc0000010)) << "where the module lay is not known";
    KernelCode same(symbols(kSymbols));
    same.set_reference("_text", 0xffffffff81000000);
    EXPECT_TRUE(same.offset_at(0xffffffffc0000010));
}

TEST_F(KernelCodeTest, HasNoFunctionsWhereTheAddressesAreHidden) {
    const fs::path hidden = symbols("0000000000000000 T _text\n0000000000000000 t other\n");
    EXPECT_FALSE(shows_kernel_addresses(hidden));
    EXPECT_TRUE(shows_kernel_addresses(symbols(kSymbols)));
    EXPECT_FALSE(shows_kernel_addresses(place_ / "none"));
    KernelCode kernel(hidden);
    EXPECT_FALSE(kernel.offset_at(0xffffffff81000100));
    EXPECT_FALSE(KernelCode({}).offset_at(0xffffffff81000100));
}

TEST_F(KernelCodeTest, WritesWhatWasFound) {
    KernelCode kernel(symbols(kSymbols));
    const auto folder = recording::Folder::open_own(place_);
    ASSERT_TRUE(folder);
    ASSERT_TRUE(kernel.write(*folder));
    EXPECT_FALSE(fs::exists(place_ / recording::kImagesFolder)) << "nothing was";
    kernel.offset_at(0xffffffff81000100);
    ASSERT_TRUE(kernel.write(*folder));
    EXPECT_TRUE(fs::exists(place_ / recording::kImagesFolder / build_id_path(kernel.build_id())));
}

}  // namespace
}  // namespace kymo::import
