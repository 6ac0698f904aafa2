// Contexts that stand for another stream's (recording::Join), as OpenMP workers' paths have them.
#include "made_recording.h"
#include "spacetime/profile/make_profile.h"
#include "spacetime/profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

using recording::WaitKind;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kMs;
using testing::MadeFile;
using ::testing::Not;
using testing::TemporaryFolder;

class Joins : public ::testing::Test {
  protected:
    Joins() : file_(std::make_unique<MadeFile>(folder_.path() / "process-1-0.krec", 1)) {
        file_->event(0, "task-clock", "ns", recording::EventMode::kPeriod, kMs);
    }

    void begin(std::uint32_t stream) { file_->begin_stream(stream, 0, 100 + stream, "t"); }
    // Context `number` of the stream stands for context `joined` of `other`.
    void join(std::uint32_t stream, std::uint64_t number, std::uint64_t other, std::uint64_t joined,
              std::uint64_t parent = 0) {
        file_->context(stream, number, parent, 0, 0);
        file_->stream(stream).append(recording::Join{number, other, joined});
    }
    void wait(std::uint32_t stream, WaitKind kind, std::uint64_t context, std::uint64_t holder) {
        file_->stream(stream).append(recording::Wait{.time = kMs,
                                                     .duration = kMs,
                                                     .kind = static_cast<std::uint64_t>(kind),
                                                     .object = 0xabc,
                                                     .context = context,
                                                     .holder = holder});
    }
    Profile load() {
        file_->close();
        const auto recording = recording::Recording::open(folder_.path());
        EXPECT_TRUE(recording.ok());
        auto profile = load_profile(*recording);
        EXPECT_TRUE(profile.ok());
        return std::move(profile).value();
    }

    // Offsets from the outermost frame to this node of the stream.
    static std::vector<std::uint64_t> path(const Profile& profile, std::uint32_t stream, std::uint32_t context) {
        std::vector<std::uint64_t> offsets;
        for (const ProfileStream& merged : profile.streams) {
            if (merged.stream == stream) {
                for (std::uint32_t at = merged.nodes.at(context); profile.nodes[at].kind == NodeKind::kFrame;
                     at = profile.nodes[at].parent) {
                    offsets.insert(offsets.begin(), profile.nodes[at].offset);
                }
            }
        }
        return offsets;
    }

    using Path = std::vector<std::uint64_t>;
    TemporaryFolder folder_;
    std::unique_ptr<MadeFile> file_;
};

// main 0x10 › solve 0x20 opens a region; the worker's body 0x30 calls 0x40.
TEST_F(Joins, AWorkersPathGoesOnWithItsOpeners) {
    begin(1);
    begin(2);
    join(2, 1, 1, 2);  // before what it refers to
    file_->context(2, 2, 1, 0, 0x30);
    file_->context(2, 3, 2, 0, 0x40);
    file_->context(1, 1, 0, 0, 0x10);
    file_->context(1, 2, 1, 0, 0x20);
    file_->context(1, 3, 2, 0, 0x30);
    file_->sample(2, kMs, 3, {kMs});
    file_->sample(1, kMs, 3, {kMs});
    const Profile profile = load();
    EXPECT_EQ(path(profile, 2, 3), (Path{0x10, 0x20, 0x30, 0x40}));
    // The opener's own share of the region is the same node, and has the time of both.
    const std::uint32_t body = profile.streams[0].nodes[3];
    EXPECT_EQ(profile.streams[1].nodes[2], body);
    EXPECT_EQ(profile.self[profile.streams[1].nodes[3]][kSamples], 1);
    EXPECT_EQ(profile.self[body][kSamples], 1);
    EXPECT_THAT(profile.warnings, Not(Contains(HasSubstr("refer to nothing"))));
}

TEST_F(Joins, RegionsLieInRegions) {
    for (const std::uint32_t stream : {1U, 2U, 3U}) {
        begin(stream);
    }
    file_->context(1, 1, 0, 0, 0x10);
    join(2, 1, 1, 1);
    file_->context(2, 2, 1, 0, 0x20);
    join(3, 1, 2, 2);
    file_->context(3, 2, 1, 0, 0x30);
    EXPECT_EQ(path(load(), 3, 2), (Path{0x10, 0x20, 0x30}));
}

// A pool's threads work in each other's regions, at different times.
TEST_F(Joins, StreamsMayJoinEachOtherBothWays) {
    begin(1);
    begin(2);
    file_->context(1, 1, 0, 0, 0x10);
    join(1, 2, 2, 1);
    file_->context(1, 3, 2, 0, 0x11);
    file_->context(2, 1, 0, 0, 0x20);
    join(2, 2, 1, 1);
    file_->context(2, 3, 2, 0, 0x21);
    const Profile profile = load();
    EXPECT_EQ(path(profile, 1, 3), (Path{0x20, 0x11}));
    EXPECT_EQ(path(profile, 2, 3), (Path{0x10, 0x21}));
    EXPECT_THAT(profile.warnings, Not(Contains(HasSubstr("back to themselves"))));
}

