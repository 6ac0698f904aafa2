// Many files in one: read as if they were by themselves, whatever became of the bundle.

#include "recording/bundle.h"

#include "file_image.h"
#include "recording/reader.h"
#include "rows.h"
#include "temporary_folder.h"

#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kymo::recording {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::TemporaryFolder;

constexpr std::uint64_t kAny = UINT64_MAX;

testing::Bytes file_of(std::string_view mark) {
    const auto payload = testing::Bytes().raw(testing::mark_schema()).raw(testing::mark(5, mark));
    return testing::file(testing::small_header(true), testing::chunk(3, payload, true));
}

std::vector<std::string> names_of(const Recording& recording) {
    std::vector<std::string> names;
    for (const File& file : recording.files()) {
        names.push_back(file.path().filename());
    }
    return names;
}

// The name in the one row of each file.
std::vector<std::string> marks_of(const Recording& recording) {
    std::vector<std::string> marks;
    for (const File& file : recording.files()) {
        const auto report = file.scan(on<Mark>([&](StreamId, const Mark& row) { marks.emplace_back(row.name); }));
        EXPECT_TRUE(report && report->whole());
    }
    return marks;
}

std::size_t move(const TemporaryFolder& folder, const std::vector<std::string>& names, std::uint64_t most = kAny) {
    const auto from = Folder::open(folder.path());
    const auto moved = move_into_bundle(*from, names, *from, "all.krecs", most);
    EXPECT_TRUE(moved) << moved.error().what;
    return moved ? *moved : 0;
}

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Bundle, IsReadAsTheFilesWere) {
    const TemporaryFolder folder;
    const std::vector<std::string> names = {"launch.krec", "process-1-0.krec", "process-20-0.krec"};
    for (const std::string& name : names) {
        file_of(name).save(folder.path() / name);
    }
    file_of("alone").save(folder / "process-10-0.krec");
    const auto before = Recording::open(folder.path());
    ASSERT_TRUE(before);
    const auto marks = marks_of(*before);
    EXPECT_EQ(move(folder, names), 3U);
    EXPECT_FALSE(std::filesystem::exists(folder / "launch.krec"));
    const auto after = Recording::open(folder.path());
    ASSERT_TRUE(after) << after.error().what;
    EXPECT_THAT(names_of(*after),
                ElementsAre("launch.krec", "process-1-0.krec", "process-10-0.krec", "process-20-0.krec"));
    EXPECT_EQ(marks_of(*after), marks);
    EXPECT_THAT(after->warnings(), SizeIs(0));
    // More of them later, and nothing else is left.
    EXPECT_EQ(move(folder, {"process-10-0.krec", "process-99-0.krec"}), 1U);
    const auto all = Recording::open(folder.path());
    ASSERT_TRUE(all);
    EXPECT_EQ(marks_of(*all), marks);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Bundle, WhatIsNotPackedOrTooLargeStays) {
    const TemporaryFolder folder;
    const auto payload = testing::Bytes().raw(testing::mark_schema()).raw(testing::mark(5, "here"));
    testing::file(testing::small_header(false), testing::chunk(3, payload, false)).save(folder / "a.krec");
    file_of("small").save(folder / "b.krec");
    file_of(std::string(5000, 'x')).save(folder / "c.krec");
    std::filesystem::create_symlink(folder / "b.krec", folder / "d.krec");
    std::filesystem::create_directory(folder / "e.krec");
    std::ofstream(folder / "f.krec") << "nothing of ours";
    EXPECT_EQ(move(folder, {"a.krec", "b.krec", "c.krec", "d.krec", "e.krec", "f.krec", "../b.krec"}, 4096), 1U);
    for (const char* name : {"a.krec", "c.krec", "e.krec", "f.krec"}) {
        EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    }
}

TEST(Bundle, AFileThatWasMovedAndNotYetRemovedIsReadOnce) {
    const TemporaryFolder folder;
    file_of("same").save(folder / "a.krec");
    file_of("one").save(folder / "b.krec");
    move(folder, {"a.krec", "b.krec"});
    file_of("same").save(folder / "a.krec");
    file_of("two").save(folder / "b.krec");  // another host's process of the same number
    const auto recording = Recording::open(folder.path());
    ASSERT_TRUE(recording);
    EXPECT_THAT(marks_of(*recording), ElementsAre("same", "one", "two"));
}

