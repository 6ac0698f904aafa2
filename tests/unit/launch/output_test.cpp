#include "launch/output.h"

#include "temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::launch {
namespace {

using std::filesystem::path;

TEST(Output, DefaultNamesCountUp) {
    const TemporaryFolder folder;
    EXPECT_EQ(*make_recording_folder({}, "/usr/bin/xz"), folder.path() / "xz.kymo");
    EXPECT_EQ(*make_recording_folder({}, "xz"), folder.path() / "xz-2.kymo");
    EXPECT_EQ(*make_recording_folder({}, "xz"), folder.path() / "xz-3.kymo");
}

TEST(Output, IsPrivate) {
    const TemporaryFolder folder;
    const auto made = make_recording_folder(path("a.kymo"), "x");
    struct stat facts{};
    ASSERT_EQ(stat(made->c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0700U);
}

TEST(Output, NothingIsOverwrittenAndANameIsOffered) {
    const TemporaryFolder folder;
    ASSERT_TRUE(make_recording_folder(path("a.kymo"), "x"));
    ASSERT_TRUE(make_recording_folder(path("a-2.kymo"), "x"));
    const auto again = make_recording_folder(path("a.kymo"), "x");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, ErrorKind::kOutputExists);
    EXPECT_EQ(again.error().next, "use -o a-3.kymo");
    std::ofstream("file") << "text";
    EXPECT_EQ(make_recording_folder(path("file"), "x").error().kind, ErrorKind::kOutputExists);
    std::filesystem::create_symlink("nowhere", "dangling");
    EXPECT_EQ(make_recording_folder(path("dangling"), "x").error().kind, ErrorKind::kOutputExists);
}

TEST(Output, FailuresAreTold) {
    const TemporaryFolder folder;
    const auto missing = make_recording_folder(path("no/such/a.kymo"), "x");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::kNotFound);
    EXPECT_EQ(missing.error().next, "mkdir -p " + (folder.path() / "no/such").string());
    EXPECT_EQ(make_recording_folder(path(""), "x").error().kind, ErrorKind::kUsage);
    EXPECT_EQ(make_recording_folder(path("/proc/a.kymo"), "x").error().kind, ErrorKind::kNotFound);
    EXPECT_FALSE(make_recording_folder(path(std::string(300, 'x')), "x"));
    EXPECT_TRUE(make_recording_folder(path("slash.kymo/"), "x"));
}

}  // namespace
}  // namespace kymo::launch
