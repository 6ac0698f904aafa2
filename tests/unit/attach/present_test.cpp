#include "attach/present.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kymo::attach {
namespace {

namespace fs = std::filesystem;
namespace perf = import::perf;

TEST(Present, ParsesLinesOfMaps) {
    const auto maps = parse_maps(
        "555500001000-555500003000 r-xp 00001000 fe:01 1234                       /opt/my program\n"
        "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 \n"
        "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n");
    ASSERT_EQ(maps.size(), 3U);
    EXPECT_EQ(maps[0].begin, 0x5555'0000'1000U);
    EXPECT_EQ(maps[0].end, 0x5555'0000'3000U);
    EXPECT_EQ(maps[0].offset, 0x1000U);
    EXPECT_EQ(maps[0].inode, 1234U);
    EXPECT_TRUE(maps[0].executable);
    EXPECT_EQ(maps[0].path, "/opt/my program");
    EXPECT_FALSE(maps[1].executable);
    EXPECT_EQ(maps[1].path, "");
    EXPECT_EQ(maps[2].path, "[vdso]");
}

TEST(Present, PassesOverLinesThatMakeNoSense) {
    for (const char* text : {"", "\n\n", "1-2", "2-1 r-xp 0 0:0 0 /x", "zz-3 r-xp 0 0:0 0 /x", "1-2 r-xp q 0:0 0 /x",
                             "1-2 r-xp 0 0:0 x /x", "1 r-xp 0 0:0 0"}) {
        EXPECT_TRUE(parse_maps(text).empty()) << text;
    }
}

TEST(Present, FindsTheStateBehindAnyName) {
    EXPECT_EQ(parse_state("12 (cat) S 1 12"), 'S');
    EXPECT_EQ(parse_state("12 (a) R (b) D 1"), 'D');
    EXPECT_EQ(parse_state("12 (cat)"), '\0');
    EXPECT_EQ(parse_state(""), '\0');
}

class Kept : public perf::Visitor {
  public:
    void mapping(const perf::Mapping& row) override { paths.emplace_back(row.path); }
    void comm(const perf::Comm& row) override {
        names.emplace_back(std::to_string(row.tid) + " " + std::string(row.name));
    }
    void context_switch(const perf::Switch& row) override {
        if (row.out) {
            sleeping.push_back(row.tid);
        }
    }
    std::vector<std::string> paths;
    std::vector<std::string> names;
    std::vector<std::uint32_t> sleeping;
};

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

TEST(Present, TellsOfAProcessAsTheKernelWouldHave) {
    const fs::path proc = fs::path(testing::TempDir()) / ("proc" + std::to_string(getpid()));
    write(proc / "7" / "cmdline", std::string("server\0--port\0", 14));
    write(proc / "7" / "comm", "server\n");
    write(
        proc / "7" / "maps",
        "1000-2000 r-xp 0 0:0 1 /lib/one.so\n3000-4000 r--p 0 0:0 1 /lib/one.so\n5000-6000 r-xp 0 0:0 2 /bin/server\n"
        "7000-8000 r-xp 0 0:0 0\n");
    fs::create_symlink("/bin/server", proc / "7" / "exe");
    write(proc / "7" / "task" / "7" / "comm", "server\n");
    write(proc / "7" / "task" / "7" / "stat", "7 (server) S 1");
    write(proc / "7" / "task" / "9" / "comm", "worker\n");
    write(proc / "7" / "task" / "9" / "stat", "9 (worker) R 1");
    Kept kept;
    show_present(7, 100, kept, proc);
    EXPECT_EQ(kept.paths, (std::vector<std::string>{"/bin/server", "/lib/one.so", "//anon"}));
    EXPECT_EQ(kept.names, (std::vector<std::string>{"7 server", "9 worker"}));
    EXPECT_EQ(kept.sleeping, std::vector<std::uint32_t>{7});
    show_present(8, 100, kept, proc);  // not there
    EXPECT_EQ(kept.names.size(), 2U);
    fs::remove_all(proc);
}

}  // namespace
}  // namespace kymo::attach