TEST(Bundle, WhatIsBehindTheUsedPartIsNoDamageAndIsWrittenOver) {
    const TemporaryFolder folder;
    file_of("one").save(folder / "a.krec");
    move(folder, {"a.krec"});
    std::ofstream(folder / "all.krecs", std::ios::app) << "half a member of a writer that was killed";
    file_of("two").save(folder / "b.krec");
    const auto half = Recording::open(folder.path());
    ASSERT_TRUE(half);
    EXPECT_THAT(half->warnings(), SizeIs(0));
    EXPECT_THAT(marks_of(*half), ElementsAre("one", "two"));
    move(folder, {"b.krec"});
    const auto recording = Recording::open(folder.path());
    ASSERT_TRUE(recording);
    EXPECT_THAT(recording->warnings(), SizeIs(0));
    EXPECT_THAT(marks_of(*recording), ElementsAre("one", "two"));
}

// Every byte of a bundle changed, one at a time, and cut off behind every byte.
TEST(Bundle, DamageIsReportedAndTheRestRead) {
    const TemporaryFolder folder;
    const std::vector<std::string> names = {"a.krec", "b.krec", "c.krec"};
    for (const std::string& name : names) {
        file_of(name).save(folder.path() / name);
    }
    move(folder, names);
    const std::string good = bytes_of(folder / "all.krecs");
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 0x40);
        std::ofstream(folder / "all.krecs", std::ios::binary) << bad;
        const auto recording = Recording::open(folder.path());
        if (!recording) {
            EXPECT_LT(i, 32U);  // the bundle's own header
            continue;
        }
        // A byte of one member leaves the others as they are.
        EXPECT_GE(recording->files().size() + (i < 32 ? 3U : 0U), 2U) << "byte " << i;
        for (const File& file : recording->files()) {
            EXPECT_TRUE(file.scan());
        }
    }
    for (std::size_t size = 0; size < good.size(); size += 3) {
        std::ofstream(folder / "all.krecs", std::ios::binary) << good.substr(0, size);
        const auto recording = Recording::open(folder.path());
        if (recording) {
            EXPECT_THAT(recording->warnings(), ::testing::Contains(HasSubstr("are missing"))) << size;
        }
    }
}

TEST(Bundle, WithoutSpaceNothingIsMoved) {
    const TemporaryFolder folder;
    file_of("one").save(folder / "a.krec");
    move(folder, {"a.krec"});
    const std::string before = bytes_of(folder / "all.krecs");
    file_of(std::string(100'000, 'x')).save(folder / "b.krec");
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{50'000, 50'000};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto from = Folder::open(folder.path());
        const std::vector<std::string> names = {"b.krec"};
        const auto moved = move_into_bundle(*from, names, *from, "all.krecs", kAny);
        _exit(!moved && moved.error().kind == ErrorKind::kNoSpace ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(bytes_of(folder / "all.krecs"), before);
    EXPECT_TRUE(std::filesystem::exists(folder / "b.krec"));
}

TEST(Bundle, SeveralWritersAtOnceLoseNothing) {
    const TemporaryFolder folder;
    constexpr int kWriters = 8;
    constexpr int kFiles = 20;
    for (int i = 0; i < kWriters * kFiles; ++i) {
        file_of(std::to_string(i)).save(folder.path() / (std::to_string(i) + ".krec"));
    }
    std::vector<std::thread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
        writers.emplace_back([&, writer] {
            for (int i = 0; i < kFiles; i += 2) {
                const int number = writer * kFiles + i;
                EXPECT_EQ(move(folder, {std::to_string(number) + ".krec", std::to_string(number + 1) + ".krec"}), 2U);
            }
        });
    }
    for (std::thread& writer : writers) {
        writer.join();
    }
    const auto recording = Recording::open(folder.path());
    ASSERT_TRUE(recording);
    EXPECT_THAT(recording->warnings(), SizeIs(0));
    auto marks = marks_of(*recording);
    std::sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return std::stoi(a) < std::stoi(b); });
    ASSERT_THAT(marks, SizeIs(kWriters * kFiles));
    for (int i = 0; i < kWriters * kFiles; ++i) {
        EXPECT_EQ(marks[static_cast<std::size_t>(i)], std::to_string(i));
    }
}

TEST(Bundle, WhatIsNoBundleIsNamed) {
    const TemporaryFolder folder;
    std::ofstream(folder / "a.krecs") << std::string(100, 'x');
    const auto alone = Recording::open(folder.path());
    ASSERT_FALSE(alone);
    EXPECT_THAT(alone.error().what, HasSubstr("is not a bundle"));
    file_of("here").save(folder / "a.krec");
    const auto recording = Recording::open(folder.path());
    ASSERT_TRUE(recording);
    EXPECT_THAT(recording->warnings(), ElementsAre(HasSubstr("is not a bundle")));
}

}  // namespace
}  // namespace kymo::recording
