#include "metrics/channels_library.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace kymo::metrics {
namespace {

namespace fs = std::filesystem;

class ChannelsLibraryTest : public testing::Test {
  protected:
    ChannelsLibraryTest() {
        fs::create_directory(folder_);
        std::ofstream(folder_ / "libkymo-mpi.so") << "a library";
    }
    ~ChannelsLibraryTest() override { fs::remove_all(folder_); }

    ChannelsLibrary found(const std::vector<fs::path>& images, bool is_rank = false,
                          std::string_view built_for = "libmpi.so.40") const {
        return channels_library_for(images, folder_ / "libkymo-monitor.so", is_rank, built_for);
    }
    fs::path folder_ = fs::path(testing::TempDir()) / ("channels-" + std::to_string(getpid()));
    const fs::path own_ = folder_ / "libkymo-mpi.so";
};

TEST_F(ChannelsLibraryTest, IsForProgramsOfTheSameMpi) {
    const ChannelsLibrary direct = found({"/a/solver", "/usr/lib/libmpi.so.40.30.4", "/usr/lib/libc.so.6"});
    EXPECT_EQ(direct.path, own_);
    EXPECT_TRUE(direct.in_program);
    EXPECT_FALSE(direct.missing);
    EXPECT_TRUE(found({"/a/solver", "/opt/lib/libmpi.so.40"}).in_program);
}

TEST_F(ChannelsLibraryTest, StaysOutOfProgramsWithoutMpiUnlessTheyAreRanks) {
    const ChannelsLibrary plain = found({"/bin/sh", "/lib/libc.so.6", "/usr/lib/libmpitest.so.1"});
    EXPECT_EQ(plain.path, own_);  // a starter's ranks get it
    EXPECT_FALSE(plain.in_program);
    EXPECT_FALSE(plain.missing);
    EXPECT_TRUE(found({"/usr/bin/python3"}, true).in_program);
}

TEST_F(ChannelsLibraryTest, SaysWhichMpiDoesNotFit) {
    for (const char* image : {"/usr/lib/libmpich.so.12.2.1", "/opt/intel/libmpi.so.12.0.0", "/opt/libmpi.so.400"}) {
        const ChannelsLibrary other = found({"/a/solver", image}, true);
        EXPECT_TRUE(other.path.empty());
        EXPECT_FALSE(other.in_program);
        ASSERT_TRUE(other.missing);
        EXPECT_EQ(other.missing->why,
                  "the program uses " + fs::path(image).filename().string() + ", Kymo was built for libmpi.so.40");
    }
}

TEST_F(ChannelsLibraryTest, SaysThatKymoHasNone) {
    const ChannelsLibrary none = found({"/a/solver", "/usr/lib/libmpi.so.40.30.4"}, true, "");
    EXPECT_TRUE(none.path.empty());
    ASSERT_TRUE(none.missing);
    EXPECT_THAT(none.missing->why, testing::HasSubstr("no MPI library is installed"));
    EXPECT_FALSE(found({"/bin/sh"}, true, "").missing);
}

TEST_F(ChannelsLibraryTest, SaysThatTheLibraryIsGone) {
    fs::remove(own_);
    const ChannelsLibrary gone = found({"/a/solver", "/usr/lib/libmpi.so.40"});
    EXPECT_TRUE(gone.path.empty());
    ASSERT_TRUE(gone.missing);
    EXPECT_THAT(gone.missing->why, testing::HasSubstr(own_.string()));
    EXPECT_FALSE(found({"/bin/sh"}).missing);
}

}  // namespace
}  // namespace kymo::metrics
