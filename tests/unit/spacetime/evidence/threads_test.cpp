// Evidence of two threads, made by hand: who a place's visitors are, and where the one that was waited for was.
#include "made_recording.h"
#include "spacetime/evidence/evidence.h"
#include "spacetime/evidence/make_evidence.h"
#include "spacetime/profile/make_profile.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using testing::kMs;
namespace rec = recording;

class ThreadsOfARun : public ::testing::Test {
  protected:
    void SetUp() override {
        launch_.emplace(folder_.path() / "launch.krec", 99);
        rec::Run run;
        run.command = std::string_view("./app\0", 6);
        run.processors = 2;
        launch_->own().append(run);
        file_.emplace(folder_.path() / "process-100-0.krec", 100);
        rec::Process process;
        process.pid = 100;
        process.executable = "/opt/app";
        process.mechanism = static_cast<std::uint64_t>(rec::Mechanism::kPerfEvents);
        file_->own().append(process);
        file_->event(0, "task-clock", "ns", rec::EventMode::kPeriod, kMs);
        rec::Image image;
        image.image = 1;
        image.path = "/nonexistent/app";
        image.build_id = "0123";
        file_->own().append(image);
    }
    // `count` samples, a millisecond each, from `begin` on.
    void spend(std::uint32_t stream, std::uint64_t begin_ms, std::uint64_t context, std::uint64_t count) {
        for (std::uint64_t i = 1; i <= count; ++i) {
            file_->sample(stream, (begin_ms + i) * kMs, context, {kMs});
        }
    }
    Evidence evidence(std::uint64_t end_ms) {
        rec::ProcessEnd end;
        end.time = end_ms * kMs;
        file_->own().append(end);
        file_->close();
        rec::RunEnd run_end;
        run_end.time = end_ms * kMs;
        launch_->own().append(run_end);
        launch_->close();
        const auto recording = rec::Recording::open(folder_.path());
        const auto profile = load_profile(*recording);
        NamedRun named = name_run(*profile);
        auto evidence = make_evidence(*recording, *profile, named);
        return std::move(*evidence);
    }
    static std::uint32_t node_of(const Evidence& evidence, const std::string& function) {
        for (std::uint32_t i = 0; i < evidence.nodes.size(); ++i) {
            if (evidence.nodes[i].place.function == function && evidence.nodes[i].kind == SpaceKind::kFunction) {
                return i;
            }
        }
        ADD_FAILURE() << "no node " << function;
        return 0;
    }

    testing::TemporaryFolder folder_;
    std::optional<testing::MadeFile> launch_;
    std::optional<testing::MadeFile> file_;
};

