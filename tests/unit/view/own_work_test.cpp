// The monitor's own work among samples, and call paths that its table had no room for.
#include "made_recording.h"
#include "spacetime/profile/call_tree.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"
#include "view/summary.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kMs;
using testing::MadeFile;
using testing::TemporaryFolder;

class OwnWork : public ::testing::Test {
  protected:
    OwnWork() : file_(std::make_unique<MadeFile>(folder_.path() / "process-1-0.krec", 1)) {
        file_->event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
        file_->event(1, "page-faults", "", recording::EventMode::kCount, 0);
        image(1, "/nowhere/app");
        file_->begin_stream(1, 0, 101, "t");
        file_->context(1, 1, 0, 1, 0x10);
        file_->context(1, 2, 1, 1, 0x20);
    }

    void image(std::uint64_t id, const std::string& path) {
        recording::Image row;
        row.image = id;
        row.path = path;
        file_->own().append(row);
    }
    Profile load() {
        file_->close();
        const auto recording = recording::Recording::open(folder_.path());
        EXPECT_TRUE(recording.ok());
        auto profile = load_profile(*recording);
        EXPECT_TRUE(profile.ok());
        return std::move(profile).value();
    }
    static const ProfileNode* node_of(const Profile& profile, NodeKind kind) {
        for (const ProfileNode& node : profile.nodes) {
            if (node.kind == kind) {
                return &node;
            }
        }
        return nullptr;
    }

    TemporaryFolder folder_;
    std::unique_ptr<MadeFile> file_;
};

