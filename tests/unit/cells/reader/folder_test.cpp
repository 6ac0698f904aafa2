#include "cells/reader/folder.h"

#include "../example.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kymo::cells {
namespace {

namespace fs = std::filesystem;

class CellsFolder : public ::testing::Test {
  protected:
    CellsFolder() { setenv("XDG_RUNTIME_DIR", run_.path().c_str(), 1); }
    ~CellsFolder() override { unsetenv("XDG_RUNTIME_DIR"); }
    fs::path home() const { return run_.path() / ("kymo-" + std::to_string(getuid())); }
    testing::TemporaryFolder run_;
};

TEST_F(CellsFolder, IsPrivateFoundAndGoes) {
    fs::path path;
    {
        const auto folder = Folder::make();
        ASSERT_TRUE(folder) << folder.error().what;
        path = folder->path();
        EXPECT_EQ(path.parent_path(), home());
        struct stat facts{};
        ASSERT_EQ(stat(path.c_str(), &facts), 0);
        EXPECT_EQ(facts.st_mode & 0777U, 0700U);
        const auto other = Folder::make();
        ASSERT_TRUE(other);
        EXPECT_NE(other->path(), path);
        testing::save(path / "5-0.cells", {1});
        testing::save(path / "other", {1});
        EXPECT_EQ(segments_in(path), std::vector<fs::path>{path / "5-0.cells"});
        const auto found = find_folders();
        EXPECT_NE(std::find(found.begin(), found.end(), path), found.end());
        EXPECT_NE(std::find(found.begin(), found.end(), other->path()), found.end());
    }
    EXPECT_FALSE(fs::exists(path));
    EXPECT_FALSE(fs::exists(home()));
}

TEST_F(CellsFolder, WhatAKilledLauncherLeftIsSwept) {
    const pid_t gone = fork();
    if (gone == 0) {
        _exit(0);
    }
    waitpid(gone, nullptr, 0);
    const fs::path left = home() / (std::to_string(gone) + "-0");
    fs::create_directories(left);
    chmod(home().c_str(), 0700);
    testing::save(left / "1-0.cells", {1});
    const auto found = find_folders();
    EXPECT_EQ(std::find(found.begin(), found.end(), left), found.end());
    const auto folder = Folder::make();
    ASSERT_TRUE(folder);
    EXPECT_FALSE(fs::exists(left));
}

// Somebody else was first in a place where everybody may write: the next place is taken.
TEST_F(CellsFolder, AHomeThatOthersMayEnterIsNotUsed) {
    fs::create_directories(home());
    chmod(home().c_str(), 0755);
    const auto folder = Folder::make();
    ASSERT_TRUE(folder);
    EXPECT_NE(folder->path().parent_path(), home());
}

}  // namespace
}  // namespace kymo::cells
