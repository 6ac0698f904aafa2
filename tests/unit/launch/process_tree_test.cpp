#include "launch/process_tree.h"

#include <gtest/gtest.h>

namespace kymo::launch {
namespace {

class ProcessTreeTest : public testing::Test {
  protected:
    bool of(KernelChange change, std::uint32_t pid, std::uint32_t tid) {
        KernelRecord record;
        record.change = change;
        record.pid = pid;
        record.tid = tid;
        return tree_.take(record);
    }
    bool fork(std::uint32_t parent, std::uint32_t pid, std::uint32_t tid) {
        KernelRecord record;
        record.change = KernelChange::kFork;
        record.pid = pid;
        record.tid = tid;
        record.parent_pid = parent;
        return tree_.take(record);
    }

    ProcessTree tree_{100};
};

TEST_F(ProcessTreeTest, BeginsWithTheProgramsExec) {
    EXPECT_FALSE(of(KernelChange::kSwitchIn, 100, 100));
    EXPECT_FALSE(fork(100, 101, 101));
    EXPECT_FALSE(of(KernelChange::kLost, 0, 0));
    EXPECT_FALSE(of(KernelChange::kExec, 99, 99));
    EXPECT_TRUE(of(KernelChange::kExec, 100, 100));
    EXPECT_TRUE(of(KernelChange::kSwitchIn, 100, 100));
    EXPECT_TRUE(of(KernelChange::kMap, 100, 100));
    EXPECT_TRUE(of(KernelChange::kLost, 0, 0));
    EXPECT_FALSE(of(KernelChange::kSwitchIn, 99, 99));
}

TEST_F(ProcessTreeTest, FollowsThreadsAndProcessesToTheirEnd) {
    of(KernelChange::kExec, 100, 100);
    EXPECT_TRUE(fork(100, 100, 102));  // a thread
    EXPECT_TRUE(fork(100, 200, 200));  // a process
    EXPECT_TRUE(fork(200, 200, 201));
    EXPECT_FALSE(fork(50, 300, 300));
    EXPECT_TRUE(of(KernelChange::kExit, 100, 100));
    EXPECT_TRUE(of(KernelChange::kSwitchOut, 100, 102));  // the first thread is gone, another is not
    EXPECT_TRUE(of(KernelChange::kExit, 100, 102));
    EXPECT_FALSE(of(KernelChange::kSwitchOut, 100, 102));
    EXPECT_FALSE(of(KernelChange::kExit, 100, 102));
    EXPECT_TRUE(of(KernelChange::kRename, 200, 201));  // children outlive the program
    EXPECT_FALSE(of(KernelChange::kExec, 100, 100));   // the number, used again
}

TEST_F(ProcessTreeTest, AnExecByAnotherThreadGoesOnUnderTheProcesssNumber) {
    of(KernelChange::kExec, 100, 100);
    fork(100, 100, 102);
    EXPECT_TRUE(of(KernelChange::kExit, 100, 100));
    EXPECT_TRUE(of(KernelChange::kExec, 100, 100));
    EXPECT_TRUE(of(KernelChange::kSwitchIn, 100, 100));
}

TEST_F(ProcessTreeTest, ANumberUsedAgainByOthersIsNotOurs) {
    of(KernelChange::kExec, 100, 100);
    fork(100, 200, 200);  // whose end is lost
    EXPECT_FALSE(fork(50, 200, 200));
    EXPECT_FALSE(of(KernelChange::kSwitchIn, 200, 200));
}

}  // namespace
}  // namespace kymo::launch
