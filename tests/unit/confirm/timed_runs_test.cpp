// A program is run in turns, with the settings in every other run, silent, in its directory; what its end says.
#include "confirm/timed_runs.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace kymo::confirm {
namespace {

namespace fs = std::filesystem;

class TimedRunsOf : public testing::Test {
  protected:
    TimedRunsOf() {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~TimedRunsOf() override { fs::remove_all(folder_); }

    Result<TimedRuns> run(const std::string& script, std::size_t pairs = 3, bool binds = false) {
        Experiment experiment{"test", "", {{"KYMO_TEST_SETTING", "on"}}};
        experiment.binds_threads = binds;
        return run_in_turns({{"sh", "-c", script}, folder_}, experiment, pairs,
                            [&](const TimedRuns& so_far) { told_.push_back(so_far.pairs.size()); });
    }

    std::string written() const {
        std::ifstream file(folder_ / "seen");
        std::string text;
        for (std::string line; std::getline(file, line);) {
            text += line;
        }
        return text;
    }

    fs::path folder_ = fs::temp_directory_path() / ("kymo_timed_runs_" + std::to_string(getpid()));
    std::vector<std::size_t> told_;
};

TEST_F(TimedRunsOf, AProgramTakeTurns) {
    const fs::path before = fs::current_path();
    const auto runs =
        run("echo ${KYMO_TEST_SETTING:-off} | cut -c 1-2 >> seen; echo noise; echo noise >&2; cat; exit 3");
    ASSERT_TRUE(runs) << runs.error().what;
    EXPECT_EQ(written(),
              "of"  // not counted
              "of"
              "on"
              "on"
              "of"
              "of"
              "on");
    EXPECT_EQ(runs->exit_status, 3);
    ASSERT_EQ(runs->pairs.size(), 3U);
    EXPECT_TRUE(std::all_of(runs->pairs.begin(), runs->pairs.end(),
                            [](const Pair& pair) { return pair.plain_s > 0 && pair.changed_s > 0; }));
    EXPECT_EQ(told_, (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(fs::current_path(), before);
}

TEST_F(TimedRunsOf, AProgramKeepTheUsersOwnLists) {
    setenv("GLIBC_TUNABLES", "glibc.malloc.check=0", 1);
    setenv("OMP_NUM_THREADS", "7", 1);
    const auto runs =
        run_in_turns({{"sh", "-c", "echo $GLIBC_TUNABLES,$OMP_NUM_THREADS\\; >> seen"}, folder_},
                     {"test", "", {{"GLIBC_TUNABLES", "glibc.malloc.mmap_max=0"}, {"OMP_NUM_THREADS", "2"}}}, 1,
                     [](const TimedRuns&) {});
    unsetenv("GLIBC_TUNABLES");
    unsetenv("OMP_NUM_THREADS");
    ASSERT_TRUE(runs) << runs.error().what;
    EXPECT_EQ(written(),
              "glibc.malloc.check=0,7;"
              "glibc.malloc.check=0,7;"
              "glibc.malloc.check=0:glibc.malloc.mmap_max=0,2;");
}

// The shell waits until it may run on one processor only, where it is to be bound.
TEST_F(TimedRunsOf, AProgramBindItsThreads) {
    cpu_set_t mine;
    ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
    if (CPU_COUNT(&mine) < 2) {
        GTEST_SKIP() << "one processor";
    }
    const auto runs =
        run("one() { grep '^Cpus_allowed_list:[^0-9]*[0-9]*$' /proc/$$/status >/dev/null; }\n"
            "i=0; while [ \"$KYMO_TEST_SETTING\" ] && ! one && [ $i -lt 500 ]; do sleep 0.02; i=$((i + 1)); done\n"
            "one && echo one >> seen || echo many >> seen",
            2, true);
    ASSERT_TRUE(runs) << runs.error().what;
    EXPECT_EQ(written(), "manymanyoneonemany");
    cpu_set_t after;
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&mine, &after));
}

TEST_F(TimedRunsOf, AProgramThatEndsOtherwiseAreNotCompared) {
    const auto runs = run("[ -z \"$KYMO_TEST_SETTING\" ] || exit 9");
    ASSERT_FALSE(runs);
    EXPECT_EQ(runs.error().kind, ErrorKind::kUnsupported);
    EXPECT_NE(runs.error().what.find("ended with 9 in the experiment, and with 0 before"), std::string::npos)
        << runs.error().what;
}

TEST_F(TimedRunsOf, AStoppedProgramAreThePairsUntilThen) {
    const auto runs = run("echo x >> seen; [ $(wc -l < seen) -lt 5 ] || kill -INT $$");
    ASSERT_TRUE(runs);
    EXPECT_TRUE(runs->is_stopped);
    EXPECT_EQ(runs->pairs.size(), 1U);
}

TEST_F(TimedRunsOf, AProgramThatIsGone) {
    fs::remove_all(folder_);
    const auto runs = run("true");
    ASSERT_FALSE(runs);
    EXPECT_EQ(runs.error().kind, ErrorKind::kNotFound);
    fs::create_directories(folder_);
    const auto unknown = run_in_turns({{"kymo-no-such-program"}, folder_}, {}, 1, [](const TimedRuns&) {});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, ErrorKind::kNotFound);
}

}  // namespace
}  // namespace kymo::confirm
