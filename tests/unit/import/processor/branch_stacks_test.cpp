// What branch stacks add up to, as far as their room goes.
#include "import/processor/branch_stacks.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <vector>

namespace kymo::import {
namespace {

AddressSpace with_one_image() {
    AddressSpace space;
    space.map(0x1000, 0x1000, {.image = 3, .bias = 0x1000});
    return space;
}

TEST(BranchSums, TakeNoMoreRoomThanThereIs) {
    const AddressSpace space = with_one_image();
    BranchSums sums;
    EXPECT_TRUE(sums.empty());
    std::size_t room = 3;
    // Newest first: two branches and the range between them; the same again takes no more.
    const std::vector<perf::Branch> stack = {{0x1020, 0x1000, 2}, {0x1040, 0x1010, 2}};
    sums.add(space, stack, StackKind::kEvery, &room);
    sums.add(space, stack, StackKind::kEvery, &room);
    EXPECT_EQ(room, 0U);
    EXPECT_EQ(sums.size(), 3U);
    sums.add(space, std::vector<perf::Branch>{{0x1030, 0x1000, 2}}, StackKind::kEvery, &room);
    EXPECT_EQ(room, 0U);
    EXPECT_EQ(sums.size(), 3U);
    EXPECT_FALSE(sums.empty());
}

TEST(BranchSums, HaveNoRangesOfSelectedBranchesAndNothingOfCallers) {
    const AddressSpace space = with_one_image();
    const std::vector<perf::Branch> stack = {{0x1020, 0x1000, 2}, {0x1040, 0x1010, 2}};
    std::size_t room = 100;
    BranchSums selected;
    selected.add(space, stack, StackKind::kSelected, &room);
    EXPECT_EQ(selected.size(), 2U);
    BranchSums callers;
    callers.add(space, stack, StackKind::kCallers, &room);
    EXPECT_EQ(callers.size(), 0U);
    EXPECT_FALSE(callers.empty());
}

TEST(BranchSums, LeaveOutWhatIsNoCodeAndWhatCannotHaveRun) {
    const AddressSpace space = with_one_image();
    std::size_t room = 100;
    BranchSums sums;
    // From outside; backwards; to outside; and addresses at the end of the space.
    sums.add(space, std::vector<perf::Branch>{{0x9000, 0x1000, 1}}, StackKind::kEvery, &room);
    sums.add(space, std::vector<perf::Branch>{{0x1020, 0x1000, 1}, {0x1800, 0x1f00, 1}}, StackKind::kEvery, &room);
    sums.add(space, std::vector<perf::Branch>{{~0ULL, ~0ULL, ~0ULL}, {0, 0, 0}}, StackKind::kEvery, &room);
    EXPECT_EQ(sums.size(), 2U) << "the two branches of the second stack";
}

TEST(StackKind, IsWhatTheEventAskedFor) {
    perf::Attribute event;
    event.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
    EXPECT_EQ(stack_kind(event), StackKind::kEvery);
    event.branch_sample_type = PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_USER;
    EXPECT_EQ(stack_kind(event), StackKind::kSelected);
    event.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER;
    EXPECT_EQ(stack_kind(event), StackKind::kCallers);
}

}  // namespace
}  // namespace kymo::import
