// From a recording made by hand to the finding: a loop whose rounds are very uneven sleeps in every twelfth of them.
#include "findings/judge.h"
#include "made_evidence.h"
#include "made_recording.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"
#include "statistics/series.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::findings {
namespace {

namespace rec = recording;
using kymo::testing::MadeFile;
using spacetime::Evidence;

constexpr auto kMillisecond = static_cast<std::uint64_t>(kMs);
constexpr std::uint64_t kSleepMs = 70;

class RecordedLoop {
  public:
    RecordedLoop() : launch_(folder_.path() / "launch.krec", 99), file_(folder_.path() / "process-100-0.krec", 100) {
        rec::Run run;
        run.command = std::string_view("./app\0", 6);
        run.processors = 2;
        launch_.own().append(run);
        rec::Process process;
        process.pid = 100;
        process.executable = "/opt/app";
        process.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
        file_.own().append(process);
        file_.event(0, "task-clock", "ns", rec::EventMode::kPeriod, kMillisecond);
        rec::Image image;
        image.image = 1;
        image.path = "/nonexistent/app";
        image.build_id = "0123";
        file_.own().append(image);
        file_.begin_stream(1, 0, 100, "app");
        file_.context(1, 1, 0, 1, 0x10);  // main
        file_.context(1, 2, 1, 1, 0x20);  // compute
        file_.context(1, 3, 1, 1, 0x30);  // store
        file_.context(1, 4, 1, 1, 0x40);  // where it waits
    }
    void work(std::uint64_t context, std::uint64_t ms) {
        for (std::uint64_t i = 0; i < ms; ++i) {
            file_.sample(1, (now_ms_ += 1) * kMillisecond, context, {kMillisecond});
        }
        worked_ms_ += ms;
    }
    void wait(rec::WaitKind kind) {
        rec::Wait wait;
        wait.time = now_ms_ * kMillisecond;
        wait.duration = kSleepMs * kMillisecond;
        wait.kind = static_cast<std::uint64_t>(kind);
        wait.context = 4;
        file_.stream(1).append(wait);
        now_ms_ += kSleepMs;
    }
    Evidence evidence() {
        file_.end_stream(1, now_ms_ * kMillisecond, {worked_ms_ * kMillisecond});
        rec::ProcessEnd end;
        end.time = now_ms_ * kMillisecond;
        file_.own().append(end);
        file_.close();
        rec::RunEnd run_end;
        run_end.time = now_ms_ * kMillisecond;
        launch_.own().append(run_end);
        launch_.close();
        const auto recording = rec::Recording::open(folder_.path());
        const auto profile = spacetime::load_profile(*recording);
        spacetime::NamedRun named = spacetime::name_run(*profile);
        auto evidence = spacetime::make_evidence(*recording, *profile, named);
        return std::move(*evidence);
    }

  private:
    kymo::testing::TemporaryFolder folder_;
    MadeFile launch_;
    MadeFile file_;
    std::uint64_t now_ms_ = 0;
    std::uint64_t worked_ms_ = 0;
};

// Sixty rounds of 20 to 600 ms, and the last of them sleeps as well: nothing comes behind it.
Evidence uneven_loop(rec::WaitKind kind) {
    RecordedLoop loop;
    Random random(21);
    const std::vector<double> noise = stationary(60, 0.3, &random);
    for (int round = 0; round < 60; ++round) {
        loop.work(2, static_cast<std::uint64_t>(60 * std::exp(0.7 * noise[static_cast<std::size_t>(round)])) + 10);
        loop.work(3, 10);
        if (round % 12 == 11) {
            loop.wait(kind);
        }
    }
    loop.work(1, 10);
    return loop.evidence();
}

TEST(RecordedPause, IsFoundInUnevenRounds) {
    const Evidence evidence = uneven_loop(rec::WaitKind::kSleep);
    ASSERT_EQ(evidence.timed_waits.size(), 5U);
    for (const spacetime::TimedWait& wait : evidence.timed_waits) {
        EXPECT_EQ(wait.thread, 0U);
        EXPECT_EQ(wait.end - wait.begin, kSleepMs * kMillisecond);
        EXPECT_EQ(wait.ns, static_cast<std::int64_t>(kSleepMs * kMillisecond));
    }
    const Judgement judgement = judge(evidence);
    const Finding* finding = find(judgement.findings, "periodic-pause");
    ASSERT_NE(finding, nullptr);
    EXPECT_THAT(finding->title, ::testing::StartsWith("Every 12 rounds of `app+0x10`"));
    EXPECT_EQ(finding->place.function, "app+0x40");
    EXPECT_DOUBLE_EQ(finding->seconds, 5 * 0.070);
    EXPECT_EQ(finding->when.size(), 5U);
    EXPECT_TRUE(finding->tested);
}

// A wait for another thread is that one's matter.
TEST(RecordedPause, IsNoWaitForAThread) {
    const Evidence evidence = uneven_loop(rec::WaitKind::kBarrier);
    EXPECT_TRUE(evidence.timed_waits.empty());
    const Judgement judgement = judge(evidence);
    const Finding* finding = find(judgement.findings, "periodic-pause");
    EXPECT_TRUE(finding == nullptr || !finding->tested);
}

}  // namespace
}  // namespace kymo::findings
