#include "view/page/code.h"

#include "made_recording.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace kymo::view {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SourceNames, OnlyProgrammingLanguages) {
    EXPECT_TRUE(is_source_name("/home/me/main.cpp"));
    EXPECT_TRUE(is_source_name("lib.rs"));
    for (const char* path : {"/etc/shadow", "/root/.ssh/id_rsa", "/proc/self/environ", "", "/x.cpp/", "notes.txt"}) {
        EXPECT_FALSE(is_source_name(path)) << path;
    }
}

TEST(SourceFiles, OnlyTextFiles) {
    const kymo::testing::TemporaryFolder folder;
    const std::string text = folder.path() / "a.c";
    std::ofstream(text) << "int x;\r\n\nint y;";
    EXPECT_THAT(read_source(text), ElementsAre("int x;", "", "int y;"));
    const std::string binary = folder.path() / "b.c";
    std::ofstream(binary) << std::string("a\0b", 3);
    EXPECT_THAT(read_source(binary), IsEmpty());
    const std::string pipe = folder.path() / "pipe.c";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(read_source(pipe), IsEmpty());
    EXPECT_THAT(read_source(folder.path()), IsEmpty());
    EXPECT_THAT(read_source(folder.path() / "missing.c"), IsEmpty());
    const std::string large = folder.path() / "large.c";
    std::ofstream(large) << std::string(5U << 20U, 'x');
    EXPECT_THAT(read_source(large), IsEmpty());
}

}  // namespace
}  // namespace kymo::view