// main › work (10 ms), rest (5 ms), twice; in the first work it creates a thread, which then spends 30 ms in a
// function of its own.
TEST_F(ThreadsOfARun, AThreadIsNoVisitorOfThePlaceThatCreatedIt) {
    file_->begin_stream(1, 0, 100, "app");
    file_->begin_stream(2, 0, 101, "worker", 1, 2);
    file_->context(1, 1, 0, 1, 0x10);  // main
    file_->context(1, 2, 1, 1, 0x20);  // work
    file_->context(1, 3, 1, 1, 0x30);  // rest
    file_->context(2, 1, 0, 1, 0x50);
    for (std::uint64_t round = 0; round < 2; ++round) {
        spend(1, 15 * round, 2, 10);
        spend(1, 15 * round + 10, 3, 5);
    }
    spend(2, 0, 1, 30);
    file_->end_stream(1, 30 * kMs, {30 * kMs});
    file_->end_stream(2, 30 * kMs, {30 * kMs});
    const Evidence evidence = this->evidence(30);
    const SpaceNode& work = evidence.nodes[node_of(evidence, "app+0x20")];
    EXPECT_EQ(work.occurrences, 2U);
    EXPECT_EQ(work.threads, (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(work.total.user, static_cast<std::int64_t>(50 * kMs));  // what is created there counts for it
    const SpaceNode& worker = evidence.nodes[node_of(evidence, "app+0x50")];
    EXPECT_EQ(worker.parent, NodeIndex(node_of(evidence, "app+0x20")));
    EXPECT_EQ(worker.occurrences, 1U);
    EXPECT_EQ(worker.threads, (std::vector<std::uint32_t>{1}));
    EXPECT_EQ(worker.total.user, static_cast<std::int64_t>(30 * kMs));
}

// From 10 to 30 ms main waits for a lock that the worker has; the worker spends 12 of these in one function, 8 in
// another, and before and after them in a third.
TEST_F(ThreadsOfARun, WhoHadTheLockWasMostlyThere) {
    file_->begin_stream(1, 0, 100, "app");
    file_->begin_stream(2, 0, 101, "worker");
    file_->context(1, 1, 0, 1, 0x10);  // main
    file_->context(1, 2, 1, 1, 0x20);  // where it waits
    file_->context(2, 1, 0, 1, 0x50);
    file_->context(2, 2, 1, 1, 0x60);
    file_->context(2, 3, 1, 1, 0x70);
    spend(1, 0, 1, 10);
    rec::Wait wait;
    wait.time = 10 * kMs;
    wait.duration = 20 * kMs;
    wait.kind = static_cast<std::uint64_t>(rec::WaitKind::kMutex);
    wait.object = 0x1000;
    wait.context = 2;
    wait.holder = 101;
    file_->stream(1).append(wait);
    spend(1, 30, 1, 10);
    spend(2, 0, 1, 10);
    spend(2, 10, 2, 12);
    spend(2, 22, 3, 8);
    spend(2, 30, 1, 10);
    file_->end_stream(1, 40 * kMs, {20 * kMs});
    file_->end_stream(2, 40 * kMs, {40 * kMs});
    const Evidence evidence = this->evidence(40);
    ASSERT_EQ(evidence.wait_targets.size(), 1U);
    EXPECT_EQ(evidence.wait_targets[0].place.function, "app+0x20");
    EXPECT_EQ(evidence.wait_targets[0].holder, 1U);
    const WaitSum& sum = evidence.wait_sums[0];
    EXPECT_EQ(sum.ns, static_cast<std::int64_t>(20 * kMs));
    EXPECT_EQ(sum.count, 1U);
    EXPECT_EQ(sum.holder_place.function, "app+0x60");
    EXPECT_EQ(sum.holder_doing, rec::WaitKind{});
}

// Three waits for one condition: the second begins 1 µs after the first's end, the third after some work; one for
// another condition follows it at once.
TEST_F(ThreadsOfARun, WaitsInVainAreFollowedByTheSame) {
    file_->begin_stream(1, 0, 100, "app");
    file_->context(1, 1, 0, 1, 0x10);
    spend(1, 0, 1, 10);
    const auto wait = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t object) {
        rec::Wait row;
        row.time = begin;
        row.duration = end - begin;
        row.kind = static_cast<std::uint64_t>(rec::WaitKind::kCondition);
        row.object = object;
        row.context = 1;
        file_->stream(1).append(row);
    };
    wait(10 * kMs, 15 * kMs, 0x1000);
    wait(15 * kMs + 1'000, 20 * kMs, 0x1000);
    wait(20 * kMs + 50'000, 25 * kMs, 0x1000);
    wait(25 * kMs + 1'000, 30 * kMs, 0x2000);
    spend(1, 30, 1, 10);
    file_->end_stream(1, 40 * kMs, {20 * kMs});
    const Evidence evidence = this->evidence(40);
    ASSERT_EQ(evidence.wait_targets.size(), 2U);
    EXPECT_EQ(evidence.wait_sums[0].count, 3U);
    EXPECT_EQ(evidence.wait_sums[0].in_vain, 1U);
    EXPECT_EQ(evidence.wait_sums[1].in_vain, 0U);
}

// One thread works for 20 ms. The other works for 5 of them and then polls at a barrier until the end. Twice it is
// taken from its processor meanwhile: for 6 ms, after which it polls for 2 ms more (it lacked a processor for nothing
// but polling), and for the last 4, after which it is through (it may have been let go long ago).
TEST_F(ThreadsOfARun, WhoLacksAProcessorForPollingIsNotAtWork) {
    file_->begin_stream(1, 0, 100, "app");
    file_->begin_stream(2, 0, 101, "worker");
    file_->context(1, 1, 0, 1, 0x10);
    file_->context(2, 1, 0, 1, 0x50);
    file_->context(2, 2, 1, 1, 0x60);  // where it polls
    spend(1, 0, 1, 20);
    spend(2, 0, 1, 5);
    spend(2, 5, 2, 3);
    const auto preempt = [&](std::uint64_t begin_ms, std::uint64_t ms) {
        rec::Switch off;
        off.time = begin_ms * kMs;
        off.tid = 101;
        off.duration = ms * kMs;
        off.preempted = 1;
        launch_->own().append(off);
    };
    preempt(8, 6);
    spend(2, 14, 2, 2);
    preempt(16, 4);
    rec::Wait wait;
    wait.time = 5 * kMs;
    wait.duration = 15 * kMs;
    wait.kind = static_cast<std::uint64_t>(rec::WaitKind::kOmpBarrier);
    wait.object = 0x1000;
    wait.context = 2;
    file_->stream(2).append(wait);
    file_->end_stream(1, 20 * kMs, {20 * kMs});
    file_->end_stream(2, 20 * kMs, {10 * kMs});
    const Evidence evidence = this->evidence(20);
    EXPECT_EQ(evidence.run.threads[1].total.spinning, static_cast<std::int64_t>(5 * kMs));
    EXPECT_EQ(evidence.run.threads[1].total.run_queue, static_cast<std::int64_t>(10 * kMs));
    const OccurrenceTable& occurrences = evidence.nodes[node_of(evidence, "app+0x10")].rows;
    ASSERT_EQ(occurrences.size(), 1U);
    EXPECT_NEAR(occurrences.active_threads[0], 1 + (5 + 4) / 20.0, 0.01);
}

}  // namespace
}  // namespace kymo::spacetime
