#include "attach/live_names.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;

class LiveNamesTest : public testing::Test {
  protected:
    LiveNamesTest() {
        fs::create_directories(root_ / "tmp");
        fs::create_directories(proc_ / "4711");
        fs::create_directory_symlink(root_, proc_ / "4711" / "root");
        std::ofstream(proc_ / "4711" / "status")
            << "Name:\tnode\nUid:\t0\t" << geteuid() << "\t0\t0\nNSpid:\t4711\t30\t7\n";
    }
    ~LiveNamesTest() override { fs::remove_all(place_); }

    const fs::path place_ = fs::path(testing::TempDir()) / ("live" + std::to_string(getpid()));
    const fs::path proc_ = place_ / "proc";
    const fs::path root_ = place_ / "container";
};

TEST(OwnNumbersTest, AreOfTheInnermostNamespaceAndTheEffectiveUser) {
    const auto own = parse_status("Name:\tnode\nUid:\t1000\t1001\t1002\t1003\nNSpid:\t4711\t30\t7\nNStgid:\t1\n");
    ASSERT_TRUE(own);
    EXPECT_EQ(own->pid, 7U);
    EXPECT_EQ(own->user, 1001U);
    EXPECT_FALSE(parse_status(""));
    EXPECT_FALSE(parse_status("NSpid:\t\nUid:\t1\t1\n"));
    EXPECT_FALSE(parse_status("Name:\tNSpid:\t1\nUid:\t1\t1\n")) << "a name that looks like a key";
    EXPECT_FALSE(parse_status("Uid:\t1\t1\nNSpid:\t99999999999999999999\n"));
}

TEST_F(LiveNamesTest, AreInTheProcesssOwnTmpUnderItsOwnNumber) {
    LiveNames names(proc_);
    names.prepare(4711);
    std::ofstream(root_ / "tmp" / "perf-7.map") << "1000 10 f\n";  // written after that
    fs::remove_all(proc_ / "4711");                                // the process has ended
    EXPECT_TRUE(names.open(4711));
}

TEST_F(LiveNamesTest, AreNotWhereALinkLeads) {
    fs::remove(root_ / "tmp");
    fs::create_directories(place_ / "elsewhere");
    std::ofstream(place_ / "elsewhere" / "perf-7.map") << "1000 10 f\n";
    fs::create_directory_symlink(place_ / "elsewhere", root_ / "tmp");
    LiveNames names(proc_);
    names.prepare(4711);
    EXPECT_FALSE(names.open(4711));
}

TEST_F(LiveNamesTest, OfAProcessThatHasEndedAreNotKnown) {
    LiveNames names(proc_);
    names.prepare(99);
    EXPECT_FALSE(names.open(4'194'305)) << "no process has such a number";
}

}  // namespace
}  // namespace kymo::attach
