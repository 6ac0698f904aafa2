// A recording's folder, good and bad.

#include "file_image.h"
#include "recording/reader.h"
#include "temporary_folder.h"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace kymo::recording {
namespace {

using testing::TemporaryFolder;

testing::Bytes good_file() {
    const auto payload = testing::Bytes().raw(testing::mark_schema()).raw(testing::mark(5, "here"));
    return testing::file(testing::small_header(true), testing::chunk(3, payload, true));
}

TEST(RecordingFolder, FilesComeInTheOrderOfTheirNames) {
    const TemporaryFolder folder;
    good_file().save(folder / "process-20-0.krec");
    good_file().save(folder / "launch.krec");
    good_file().save(folder / "process-100-0.krec");
    std::ofstream(folder / "notes.txt") << "not ours";
    const auto recording = Recording::open(folder.path());
    ASSERT_TRUE(recording) << recording.error().what;
    std::vector<std::string> names;
    for (const File& file : recording->files()) {
        names.push_back(file.path().filename());
    }
    EXPECT_EQ(names, (std::vector<std::string>{"launch.krec", "process-100-0.krec", "process-20-0.krec"}));
    EXPECT_TRUE(recording->warnings().empty());
}

TEST(RecordingFolder, OneBadFileIsToldAndTheRestRead) {
    const TemporaryFolder folder;
    good_file().save(folder / "launch.krec");
    std::ofstream(folder / "process-1-0.krec");
    const auto recording = Recording::open(folder.path());
    ASSERT_TRUE(recording);
    EXPECT_EQ(recording->files().size(), 1U);
    ASSERT_EQ(recording->warnings().size(), 1U);
    EXPECT_NE(recording->warnings()[0].find("process-1-0.krec is empty"), std::string::npos);
}

// What somebody may have put into a recording's folder. Opening a pipe would wait, opening a device can do things,
// and a link leads anywhere.
TEST(RecordingFolder, WhatIsNoPlainFileIsToldAndNeverOpened) {
    const TemporaryFolder folder;
    const TemporaryFolder elsewhere;
    good_file().save(folder / "launch.krec");
    good_file().save(elsewhere / "other.krec");
    std::filesystem::create_directory(folder / "process-1-0.krec");
    std::filesystem::create_symlink(elsewhere / "other.krec", folder / "process-2-0.krec");
    std::filesystem::create_symlink("/dev/zero", folder / "process-3-0.krec");
    ASSERT_EQ(mkfifo((folder / "process-4-0.krec").c_str(), 0600), 0);
    const int end = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder / "process-5-0.krec").string().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(end, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    close(end);
    const auto recording = Recording::open(folder.path());
    ASSERT_TRUE(recording) << recording.error().what;
    EXPECT_EQ(recording->files().size(), 1U);
    ASSERT_EQ(recording->warnings().size(), 5U);
    const std::array<const char*, 5> told = {"is a directory and not", "is a symbolic link", "is a symbolic link",
                                             "is not a regular file", "is not a regular file"};
    for (std::size_t i = 0; i < told.size(); ++i) {
        EXPECT_NE(recording->warnings()[i].find(told[i]), std::string::npos) << recording->warnings()[i];
        EXPECT_EQ(recording->warnings()[i].find('\n'), std::string::npos);
    }
}

// Packing opens by the folder, not by the name that somebody else may have changed.
TEST(RecordingFolder, AFolderIsReachedWhateverBecomesOfItsName) {
    const TemporaryFolder folder;
    const auto real = folder / "real.kymo";
    std::filesystem::create_directory(real);
    std::filesystem::create_directory(folder / "victim");
    const auto held = Folder::open_own(real);
    ASSERT_TRUE(held) << held.error().what;
    EXPECT_TRUE(held->is_in_place());
    EXPECT_TRUE(held->is_empty());
    std::filesystem::rename(real, folder / "moved.kymo");
    std::filesystem::create_symlink(folder / "victim", real);
    std::ofstream(folder / "victim" / "session") << "theirs";
    std::ofstream(held->reach("session")) << "ours";
    EXPECT_FALSE(held->is_in_place());
    EXPECT_EQ(held->where_now(), folder / "moved.kymo");
    EXPECT_TRUE(held->remove("session"));
    EXPECT_FALSE(held->remove("session"));
    EXPECT_TRUE(std::filesystem::exists(folder / "victim" / "session"));
    EXPECT_FALSE(Folder::open_own(real));
    std::filesystem::remove(folder / "moved.kymo");
    EXPECT_EQ(held->where_now(), std::nullopt);
}

void expect_error(const Result<Recording>& recording, ErrorKind kind, const std::string& part) {
    ASSERT_FALSE(recording);
    EXPECT_EQ(recording.error().kind, kind);
    EXPECT_NE(recording.error().what.find(part), std::string::npos) << recording.error().what;
    EXPECT_EQ(recording.error().what.find('\n'), std::string::npos);
    EXPECT_FALSE(recording.error().next.empty());
}

TEST(RecordingFolder, ErrorsSayWhatAndWhatNext) {
    const TemporaryFolder folder;
    expect_error(Recording::open(folder / "none.kymo"), ErrorKind::kNotFound, "no recording");
    expect_error(Recording::open(folder.path()), ErrorKind::kMalformed, "holds no recording");
    std::ofstream(folder / "file") << "text";
    expect_error(Recording::open(folder / "file"), ErrorKind::kMalformed, "is not a recording");
    expect_error(Recording::open(folder / "file" / "below"), ErrorKind::kNotFound, "");
    std::ofstream(folder / "a.krec") << std::string(5000, 'x');
    expect_error(Recording::open(folder.path()), ErrorKind::kMalformed, "is not a Kymo recording");
    auto newer = testing::small_header(true);
    newer.major = kMajorVersion + 1;
    testing::file(newer, {}).save(folder / "a.krec");
    expect_error(Recording::open(folder.path()), ErrorKind::kNewerFormat, "format version 2.0");
}

TEST(RecordingFolder, NoPermission) {
    if (geteuid() == 0) {
        GTEST_SKIP() << "root may read everything";
    }
    const TemporaryFolder folder;
    const auto closed = folder / "a.kymo";
    std::filesystem::create_directory(closed);
    chmod(closed.c_str(), 0);
    expect_error(Recording::open(closed), ErrorKind::kPermission, "may not be read");
    chmod(closed.c_str(), 0700);
}

}  // namespace
}  // namespace kymo::recording
