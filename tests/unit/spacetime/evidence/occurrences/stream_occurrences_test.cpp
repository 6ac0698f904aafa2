// One stream's pieces into occurrences, on pieces written here.
#include "spacetime/evidence/occurrences/stream_occurrences.h"

#include "spacetime/evidence/occurrences/occurrence_pass.h"

#include <gtest/gtest.h>

namespace kymo::spacetime {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint32_t kOfA = 1;  // profile nodes
constexpr std::uint32_t kOfB = 2;

// Two functions at the top, a and b: kept nodes 0 and 1.
class TwoFunctions : public ::testing::Test {
  protected:
    KeptNodes kept_{
        .structure = {1, 2}, .parent = {kNone, kNone}, .depth = {0, 0}, .leaf_of = {kNone, 0, 1}, .children = {0, 0}};
    OccurrenceSums sums_;
    StreamOccurrences occurrences_{kept_, 0, kNone, 0, 0, {}, sums_};
    std::uint64_t time_ = 0;

    // So many milliseconds in a state at a place, with a sample at the end of each where it is known.
    void spend(std::uint64_t ms, ThreadState state, std::uint32_t node) {
        for (std::uint64_t i = 0; i < ms; ++i) {
            occurrences_.piece({time_, time_ + kMillisecond, state}, false, node, kStreamEdge);
            time_ += kMillisecond;
            if (node != kNone) {
                occurrences_.sample(time_, node, 0, {});
            }
        }
    }
};

// 5 ms in a, 4 ms that nobody recorded, 5 ms in a, 3 ms in b: one occurrence of a, of 14 ms, and ten of them are its
// own.
TEST_F(TwoFunctions, TimeAtNoKnownPlaceCutsNoOccurrenceAndIsNoNodes) {
    spend(5, ThreadState::kUser, kOfA);
    spend(4, ThreadState::kOff, kNone);
    spend(5, ThreadState::kUser, kOfA);
    spend(3, ThreadState::kUser, kOfB);
    occurrences_.finish();
    ASSERT_EQ(sums_.nodes[0].occurrences, 1U);
    EXPECT_EQ(sums_.nodes[0].durations.longest, 14 * kMillisecond);
    EXPECT_EQ(sums_.nodes[0].gaps.count, 0U);
    const TimeTerms own = terms_of(sums_.nodes[0].own);
    EXPECT_EQ(own.user, std::int64_t{10 * kMillisecond});
    EXPECT_EQ(own.wall(), std::int64_t{10 * kMillisecond});
    const auto rows = std::move(sums_.nodes[0].sample).take(16);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(terms_of(rows[0].sums).wall(), std::int64_t{14 * kMillisecond});  // of the occurrence it is a part
    EXPECT_EQ(rows[0].end, 14 * kMillisecond);
    EXPECT_EQ(sums_.nodes[1].occurrences, 1U);
    EXPECT_EQ(sums_.nodes[1].durations.longest, 3 * kMillisecond);
}

// A sample whose call path is lost says nothing of where the thread was: one occurrence of a, of 8 ms and 8 samples,
// 7 its own.
TEST_F(TwoFunctions, SampleAtNoKnownPlaceCutsNoOccurrence) {
    spend(5, ThreadState::kUser, kOfA);
    spend(1, ThreadState::kUser, kNone);
    occurrences_.sample(time_, kNone, 0, {});
    spend(2, ThreadState::kUser, kOfA);
    occurrences_.finish();
    ASSERT_EQ(sums_.nodes[0].occurrences, 1U);
    EXPECT_EQ(sums_.nodes[0].durations.longest, 8 * kMillisecond);
    EXPECT_EQ(sums_.nodes[0].own[kSumSamples], 7);
    const auto rows = std::move(sums_.nodes[0].sample).take(16);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].sums[kSumSamples], 8);
}

// Of call paths without their root end, what lies in a space that is kept is there if such samples are a fifth or
// more; else they are all lost, and what is in no kept space always is.
TEST(LostNodes, AreOfPartialPaths) {
    Profile profile;
    profile.nodes = {{.kind = NodeKind::kRoot},
                     {.parent = 0},                              // on a whole path, in no kept space
                     {.parent = 0, .kind = NodeKind::kPartial},  // 2
                     {.parent = 2},                              // not kept
                     {.parent = 3},                              // in a kept space
                     {.parent = 0, .kind = NodeKind::kNoPath},   // 5
                     {.parent = 0, .kind = NodeKind::kUnsampled}};
    profile.self.resize(profile.nodes.size());
    const KeptNodes kept{.structure = {1},
                         .parent = {kNone},
                         .depth = {0},
                         .leaf_of = {kNone, kNone, kNone, kNone, 0, kNone, kNone},
                         .children = {0}};
    profile.self[1][kSamples] = 79;
    profile.self[3][kSamples] = 1;
    profile.self[4][kSamples] = 20;
    EXPECT_EQ(lost_nodes(profile, kept), (std::vector<bool>{false, false, true, true, false, true, false}));
    profile.self[1][kSamples] = 85;
    EXPECT_EQ(lost_nodes(profile, kept), (std::vector<bool>{false, false, true, true, true, true, false}));
}

// At another known place it is another matter: two occurrences of a, with a gap of what b took.
TEST_F(TwoFunctions, TimeAtAnotherPlaceCutsTheOccurrence) {
    spend(5, ThreadState::kUser, kOfA);
    spend(4, ThreadState::kUser, kOfB);
    spend(5, ThreadState::kUser, kOfA);
    occurrences_.finish();
    EXPECT_EQ(sums_.nodes[0].occurrences, 2U);
    EXPECT_EQ(sums_.nodes[0].gaps.count, 1U);
    EXPECT_EQ(sums_.nodes[0].gaps.total, 4 * kMillisecond);
}

// What there was between two occurrences belongs to the second: 3 ms in b with 3 × 7 events, 2 ms waiting in b.
TEST(GapBefore, HasTheTimeAndTheEventsBetween) {
    const KeptNodes kept{
        .structure = {1, 2}, .parent = {kNone, kNone}, .depth = {0, 0}, .leaf_of = {kNone, 0, 1}, .children = {0, 0}};
    OccurrenceSums sums;
    StreamOccurrences occurrences(kept, 0, kNone, 0, 1, {}, sums);
    std::uint64_t time = 0;
    const auto spend = [&](std::uint64_t ms, std::uint32_t node, std::int64_t events) {
        for (std::uint64_t i = 0; i < ms; ++i) {
            occurrences.piece({time, time + kMillisecond, ThreadState::kUser}, false, node, kStreamEdge);
            time += kMillisecond;
            occurrences.sample(time, node, 0, std::vector{events});
        }
    };
    spend(5, kOfA, 1);
    spend(3, kOfB, 7);
    occurrences.piece({time, time + 2 * kMillisecond, ThreadState::kWaiting}, false, kOfB, 0);
    time += 2 * kMillisecond;
    spend(5, kOfA, 1);
    occurrences.finish();
    const auto rows = std::move(sums.nodes[0].sample).take(16);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_TRUE(rows[0].gap.empty()) << "nothing came before it";
    const TimeTerms gap = terms_of(rows[1].gap);
    EXPECT_EQ(gap.user, std::int64_t{3 * kMillisecond});
    EXPECT_EQ(gap.waiting, std::int64_t{2 * kMillisecond});
    EXPECT_EQ(gap.wall(), std::int64_t{5 * kMillisecond});
    EXPECT_EQ(rows[1].gap[kFirstCounter], 21);
}

}  // namespace
}  // namespace kymo::spacetime
