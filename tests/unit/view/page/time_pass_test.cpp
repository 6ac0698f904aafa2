#include "view/page/time_pass.h"

#include "made_recording.h"
#include "spacetime/profile/make_profile.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace kymo::view {
namespace {

using kymo::testing::kMs;

class TimePassOfTwoThreads : public ::testing::Test {
  protected:
    void SetUp() override {
        kymo::testing::write_two_threads(folder_.path());
        recording_.emplace(recording::Recording::open(folder_.path()).value());
        profile_ = spacetime::load_profile(*recording_).value();
        requests_ = spacetime::frames_to_name(profile_);
        tree_ = spacetime::make_call_tree(profile_, requests_, program::symbolize(requests_));
        leaves_ = make_leaves(profile_, tree_, requests_, 1000);
    }
    TimePass run(TimeRange range, std::uint64_t width) {
        return run_time_pass(*recording_, profile_, leaves_,
                             {.range = range, .width = width, .single_pieces = true, .events = {1}})
            .value();
    }
    kymo::testing::TemporaryFolder folder_;
    std::optional<recording::Recording> recording_;
    spacetime::Profile profile_;
    std::vector<program::Request> requests_;
    spacetime::CallTree tree_;
    Leaves leaves_;
};

// Cells and single pieces both add up to every thread's states; what events counted is all there.
TEST_F(TimePassOfTwoThreads, NothingIsLostOrCountedTwice) {
    for (const std::uint64_t width : {kMs / 3, kMs, 7 * kMs, 100 * kMs}) {
        const TimePass pass = run({0, profile_.end - profile_.begin}, width);
        ASSERT_EQ(pass.finest.first.size(), profile_.threads.size() + 1);
        std::uint64_t faults = 0;
        for (std::size_t thread = 0; thread < profile_.threads.size(); ++thread) {
            std::map<std::uint32_t, std::int64_t> cells;
            std::map<std::uint32_t, std::int64_t> pieces;
            for (std::size_t i = pass.finest.first[thread]; i < pass.finest.first[thread + 1]; ++i) {
                cells[pass.finest.key[i] & 7U] += static_cast<std::int64_t>(pass.finest.ns[i]);
                faults += pass.finest.events[0][i];
            }
            for (std::size_t i = 0; i < pass.pieces[thread].length.size(); ++i) {
                pieces[pass.pieces[thread].key[i] & 7U] += static_cast<std::int64_t>(pass.pieces[thread].length[i]);
            }
            const auto sums = profile_.threads[thread].states.sums();
            for (std::uint32_t state = 0; state < spacetime::kThreadStates; ++state) {
                EXPECT_EQ(cells[state], sums.ns[state]) << "thread " << thread << " state " << state;
                EXPECT_EQ(pieces[state], sums.ns[state]) << "thread " << thread << " state " << state;
            }
        }
        EXPECT_EQ(faults, 7U) << "those between samples; what came after the last is in totals only";
    }
}

// work (0x30) below main: 2 ms of user time in the first 2 ms, at its own leaf.
TEST_F(TimePassOfTwoThreads, TimeStandsAtItsLeaf) {
    const TimePass pass = run({0, 2 * kMs}, kMs);
    std::map<std::uint32_t, std::uint64_t> by_leaf;
    for (std::size_t i = pass.finest.first[0]; i < pass.finest.first[1]; ++i) {
        by_leaf[pass.finest.key[i] >> kStateBits] += pass.finest.ns[i];
    }
    ASSERT_EQ(by_leaf.size(), 1U);
    const auto [leaf, ns] = *by_leaf.begin();
    EXPECT_EQ(ns, 2 * kMs);
    const spacetime::CallNode& node = leaves_.nodes[leaves_.leaves[leaf].node].in(tree_.nodes);
    EXPECT_NE(tree_.symbols.functions[node.function].name.find("0x30"), std::string::npos);
}

TEST_F(TimePassOfTwoThreads, ARangeHoldsOnlyItself) {
    const TimePass pass = run({5 * kMs, 9 * kMs}, kMs);
    for (std::size_t thread = 0; thread < 2; ++thread) {
        std::uint64_t sum = 0;
        for (std::size_t i = pass.finest.first[thread]; i < pass.finest.first[thread + 1]; ++i) {
            EXPECT_GE(pass.finest.bin[i], 5U);
            EXPECT_LT(pass.finest.bin[i], 9U);
            sum += pass.finest.ns[i];
        }
        EXPECT_EQ(sum, 4 * kMs);
        EXPECT_EQ(pass.pieces[thread].begin, 5 * kMs);
    }
}

// Call paths that are not kept belong to the nearest kept caller.
TEST_F(TimePassOfTwoThreads, DroppedNodesGoToTheirCallers) {
    const Leaves few = make_leaves(profile_, tree_, requests_, 3);
    EXPECT_EQ(few.nodes.size(), 3U);
    for (std::uint32_t node = 0; node < profile_.nodes.size(); ++node) {
        ASSERT_LT(few.leaf_of[node], few.leaves.size());
        ASSERT_LT(few.leaves[few.leaf_of[node]].node, few.nodes.size());
    }
    for (std::size_t node = 1; node < few.parents.size(); ++node) {
        EXPECT_LT(few.parents[node], node);
    }
}

}  // namespace
}  // namespace kymo::view
