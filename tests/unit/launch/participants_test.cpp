// Who takes part in a run: told of each step, in order; who refuses ends it, and nothing is left.
#include "launch/run/companion_file.h"
#include "record_fixture.h"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

namespace kymo::launch {
namespace {

namespace fs = std::filesystem;

class Notes final : public RunParticipant {
  public:
    Notes(std::string name, std::vector<std::string>& steps) : name_(std::move(name)), steps_(steps) {}

    Result<void> prepare(const RecordOptions& /*options*/, const events::Session& session) override {
        EXPECT_GT(session.event_count, 0U);
        return note("prepare");
    }
    Result<void> started(RunScene& scene) override {
        EXPECT_EQ(kill(scene.program, 0), 0);
        EXPECT_FALSE(fs::exists("ran")) << "the program waits";
        every_.begin(scene.begun);
        return note("started");
    }
    std::uint64_t tick(RunScene& scene, std::uint64_t now) override {
        if (every_.is_due(now)) {
            ++ticks;
            every_.begin(now);
        }
        seen_gone = scene.is_gone;
        return every_.next();
    }
    void ended(RunScene& scene, RecordOutcome& outcome) override {
        EXPECT_TRUE(scene.is_gone);
        outcome.warnings.push_back(name_ + " was there");
        static_cast<void>(note("ended"));
    }

    std::string refuses_at;
    int ticks = 0;
    bool seen_gone = false;

  private:
    Result<void> note(const std::string& step) {
        steps_.push_back(name_ + " " + step);
        return step == refuses_at ? Result<void>(Error{ErrorKind::kUnsupported, name_ + " refuses", ""})
                                  : Result<void>();
    }

    std::string name_;
    std::vector<std::string>& steps_;
    Interval every_{20'000'000};
};

class ParticipantsTest : public RecordTest {
  protected:
    RecordOptions options(const std::string& script) {
        RecordOptions options = shell(script);
        options.output = "out.kymo";
        options.participants = {&first_, &second_};
        return options;
    }

    std::vector<std::string> steps_;
    Notes first_{"first", steps_};
    Notes second_{"second", steps_};
};

TEST_F(ParticipantsTest, EachStepIsToldInTheOrderOfTheList) {
    RecordOutcome outcome;
    record_and_read(options("touch ran; sleep 0.2"), outcome);
    EXPECT_THAT(steps_, testing::ElementsAre("first prepare", "second prepare", "first started", "second started",
                                             "first ended", "second ended"));
    EXPECT_GT(first_.ticks, 1);
    EXPECT_TRUE(first_.seen_gone);
    EXPECT_THAT(outcome.warnings, testing::IsSupersetOf({"first was there", "second was there"}));
}

TEST_F(ParticipantsTest, WhoRefusesBeforehandLetsNothingBeMade) {
    first_.refuses_at = "prepare";
    const auto outcome = record(options("touch ran"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().what, "first refuses");
    EXPECT_THAT(steps_, testing::ElementsAre("first prepare"));
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(ParticipantsTest, WhoRefusesAtTheStartLeavesNothingBehind) {
    second_.refuses_at = "started";
    const auto outcome = record(options("touch ran"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().what, "second refuses");
    EXPECT_FALSE(fs::exists("ran"));
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(ParticipantsTest, ACompanionsFileIsThereWhileTheProgramRuns) {
    class Told final : public CompanionFile {
      public:
        Told() : CompanionFile("plan") {}
        Result<void> prepare(const RecordOptions& /*options*/, const events::Session& /*session*/) override {
            set_text("what to do\n");
            return {};
        }

      private:
        void write_rows(recording::StreamWriter& rows) override {
            recording::Unavailable row;
            row.what = "a companion's row";
            rows.append(row);
        }
    } told;
    RecordOptions asked = shell("cp out.kymo/plan seen");
    asked.output = "out.kymo";
    told.fit(asked);
    EXPECT_TRUE(asked.is_about_every_process);
    RecordOutcome outcome;
    const Log log = record_and_read(asked, outcome);
    EXPECT_EQ(fs::file_size("seen"), 11U);
    EXPECT_FALSE(fs::exists("out.kymo/plan"));
    EXPECT_THAT(log.missing, testing::Contains("a companion's row"));
}

// A descriptor of a participant's is a reason for a tick, long before any is due.
TEST_F(ParticipantsTest, ADescriptorWakes) {
    class Woken final : public RunParticipant {
      public:
        Result<void> started(RunScene& scene) override {
            event_ = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
            scene.wakers.push_back({event_, POLLIN, 0});
            return {};
        }
        std::uint64_t tick(RunScene& scene, std::uint64_t /*now*/) override {
            std::uint64_t value = 0;
            if (!scene.is_gone && ::read(event_, &value, sizeof value) == sizeof value) {
                taken += value;
            }
            return kNeverDue;
        }
        void ended(RunScene& /*scene*/, RecordOutcome& /*outcome*/) override { close(event_); }
        std::uint64_t taken = 0;

      private:
        int event_ = -1;
    } woken;
    RecordOptions asked = shell("sleep 0.1");
    asked.participants = {&woken};
    RecordOutcome outcome;
    record_and_read(asked, outcome);
    EXPECT_EQ(woken.taken, 1U);
}

}  // namespace
}  // namespace kymo::launch
