// Whose time is the program's own, and whose its libraries'.
#include "view/terminal/own_code.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo::view {
namespace {

using namespace spacetime;

constexpr CallNodeIndex kOutermost(0);

struct MadeCode {
    Profile profile;
    CallTree tree;

    MadeCode() {
        profile.processes = {{.pid = 1, .executable = "/home/me/app"}};
        profile.images = {{.path = "/home/me/app", .build_id = {}},
                          {.path = "/usr/lib/libz.so.1", .build_id = {}},
                          {.path = "/home/me/libmine.so", .build_id = {}}};
        tree.symbols.files = {"", "/home/me/app.cpp", "/usr/include/c++/12/bits/stl_algo.h"};
        tree.nodes = {{.kind = NodeKind::kRoot}};
        tree.self = CostTable(0);
        tree.self.resize(1);
    }

    CallNodeIndex call(CallNodeIndex caller, const std::string& name, const std::string& module, std::uint32_t file,
                       std::int64_t self_ns) {
        std::uint32_t function = 0;
        while (function < tree.symbols.functions.size() && tree.symbols.functions[function].name != name) {
            ++function;
        }
        if (function == tree.symbols.functions.size()) {
            tree.symbols.functions.push_back(
                {.name = name, .module = module, .file = file, .source = program::NameSource::kSymbol});
            tree.functions.push_back({.function = function});
            tree.function_self.resize(tree.functions.size());
            tree.function_total.resize(tree.functions.size());
        }
        tree.nodes.push_back({.parent = caller, .function = function});
        tree.self.resize(tree.nodes.size());
        tree.self[tree.nodes.size() - 1][kUser] = self_ns;
        return CallNodeIndex(tree.nodes.size() - 1);
    }
};

std::string row_of(const MadeCode& made, const OwnCode& own, std::size_t row) {
    return made.tree.symbols.functions[own.functions[row].function].name + " " +
           std::to_string(own.self[row][kUser]) + " " + std::to_string(own.libraries[row][kUser]);
}

TEST(OwnCode, HasTheTimeOfLibrariesUpToTheNextOwnFunction) {
    MadeCode made;
    const auto main = made.call(kOutermost, "main", "app", 1, 5);
    const auto sort = made.call(main, "std::sort", "app", 2, 7);  // inlined from a header
    const auto less = made.call(sort, "less", "app", 1, 11);      // own again
    made.call(made.call(less, "inflate", "libz.so.1", 0, 13), "crc", "libz.so.1", 0, 17);
    made.call(main, "helper", "libmine.so", 0, 19);       // came with the program
    made.call(kOutermost, "worker", "libz.so.1", 0, 23);  // of no own function

    const OwnCode own = own_code(made.profile, made.tree);
    ASSERT_EQ(own.functions.size(), 3U);
    EXPECT_EQ(row_of(made, own, 0), "main 5 7");
    EXPECT_EQ(row_of(made, own, 1), "less 11 30");
    EXPECT_EQ(row_of(made, own, 2), "helper 19 0");
}

TEST(OwnCode, IsThatOfTheSystemsProgramWhereNothingElseRan) {
    MadeCode made;
    made.profile.processes = {{.pid = 1, .executable = "/usr/bin/xz"}};
    made.profile.images = {{.path = "/usr/bin/xz", .build_id = {}},
                           {.path = "/usr/lib/liblzma.so.5", .build_id = {}}};
    const auto main = made.call(kOutermost, "main", "xz", 0, 5);
    made.call(main, "lzma_code", "liblzma.so.5", 0, 7);
    const OwnCode own = own_code(made.profile, made.tree);
    ASSERT_EQ(own.functions.size(), 1U);
    EXPECT_EQ(row_of(made, own, 0), "main 5 7");

    made.profile.processes.push_back({.pid = 2, .executable = "/home/me/app"});
    EXPECT_TRUE(own_code(made.profile, made.tree).functions.empty());
}

}  // namespace
}  // namespace kymo::view
