#include "attach/asleep.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;

TEST(Asleep, ParsesACallWithItsArgumentsAndPointers) {
    const auto sleeper = parse_call("202 0x7f01 0x189 0x0 0x2 0x5 0x6 0x7ffc10 0x7f9876543210\n");
    ASSERT_TRUE(sleeper);
    EXPECT_EQ(sleeper->call, 202U);
    EXPECT_EQ(sleeper->arguments, (std::array<std::uint64_t, 4>{0x7f01, 0x189, 0, 2}));
    EXPECT_EQ(sleeper->stack_pointer, 0x7ffc10U);
    EXPECT_EQ(sleeper->program_counter, 0x7f98'7654'3210U);
}

TEST(Asleep, FindsNoCallInOtherTexts) {
    for (const char* text :
         {"", "\n", "running\n", "-1 0x7ffc10 0x401000\n", "202 0x1 0x2\n", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7\n",
          "202 1x 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n", "202 0x11111111111111111 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n"}) {
        EXPECT_FALSE(parse_call(text)) << text;
    }
}

class AsleepFiles : public testing::Test {
  protected:
    AsleepFiles() {
        fs::create_directories(task());
        write(proc_ / "7" / "mem", std::string(0x1000, '.') + std::string(0x20, 's'));
    }
    ~AsleepFiles() override { fs::remove_all(proc_); }
    fs::path task() const { return proc_ / "7" / "task" / "9"; }
    static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

    const fs::path proc_ = fs::path(testing::TempDir()) / ("asleep" + std::to_string(getpid()));
};

TEST_F(AsleepFiles, HasTheStackFromItsPointerOnAsFarAsThereIsMemory) {
    write(task() / "syscall", "0 0x3 0x0 0x0 0x0 0x0 0x0 0x1008 0x401000\n");
    const Asleep asleep = read_asleep(7, 9, 64, proc_);
    ASSERT_EQ(asleep.end, AsleepEnd::kRead);
    EXPECT_EQ(std::string(asleep.sleeper.stack.begin(), asleep.sleeper.stack.end()), std::string(0x18, 's'));
}

TEST_F(AsleepFiles, HasNoStackWhereThePointerLeadsNowhere) {
    write(task() / "syscall", "0 0x3 0x0 0x0 0x0 0x0 0x0 0xffffffffffffff00 0x401000\n");
    const Asleep asleep = read_asleep(7, 9, 64, proc_);
    ASSERT_EQ(asleep.end, AsleepEnd::kRead);
    EXPECT_TRUE(asleep.sleeper.stack.empty());
}

TEST_F(AsleepFiles, SaysWhyThereIsNone) {
    EXPECT_EQ(read_asleep(7, 9, 64, proc_).end, AsleepEnd::kAwake);  // it has ended
    write(task() / "syscall", "running\n");
    EXPECT_EQ(read_asleep(7, 9, 64, proc_).end, AsleepEnd::kAwake);
    write(task() / "syscall", "-1 0x7ffc10 0x401000\n");
    EXPECT_EQ(read_asleep(7, 9, 64, proc_).end, AsleepEnd::kNotACall);
    write(task() / "syscall", "");
    EXPECT_EQ(read_asleep(7, 9, 64, proc_).end, AsleepEnd::kAwake);
    write(task() / "syscall", "0 0x3 0x0 0x0 0x0 0x0 0x0 0x1008 0x401000\n");
    fs::remove(proc_ / "7" / "mem");
    EXPECT_EQ(read_asleep(7, 9, 64, proc_).end, AsleepEnd::kAwake);
}

}  // namespace
}  // namespace kymo::attach
