#include "attach/stack_size.h"

#include <gtest/gtest.h>

namespace kymo::attach {
namespace {

using import::StackUse;

class StackSizeTest : public ::testing::Test {
  protected:
    // So many stacks that needed this, and cut ones; then the rings are emptied.
    std::uint32_t see(std::uint64_t stacks, std::uint64_t need, std::uint64_t cut = 0) {
        for (std::uint64_t i = 0; i < stacks; ++i) {
            use_.add(need);
        }
        use_.cut += cut;
        return size_.next(use_, lost_);
    }
    std::uint32_t settle() {
        for (unsigned i = 0; i < StackSize::kSettling; ++i) {
            size_.next(use_, lost_);
        }
        return size_.bytes();
    }

    StackUse use_;
    std::uint64_t lost_ = 0;
    StackSize size_{8192, kMostStackBytes};
};

TEST_F(StackSizeTest, DoublesWhileStacksAreCutAndNoFurtherThanTheKernelCopies) {
    EXPECT_EQ(see(0, 0, 10), 8192U);  // too few to tell
    EXPECT_EQ(see(0, 0, 100), 16'384U);
    // Samples of the old size come yet, and say nothing of the new one.
    EXPECT_EQ(see(0, 0, 100), 16'384U);
    EXPECT_EQ(settle(), 16'384U);
    EXPECT_EQ(see(0, 0, 100), 32'768U);
    settle();
    EXPECT_EQ(see(0, 0, 100), kMostStackBytes);
    settle();
    EXPECT_EQ(see(0, 0, 100), kMostStackBytes);
}

TEST_F(StackSizeTest, AFewCutStacksChangeNothing) {
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(see(99, 8000, 1), 8192U);
    }
}

TEST_F(StackSizeTest, CutStacksAreAShareOfRecentOnes) {
    for (int i = 0; i < 20; ++i) {
        see(1024, 8000);
    }
    EXPECT_EQ(see(64, 8000, 64), 16'384U);
}

TEST_F(StackSizeTest, GetsSmallerWhenLittleIsNeeded) {
    EXPECT_EQ(see(StackSize::kFirstPatience - 1, 500), 8192U);
    EXPECT_EQ(see(1, 500), 1024U * 2);
    settle();
    // Needs up to half of a copy keep it.
    EXPECT_EQ(see(StackSize::kFirstPatience, 1000), 2048U);
    EXPECT_EQ(see(StackSize::kFirstPatience, 1500), 2048U);
}

TEST_F(StackSizeTest, RareDeepStacksKeepIt) {
    see(StackSize::kFirstPatience - 10, 500);
    EXPECT_EQ(see(10, 7000), 8192U);
    // One in some thousands does not.
    see(StackSize::kFirstPatience - 1, 500);
    EXPECT_EQ(see(1, 7000), 2048U);
}

TEST_F(StackSizeTest, IsSlowerToShrinkAgainWhenItHasGrown) {
    see(0, 0, 100);
    EXPECT_EQ(settle(), 16'384U);
    EXPECT_EQ(see(StackSize::kFirstPatience, 500), 16'384U);
    EXPECT_EQ(see(StackSize::kFirstPatience, 500), 2048U);
}

TEST_F(StackSizeTest, GoesBackForAWhileWhereRecordsAreLost) {
    see(0, 0, 100);
    settle();
    lost_ = 5;
    EXPECT_EQ(see(0, 0, 100), 8192U);
    settle();
    EXPECT_EQ(see(0, 0, 1000), 8192U);
    EXPECT_EQ(see(0, 0, 2 * StackSize::kFirstPatience), 16'384U);
}

TEST_F(StackSizeTest, GetsSmallerAtOnceWhereRecordsAreLost) {
    lost_ = 5;
    EXPECT_EQ(see(100, 900), 1024U);
    settle();
    EXPECT_EQ(see(0, 0, 100), 2048U);
}

TEST_F(StackSizeTest, StaysWhereItIsRefused) {
    EXPECT_EQ(see(0, 0, 100), 16'384U);
    size_.refused(8192);
    EXPECT_EQ(see(0, 0, 1000), 8192U);
}

TEST(StackUse, CountsByWhatHoldsTheNeed) {
    StackUse use;
    for (const std::uint64_t need : {0, 1024, 1025, 65'535, 1'000'000}) {
        use.add(need);
    }
    use.cut = 1;
    EXPECT_EQ(use.stacks(), 6U);
    EXPECT_EQ(use.above(1024), 4U);
    EXPECT_EQ(use.above(2048), 3U);
    EXPECT_EQ(use.above(65'536), 1U);
    EXPECT_EQ(use.since(use).stacks(), 0U);
}

}  // namespace
}  // namespace kymo::attach
