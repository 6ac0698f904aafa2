// One stream's pieces into visits, on pieces written here.
#include "spacetime/evidence/stream_visits.h"

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
    VisitSums sums_;
    StreamVisits visits_{kept_, 0, kNone, 0, 0, {}, sums_};
    std::uint64_t time_ = 0;

    // So many milliseconds in a state at a place, with a sample at the end of each where it is known.
    void spend(std::uint64_t ms, ThreadState state, std::uint32_t node) {
        for (std::uint64_t i = 0; i < ms; ++i) {
            visits_.piece({time_, time_ + kMillisecond, state}, false, node, kStreamEdge);
            time_ += kMillisecond;
            if (node != kNone) {
                visits_.sample(time_, node, 0, {});
            }
        }
    }
};

// 5 ms in a, 4 ms that nobody recorded, 5 ms in a, 3 ms in b: one visit of a, of 14 ms, and ten of them are its own.
TEST_F(TwoFunctions, TimeAtNoKnownPlaceCutsNoVisitAndIsNoNodes) {
    spend(5, ThreadState::kUser, kOfA);
    spend(4, ThreadState::kOff, kNone);
    spend(5, ThreadState::kUser, kOfA);
    spend(3, ThreadState::kUser, kOfB);
    visits_.finish();
    ASSERT_EQ(sums_.nodes[0].visits, 1U);
    EXPECT_EQ(sums_.nodes[0].durations.longest, 14 * kMillisecond);
    EXPECT_EQ(sums_.nodes[0].gaps.count, 0U);
    const TimeTerms own = terms_of(sums_.nodes[0].own);
    EXPECT_EQ(own.user, std::int64_t{10 * kMillisecond});
    EXPECT_EQ(own.wall(), std::int64_t{10 * kMillisecond});
    const auto rows = std::move(sums_.nodes[0].sample).take(16);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(terms_of(rows[0].sums).wall(), std::int64_t{14 * kMillisecond});  // of the visit it is a part
    EXPECT_EQ(rows[0].end, 14 * kMillisecond);
    EXPECT_EQ(sums_.nodes[1].visits, 1U);
    EXPECT_EQ(sums_.nodes[1].durations.longest, 3 * kMillisecond);
}

// At another known place it is another matter: two visits of a, with a gap of what b took.
TEST_F(TwoFunctions, TimeAtAnotherPlaceCutsTheVisit) {
    spend(5, ThreadState::kUser, kOfA);
    spend(4, ThreadState::kUser, kOfB);
    spend(5, ThreadState::kUser, kOfA);
    visits_.finish();
    EXPECT_EQ(sums_.nodes[0].visits, 2U);
    EXPECT_EQ(sums_.nodes[0].gaps.count, 1U);
    EXPECT_EQ(sums_.nodes[0].gaps.total, 4 * kMillisecond);
}

}  // namespace
}  // namespace kymo::spacetime
