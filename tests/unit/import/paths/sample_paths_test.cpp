// A walked path and a chain of frame pointers put together.
#include "import/paths/sample_paths.h"

#include <gtest/gtest.h>

namespace kymo::import {
namespace {

std::vector<Frame> frames(std::initializer_list<std::uint64_t> offsets) {
    std::vector<Frame> made;
    for (const std::uint64_t offset : offsets) {
        made.push_back({.image = 1, .offset = offset});
    }
    return made;
}

std::vector<std::uint64_t> joined(std::vector<Frame> walked, const std::vector<Frame>& chain) {
    std::vector<std::uint64_t> offsets;
    if (join_chain(walked, chain)) {
        for (const Frame& frame : walked) {
            offsets.push_back(frame.offset);
        }
    }
    return offsets;
}

using Offsets = std::vector<std::uint64_t>;

TEST(JoinChain, LeadsOnFromWhereTheWalkEnds) {
    // The chain lacks 20, which keeps no frame pointer.
    EXPECT_EQ(joined(frames({10, 20, 30, 40}), frames({10, 30, 40, 50, 60})), (Offsets{10, 20, 30, 40, 50, 60}));
}

TEST(JoinChain, CountsTheFramesOfARecursion) {
    EXPECT_EQ(joined(frames({10, 20, 20, 20}), frames({10, 20, 20, 20, 20, 30})), (Offsets{10, 20, 20, 20, 20, 30}));
    EXPECT_EQ(joined(frames({10, 20, 20}), frames({10, 20})), Offsets{});
}

TEST(JoinChain, LeadsOnBehindASignalFrame) {
    // 40 is the handler's return, which the chain takes for a call's; 50 is what was interrupted.
    EXPECT_EQ(joined(frames({10, 20, 40, 50}), frames({10, 20, 39, 60, 70})), (Offsets{10, 20, 40, 50, 60, 70}));
}

TEST(JoinChain, DoesNothingWhereTheyDoNotMeet) {
    EXPECT_EQ(joined(frames({10, 20, 30}), frames({10, 50, 60, 70})), Offsets{});
    EXPECT_EQ(joined(frames({10, 20, 30}), frames({10, 20, 30})), Offsets{});
    EXPECT_EQ(joined(frames({10}), frames({10, 20})), Offsets{});
    EXPECT_EQ(joined({}, frames({10})), Offsets{});
    auto generated = frames({10, 20, 30});
    generated.back().image = 0;  // no image: equal offsets say nothing
    auto chain = frames({10, 30, 40});
    chain[1].image = 0;
    EXPECT_EQ(joined(generated, chain), Offsets{});
}

}  // namespace
}  // namespace kymo::import
