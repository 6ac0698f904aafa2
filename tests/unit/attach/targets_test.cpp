#include "attach/targets.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;

class Targets : public testing::Test {
  protected:
    Targets() {
        process(5, "kthread", "");
        process(12, "server", std::string("server\0-v\0", 10));
        process(13, "server", std::string("server: idle\0\0\0\0", 16));
        process(20, "other", std::string("other\0", 6));
        for (const int thread : {12, 14, 15}) {
            fs::create_directories(proc_ / "12" / "task" / std::to_string(thread));
        }
        fs::create_directories(proc_ / "sys");
        fs::create_directories(proc_ / "12x");
    }
    ~Targets() override { fs::remove_all(proc_); }

    void process(int pid, const std::string& name, const std::string& command) const {
        const fs::path folder = proc_ / std::to_string(pid);
        fs::create_directories(folder / "task" / std::to_string(pid));
        std::ofstream(folder / "comm") << name << '\n';
        std::ofstream(folder / "cmdline") << command;
        std::ofstream(folder / "maps");
        if (!command.empty()) {
            fs::create_symlink("/bin/" + name, folder / "exe");
        }
    }

    const fs::path proc_ = fs::path(testing::TempDir()) / ("targets" + std::to_string(getpid()));
};

TEST_F(Targets, AreFoundByTheirWholeName) {
    EXPECT_EQ(processes_named("server", proc_), (std::vector<pid_t>{12, 13}));
    EXPECT_TRUE(processes_named("serve", proc_).empty());
    EXPECT_TRUE(processes_named("", proc_).empty());
}

TEST_F(Targets, OfTheMachineAreThoseWithCode) {
    EXPECT_EQ(all_processes(proc_), (std::vector<pid_t>{12, 13, 20}));
}

TEST_F(Targets, HaveAllTheirThreads) {
    const auto threads = threads_of(std::array<pid_t, 2>{12, 20}, proc_);
    ASSERT_TRUE(threads);
    EXPECT_EQ(*threads, (std::vector<pid_t>{12, 14, 15, 20}));
}

TEST_F(Targets, ThatDoNotRunAreAnError) {
    const auto none = threads_of(std::array<pid_t, 2>{12, 99}, proc_);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
    EXPECT_EQ(none.error().what, "there is no process 99");
    const auto kernels = threads_of(std::array<pid_t, 1>{5}, proc_);
    ASSERT_FALSE(kernels);
    EXPECT_NE(kernels.error().what.find("kthread"), std::string::npos);
}

TEST_F(Targets, HaveTheirCommand) {
    EXPECT_EQ(command_of(12, proc_), (std::vector<std::string>{"server", "-v"}));
    EXPECT_EQ(command_of(13, proc_), std::vector<std::string>{"server: idle"});
    EXPECT_EQ(command_of(5, proc_), std::vector<std::string>{"[kthread]"});
}

TEST_F(Targets, OfAControlGroupAreThoseOfTheGroupsInIt) {
    fs::create_directories(proc_ / "group" / "inner");
    std::ofstream(proc_ / "group" / "cgroup.procs") << "20\n12\n";
    std::ofstream(proc_ / "group" / "inner" / "cgroup.procs") << "13\n12\n";
    EXPECT_EQ(processes_of_group(proc_ / "group"), (std::vector<pid_t>{12, 13, 20}));
    EXPECT_TRUE(processes_of_group(proc_ / "none").empty());
}

}  // namespace
}  // namespace kymo::attach