// A program that makes one long system call after the other: 0.4 s of the kernel's work for it, then a sample in the
// monitor's wrapper. What the monitor measured of its own work is its own, and no more.
TEST_F(OwnWork, IsWhatWasMeasuredOfItWhateverTheSampleMet) {
    file_->sample(1, 1 * kMs, 2, {kMs, 0});
    file_->stream(1).append(
        recording::Sample{.time = 400 * kMs, .context = 2, .deltas = std::array{399 * kMs, 0 * kMs}});
    file_->stream(1).append(recording::Sample{.time = 401 * kMs,
                                              .context = 2,
                                              .flags = recording::kOwnWork,
                                              .deltas = std::array{kMs, kMs * 0},
                                              .own_ns = kMs / 4});
    file_->end_stream(1, 401 * kMs, {401 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(processor_time(profile.own_work), static_cast<std::int64_t>(kMs / 4));
    const auto& costs = profile.threads.at(0).costs;
    EXPECT_EQ(costs.at(kUser) + costs.at(kSystem), static_cast<std::int64_t>(401 * kMs - kMs / 4));
    EXPECT_EQ(costs.at(kSystem), static_cast<std::int64_t>(398 * kMs));
}

TEST_F(OwnWork, ThatAnIntervalHasNoRoomForIsTakenFromTheNext) {
    file_->stream(1).append(recording::Sample{.time = 1 * kMs,
                                              .context = 2,
                                              .flags = recording::kOwnWork,
                                              .deltas = std::array{kMs, kMs * 0},
                                              .own_ns = 5 * kMs / 2});
    file_->sample(1, 2 * kMs, 2, {kMs, 0});
    file_->sample(1, 3 * kMs, 2, {kMs, 0});
    file_->sample(1, 4 * kMs, 2, {kMs, 0});
    file_->end_stream(1, 4 * kMs, {4 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(processor_time(profile.own_work), static_cast<std::int64_t>(5 * kMs / 2));
    EXPECT_EQ(profile.threads.at(0).costs.at(kUser), static_cast<std::int64_t>(3 * kMs / 2));
}

// Calls of 19 ms in the kernel, and of Kymo's work beside each 0.6 ms in the program's mode and 0.4 ms in the kernel.
TEST_F(OwnWork, InTheKernelIsSystemTimeAndTheRestUserTime) {
    for (std::uint64_t i = 1; i <= 5; ++i) {
        file_->stream(1).append(recording::Sample{.time = 20 * i * kMs,
                                                  .context = 2,
                                                  .deltas = std::array{20 * kMs, kMs * 0},
                                                  .own_ns = kMs,
                                                  .own_system_ns = 4 * kMs / 10,
                                                  .own_user_ns = 6 * kMs / 10});
    }
    file_->end_stream(1, 100 * kMs, {100 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(processor_time(profile.own_work), static_cast<std::int64_t>(5 * kMs));
    EXPECT_EQ(profile.threads.at(0).costs.at(kUser), static_cast<std::int64_t>(2 * kMs));
    EXPECT_EQ(profile.threads.at(0).costs.at(kSystem), static_cast<std::int64_t>(93 * kMs));
}

// Two milliseconds of work by the clock, in one of which another thread had the processor.
TEST_F(OwnWork, IsNoneWhileTheThreadIsOffItsProcessor) {
    file_->sample(1, 1 * kMs, 2, {kMs, 0});
    recording::Switch off;
    off.time = 2 * kMs;
    off.tid = 101;
    off.duration = kMs;
    off.preempted = 1;
    file_->own().append(off);
    file_->stream(1).append(recording::Sample{.time = 4 * kMs,
                                              .context = 2,
                                              .flags = recording::kOwnWork,
                                              .deltas = std::array{2 * kMs, kMs * 0},
                                              .own_ns = 5 * kMs / 2});
    file_->end_stream(1, 4 * kMs, {3 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(processor_time(profile.own_work), static_cast<std::int64_t>(3 * kMs / 2));
    EXPECT_EQ(profile.threads.at(0).costs.at(kUser) + profile.threads.at(0).costs.at(kSystem),
              static_cast<std::int64_t>(3 * kMs / 2));
}

// A monitor that measured none of its work: the program's time in the kernel is the program's.
TEST_F(OwnWork, OfEarlierMonitorsIsUserTimeAlone) {
    file_->sample(1, 1 * kMs, 2, {kMs, 0});
    file_->sample(1, 100 * kMs, 2, {99 * kMs, 0}, recording::kOwnWork);
    file_->end_stream(1, 100 * kMs, {100 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(processor_time(profile.own_work), static_cast<std::int64_t>(kMs));
    EXPECT_EQ(profile.threads.at(0).costs.at(kSystem), static_cast<std::int64_t>(98 * kMs));
}

// Program, Kymo, program, each a millisecond; one more to the end.
TEST_F(OwnWork, IsInNoTableButItsOwn) {
    file_->sample(1, 1 * kMs, 2, {kMs, 3});
    file_->sample(1, 2 * kMs, 2, {kMs, 5}, recording::kOwnWork);
    file_->sample(1, 3 * kMs, 2, {kMs, 7});
    file_->end_stream(1, 4 * kMs, {4 * kMs, 20});
    const Profile profile = load();
    EXPECT_EQ(profile.own_work.at(kUser), static_cast<std::int64_t>(kMs));
    EXPECT_EQ(profile.own_work.at(kSamples), 1);
    EXPECT_EQ(profile.own_work.at(kFirstEvent + 1), 5);
    ASSERT_EQ(profile.threads.size(), 1U);
    const ProfileThread& thread = profile.threads[0];
    EXPECT_EQ(thread.costs.at(kUser) + thread.costs.at(kSystem), 3 * static_cast<std::int64_t>(kMs));
    EXPECT_EQ(thread.costs.at(kFirstEvent + 1), 15) << "the rest of 20, those after the last sample with them";
    EXPECT_EQ(thread.costs.at(kSamples), 2);
    EXPECT_EQ(thread.paused_ns, 0) << "nobody switched measurement off";
    EXPECT_EQ(thread.states.sums().processor(), 3 * static_cast<std::int64_t>(kMs)) << "nor is it in the kymograph";
    const CallTree tree = make_call_tree(profile);
    EXPECT_EQ(processor_time(tree.total[0]), 3 * static_cast<std::int64_t>(kMs));
    EXPECT_THAT(view::sentences(profile, tree), ::testing::Contains(HasSubstr("Kymo itself: 25.0 %")));
}

TEST_F(OwnWork, IsKnownByItsImageInRecordingsOfEarlierMonitors) {
    image(2, "/usr/lib/kymo/libkymo-monitor.so");
    file_->context(1, 3, 2, 2, 0x99);
    file_->sample(1, 1 * kMs, 2, {kMs, 0});
    file_->sample(1, 2 * kMs, 3, {kMs, 0});
    file_->end_stream(1, 2 * kMs, {2 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(profile.own_work.at(kUser), static_cast<std::int64_t>(kMs));
    for (const ProfileNode& node : profile.nodes) {
        EXPECT_FALSE(node.kind == NodeKind::kFrame && node.offset == 0x99);
    }
    const CallTree tree = make_call_tree(profile);
    for (const FunctionCosts& row : tree.functions) {
        EXPECT_THAT(tree.symbols.functions[row.function].name, ::testing::Not(HasSubstr("libkymo")));
    }
}

// What an MPI program calls through a wrapper hangs below the program's own function, and the wrapper's time is
// Kymo's.
TEST_F(OwnWork, OfWrappersOfMpiCallsIsNoFrame) {
    image(2, "/usr/lib/kymo/libkymo-mpi.so");
    image(3, "/usr/lib/libmpi.so.40");
    file_->context(1, 3, 2, 2, 0x99);
    file_->context(1, 4, 3, 3, 0x50);
    file_->sample(1, 1 * kMs, 3, {kMs, 0});
    file_->sample(1, 3 * kMs, 4, {2 * kMs, 0});
    file_->end_stream(1, 3 * kMs, {3 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(profile.own_work.at(kUser), static_cast<std::int64_t>(kMs));
    const CallTree tree = make_call_tree(profile);
    std::vector<std::string> names;
    for (CallNodeIndex at = tree.node_of[profile.streams.at(0).nodes.at(4)]; at != CallNodeIndex(0);
         at = at.in(tree.nodes).parent) {
        names.push_back(tree.symbols.functions[at.in(tree.nodes).function].name);
    }
    EXPECT_THAT(names, ElementsAre("libmpi.so.40+0x50", "app+0x20", "app+0x10"));
}

TEST_F(OwnWork, OfWhichNoPathIsKnownIsNotMissingFromTheProgram) {
    file_->sample(1, 1 * kMs, 0, {kMs, 0},
                  recording::kOwnWork | static_cast<std::uint64_t>(recording::PathEnd::kNotWalked));
    file_->sample(1, 2 * kMs, 2, {kMs, 0});
    file_->end_stream(1, 2 * kMs, {2 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(profile.own_work.at(kUser), static_cast<std::int64_t>(kMs));
    EXPECT_EQ(node_of(profile, NodeKind::kNoPath), nullptr);
}

TEST_F(OwnWork, WithoutAnyNothingIsSaidOfIt) {
    file_->sample(1, 1 * kMs, 2, {kMs, 0});
    file_->end_stream(1, 1 * kMs, {kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(processor_time(profile.own_work), 0);
    EXPECT_THAT(view::sentences(profile, make_call_tree(profile)),
                ::testing::Not(::testing::Contains(HasSubstr("Kymo itself"))));
    EXPECT_THAT(view::alarms(profile), ::testing::IsEmpty());
}

TEST_F(OwnWork, PathsWithoutRoomHangBelowANodeThatSaysSo) {
    constexpr auto kNoRoom = static_cast<std::uint64_t>(recording::PathEnd::kNoRoom);
    file_->context(1, 3, 0, 1, 0x30);
    file_->stream(1).append(recording::OuterDropped{3});
    file_->context(1, 4, 3, 1, 0x40);
    file_->sample(1, 1 * kMs, 2, {kMs, 0}, recording::kFoldedRecursion);
    file_->sample(1, 2 * kMs, 4, {kMs, 0}, kNoRoom);
    file_->end_stream(1, 2 * kMs, {2 * kMs, 0});
    const Profile profile = load();
    EXPECT_EQ(profile.quality.folded, 1U);
    EXPECT_EQ(profile.quality.paths[kNoRoom], 1U);
    const CallTree tree = make_call_tree(profile);
    std::vector<std::string> names;
    for (CallNodeIndex at = tree.node_of[profile.streams.at(0).nodes.at(4)]; at != CallNodeIndex(0);
         at = at.in(tree.nodes).parent) {
        names.push_back(tree.symbols.functions[at.in(tree.nodes).function].name);
    }
    EXPECT_THAT(names, ElementsAre("app+0x40", "app+0x30", "[call paths beyond the table]"));
    EXPECT_EQ(node_of(profile, NodeKind::kPartial), nullptr);
    EXPECT_THAT(view::alarms(profile), ElementsAre(HasSubstr("50.0 % of the samples (1 of 2)")));
}

TEST_F(OwnWork, ARowThatNamesNoOutermostContextIsCounted) {
    file_->stream(1).append(recording::OuterDropped{0});
    file_->stream(1).append(recording::OuterDropped{2});
    file_->stream(1).append(recording::OuterDropped{77});
    file_->end_stream(1, kMs, {kMs, 0});
    EXPECT_THAT(load().warnings, ::testing::Contains(HasSubstr("3 rows that refer to nothing")));
}

}  // namespace
}  // namespace kymo::spacetime
