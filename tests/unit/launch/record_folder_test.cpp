// Whole runs whose recording folder somebody changes while the program runs: moved, replaced by a link, removed,
// filled with what is no file.
#include "launch/run/companion_file.h"
#include "record_fixture.h"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

// Every name that Kymo itself makes, renames or removes.
constexpr const char* kVictim =
    "mkdir victim; cd victim; for n in session hooks job launch.krec process-1-0.krec "
    "process-1-0.krec.packing; do echo theirs > $n; done; cd ..";

RecordOptions in_out(RecordOptions options) {
    options.output = "out.kymo";
    return options;
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect_untouched(const fs::path& victim) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(victim)) {
        names.insert(entry.path().filename());
        EXPECT_EQ(text_of(entry.path()), "theirs\n") << entry.path();
    }
    EXPECT_EQ(names, (std::set<std::string>{"hooks", "job", "launch.krec", "process-1-0.krec",
                                            "process-1-0.krec.packing", "session"}));
}

TEST_F(RecordTest, ALinkInTheFoldersPlaceIsNotFollowed) {
    RecordOptions options =
        in_out(shell(std::string(kVictim) + "; mv out.kymo aside.kymo; ln -s victim out.kymo; exit 3"));
    CompanionFile companion("hooks", "text of the companion");
    companion.fit(options);
    RecordOutcome outcome;
    const Log log = record_and_read(options, outcome);
    EXPECT_EQ(outcome.exit_status(), 3);
    expect_untouched("victim");
    // The recording is whole, where it is now, and that is told.
    EXPECT_EQ(outcome.recording, folder_.path() / "aside.kymo");
    EXPECT_FALSE(outcome.gone);
    EXPECT_FALSE(fs::exists(outcome.recording / "session"));
    EXPECT_FALSE(fs::exists(outcome.recording / "hooks"));
    EXPECT_THAT(outcome.warnings, testing::Contains(testing::HasSubstr("the recording was moved")));
}

TEST_F(RecordTest, AnotherFolderInTheFoldersPlaceIsLeftAlone) {
    RecordOutcome outcome;
    record_and_read(in_out(shell(std::string(kVictim) + "; mv out.kymo aside.kymo; mv victim out.kymo")), outcome);
    expect_untouched("out.kymo");
    EXPECT_EQ(outcome.recording, folder_.path() / "aside.kymo");
}

TEST_F(RecordTest, AStartThatFailsRemovesNothingThroughALink) {
    RecordOptions options = in_out(shell("exit 0"));
    // Asked when the folder is there and before the program starts.
    class Refuses final : public RunParticipant {
      public:
        Result<void> started(RunScene& /*scene*/) override {
            const int done =
                std::system((std::string(kVictim) + "; mv out.kymo aside.kymo; ln -s victim out.kymo").c_str());
            EXPECT_EQ(done, 0);
            return Error{ErrorKind::kUnsupported, "not today", ""};
        }
    } refuses;
    options.participants.push_back(&refuses);
    EXPECT_FALSE(record(options));
    expect_untouched("victim");
    EXPECT_TRUE(fs::is_symlink("out.kymo"));
    EXPECT_TRUE(fs::is_empty("aside.kymo"));
}

TEST_F(RecordTest, ARemovedFolderIsToldAsSuch) {
    const auto outcome = record(in_out(shell("rm -r out.kymo; exit 5")));
    ASSERT_TRUE(outcome) << outcome.error().what;
    EXPECT_EQ(outcome->exit_status(), 5);
    ASSERT_TRUE(outcome->gone);
    EXPECT_THAT(outcome->gone->what, testing::HasSubstr("out.kymo was removed while the program ran"));
    EXPECT_FALSE(outcome->gone->next.empty());
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

// The program made them, or somebody else.
TEST_F(RecordTest, WhatIsNoFileInTheFolderIsToldAndLeft) {
    RecordOutcome outcome;
    record_and_read(in_out(shell("cd out.kymo; mkfifo process-1-0.krec; ln -s /dev/zero process-2-0.krec; "
                                 "mkdir process-3-0.krec; truncate -s 1T process-4-0.krec; "
                                 "printf 'KYMOREC\\n' | dd of=process-4-0.krec conv=notrunc 2>/dev/null")),
                    outcome);
    EXPECT_EQ(outcome.processes, 1U);
    EXPECT_THAT(outcome.warnings, testing::Contains(testing::HasSubstr("process-1-0.krec is not a regular file")));
    EXPECT_THAT(outcome.warnings, testing::Contains(testing::HasSubstr("process-2-0.krec is a symbolic link")));
    EXPECT_THAT(outcome.warnings, testing::Contains(testing::HasSubstr("process-3-0.krec is a directory")));
    EXPECT_THAT(outcome.warnings, testing::Contains(testing::HasSubstr("process-4-0.krec is damaged")));
}

}  // namespace
}  // namespace kymo::launch
