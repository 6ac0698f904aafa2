#include "launch/started_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::launch {
namespace {

using Paths = std::vector<std::filesystem::path>;
using ::testing::HasSubstr;

constexpr const char* kPath = "/usr/bin:/bin";

Paths started(const std::vector<std::string>& command) {
    const auto programs = started_programs(command, kPath);
    EXPECT_TRUE(programs) << programs.error().what;
    return programs ? *programs : Paths{};
}

TEST(StartedPrograms, AreNoneOfAProgramItself) {
    EXPECT_EQ(started({"/bin/ls", "/bin/cat"}), Paths{});
    EXPECT_EQ(started({"make", "-j2"}), Paths{});
}

TEST(StartedPrograms, AreThoseOfMpirun) {
    EXPECT_EQ(started({"/usr/bin/mpirun", "--oversubscribe", "-n", "4", "-x", "A=1", "/bin/ls", "/bin/cat"}),
              Paths{"/bin/ls"});
    EXPECT_EQ(started({"mpiexec", "-n", "1", "/bin/ls", "-l", ":", "-n", "1", "/bin/cat"}),
              (Paths{"/bin/ls", "/bin/cat"}));
}

TEST(StartedPrograms, AreBehindWhatStandsBeforeThem) {
    EXPECT_EQ(started({"env", "A=1", "/bin/ls"}), Paths{"/bin/ls"});
    EXPECT_EQ(started({"nice", "-n", "5", "taskset", "1", "/bin/ls"}), Paths{"/bin/ls"});
    EXPECT_EQ(started({"mpirun", "-n", "2", "env", "A=1", "/bin/ls"}), Paths{"/bin/ls"});
}

TEST(StartedPrograms, AreToBeThere) {
    const std::vector<std::string> command = {"mpirun", "-n", "4", "./no-such-program"};
    const auto programs = started_programs(command, kPath);
    ASSERT_FALSE(programs);
    EXPECT_EQ(programs.error().kind, ErrorKind::kNotFound);
    EXPECT_THAT(programs.error().what, HasSubstr("no program among the words after mpirun"));
}

}  // namespace
}  // namespace kymo::launch
