#include "launch/child.h"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace kymo::launch {
namespace {

ChildOptions options(const char* program, std::vector<std::string> arguments) {
    ChildOptions made;
    made.program = program;
    made.arguments = std::move(arguments);
    sigemptyset(&made.signal_mask);
    made.child_action.sa_handler = SIG_DFL;
    return made;
}

TEST(Child, RunsWhenReleased) {
    auto child = Child::fork(options("/bin/sh", {"sh", "-c", "exit 5"}));
    ASSERT_TRUE(child);
    EXPECT_EQ(waitpid(child->pid(), nullptr, WNOHANG), 0);
    EXPECT_EQ(child->release(), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child->pid(), &status, 0), child->pid());
    EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST(Child, TellsWhyItCouldNotExec) {
    auto child = Child::fork(options("/no/such/program", {"x"}));
    ASSERT_TRUE(child);
    EXPECT_EQ(child->release(), ENOENT);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // waited for
}

TEST(Child, ThatIsNeverReleasedIsEnded) {
    {
        auto child = Child::fork(options("/bin/sh", {"sh", "-c", "exit 5"}));
        ASSERT_TRUE(child);
    }
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ProgramEnvironment, PutsTheMonitorFirst) {
    const char* const ours[] = {"A=1", "LD_PRELOAD=/x.so:/y.so", "KYMO_SESSION=/old", "B=", nullptr};
    EXPECT_THAT(program_environment(ours, {"/m.so"}, "/rec"),
                testing::UnorderedElementsAre("A=1", "B=", "LD_PRELOAD=/m.so:/x.so:/y.so", "KYMO_SESSION=/rec"));
    const char* const bare[] = {nullptr};
    EXPECT_THAT(program_environment(bare, {"/m.so"}, "/rec"),
                testing::UnorderedElementsAre("LD_PRELOAD=/m.so", "KYMO_SESSION=/rec"));
    const char* const empty[] = {"LD_PRELOAD=", nullptr};
    EXPECT_THAT(program_environment(empty, {"/m.so"}, "/rec"),
                testing::UnorderedElementsAre("LD_PRELOAD=/m.so", "KYMO_SESSION=/rec"));
    EXPECT_THAT(
        program_environment(ours, {"/m.so", "/c.so"}, "/rec"),
        testing::UnorderedElementsAre("A=1", "B=", "LD_PRELOAD=/m.so:/c.so:/x.so:/y.so", "KYMO_SESSION=/rec"));
}

TEST(ProgramEnvironment, PutsASanitizersRunTimeBeforeTheMonitor) {
    const char* const ours[] = {"LD_PRELOAD=/x.so", nullptr};
    EXPECT_THAT(program_environment(ours, {"/m.so", "/c.so", "libasan.so.8"}, "/rec"),
                testing::UnorderedElementsAre("LD_PRELOAD=libasan.so.8::/m.so:/c.so:/x.so", "KYMO_SESSION=/rec"));
    // One that is the user's stays so.
    for (const std::string needed : {"", "libasan.so.8"}) {
        const char* const theirs[] = {"LD_PRELOAD=/lib/libasan.so.8 /x.so", nullptr};
        EXPECT_THAT(program_environment(theirs, {"/m.so", "", needed}, "/rec"),
                    testing::UnorderedElementsAre("LD_PRELOAD=/lib/libasan.so.8:/m.so:/x.so", "KYMO_SESSION=/rec"));
        const char* const alone[] = {"LD_PRELOAD=libasan.so.8", nullptr};
        EXPECT_THAT(program_environment(alone, {"/m.so", "", needed}, "/rec"),
                    testing::UnorderedElementsAre("LD_PRELOAD=libasan.so.8:/m.so", "KYMO_SESSION=/rec"));
    }
}

}  // namespace
}  // namespace kymo::launch