TEST_F(Joins, OfNothingStandForTheProcess) {
    begin(1);
    file_->context(1, 1, 0, 0, 0x10);
    join(1, 2, 77, 1);  // no such stream
    file_->context(1, 3, 2, 0, 0x11);
    join(1, 4, 1, 5000);  // no such context
    file_->context(1, 5, 4, 0, 0x12);
    join(1, 6, 0, 1);                                             // the file's own stream
    file_->stream(1).append(recording::Join{1234, 1, 1});         // a context that is not there
    file_->stream(1).append(recording::Join{5, 1, 1});            // one that is below another
    file_->stream(1).append(recording::Join{1, 1ULL << 40U, 1});  // no number of a stream
    file_->stream(1).append(recording::Join{1, 1, ~0ULL});        // no number of a context
    file_->stream(1).append(recording::Join{~0ULL, ~0ULL, ~0ULL});
    const Profile profile = load();
    EXPECT_EQ(path(profile, 1, 3), Path{0x11});
    EXPECT_EQ(path(profile, 1, 5), Path{0x12});
    EXPECT_EQ(path(profile, 1, 1), Path{0x10});
    EXPECT_THAT(profile.warnings, Contains(HasSubstr(": 8 rows that refer to nothing")));
}

TEST_F(Joins, CirclesAreCut) {
    for (const std::uint32_t stream : {1U, 2U, 3U}) {
        begin(stream);
    }
    join(1, 1, 1, 1);  // itself
    file_->context(1, 2, 1, 0, 0x11);
    join(1, 3, 1, 4);  // what is below it
    file_->context(1, 4, 3, 0, 0x12);
    join(2, 1, 3, 2);  // one another
    file_->context(2, 2, 1, 0, 0x20);
    join(3, 1, 2, 2);
    file_->context(3, 2, 1, 0, 0x30);
    wait(2, WaitKind::kOmpBarrier, 2, 103);
    const Profile profile = load();
    EXPECT_EQ(path(profile, 1, 2), Path{0x11});
    EXPECT_EQ(path(profile, 1, 4), Path{0x12});
    EXPECT_EQ(path(profile, 2, 2).size() + path(profile, 3, 2).size(), 3U);  // cut at one place only
    EXPECT_THAT(profile.warnings, Contains(HasSubstr("3 call paths that lead back to themselves")));
}

TEST_F(Joins, ACircleOfACreatorAndAJoinIsCut) {
    begin(1);
    file_->begin_stream(2, 0, 102, "t", 1, 2);
    join(1, 1, 2, 1);  // hangs below where 1 created 2
    file_->context(1, 2, 1, 0, 0x10);
    file_->context(2, 1, 0, 0, 0x20);
    file_->sample(1, kMs, 2, {kMs});
    const Profile profile = load();
    EXPECT_EQ(path(profile, 1, 2).back(), 0x10U);
    EXPECT_EQ(profile.threads[1].creator, 0U);
}

// No recursion, and nothing but the path itself grows.
TEST_F(Joins, ThousandsDeepAreFollowed) {
    constexpr std::uint32_t kStreams = 2000;
    for (std::uint32_t stream = 1; stream <= kStreams; ++stream) {
        begin(stream);
        if (stream < kStreams) {
            join(stream, 1, stream + 1, 2);
        } else {
            file_->context(stream, 1, 0, 0, 0x1);
        }
        file_->context(stream, 2, 1, 0, 0x10 + stream);
        wait(stream, WaitKind::kOmpIdle, 2, 0);
    }
    const Profile profile = load();
    const Path whole = path(profile, 1, 2);
    ASSERT_EQ(whole.size(), kStreams + 1U);
    EXPECT_EQ(whole.front(), 0x1U);
    EXPECT_EQ(whole.back(), 0x11U);
    for (const auto& [key, group] : profile.waits.groups) {
        EXPECT_LE(key.path.size(), kWaitPathFrames);
    }
}

// In a folder of several processes too, a lost path stays with its own.
TEST_F(Joins, LostPathsStayWithTheirProcess) {
    begin(1);
    join(1, 1, 1, 1);
    file_->context(1, 2, 1, 0, 0x10);
    {
        MadeFile other(folder_.path() / "process-2-0.krec", 2);
        other.begin_stream(1, 0, 201, "o");
        other.close();
    }
    const Profile profile = load();
    const auto& nodes = profile.streams[0].nodes;
    EXPECT_EQ(profile.nodes[profile.nodes[nodes[2]].parent].kind, NodeKind::kProcess);
}

TEST_F(Joins, WaitsAreGroupedByTheWholePath) {
    begin(1);
    begin(2);
    file_->context(1, 1, 0, 0, 0x10);
    file_->context(1, 2, 1, 0, 0x20);
    join(2, 1, 1, 2);
    file_->context(2, 2, 1, 0, 0x30);
    file_->context(2, 3, 1, 0, 0x30);  // the same frame once more
    wait(2, WaitKind::kOmpBarrier, 2, 101);
    wait(2, WaitKind::kOmpBarrier, 3, 101);
    wait(2, WaitKind::kOmpCritical, 2, 0);
    const Profile profile = load();
    ASSERT_EQ(profile.waits.groups.size(), 2U);
    const auto& [key, group] = *profile.waits.groups.begin();
    EXPECT_EQ(key.kind, WaitKind::kOmpBarrier);
    EXPECT_EQ(group.amount.count, 2U);
    EXPECT_EQ(key.holder.in(profile.waits.threads).tid, 101U);
    ASSERT_EQ(key.path.size(), 3U);
    EXPECT_EQ(key.path[0].offset, 0x30U);
    EXPECT_EQ(key.path[1].offset, 0x20U);
    EXPECT_EQ(key.path[2].offset, 0x10U);
    EXPECT_EQ(profile.threads[1].waits[0].context, profile.streams[1].nodes[2]);
}

}  // namespace
}  // namespace kymo::spacetime
