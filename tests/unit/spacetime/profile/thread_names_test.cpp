// What threads are called that have no name of their own.
#include "spacetime/profile/thread_names.h"

#include <gtest/gtest.h>
#include <string>

namespace kymo::spacetime {
namespace {

// A process `cell` (pid 1) with a main thread; each thread that is added has one call path below the root.
struct MadeThreads {
    Profile profile;
    CallTree tree;

    MadeThreads() {
        profile.processes = {{.pid = 1, .executable = {}, .name = "cell"}};
        profile.nodes = {{.kind = NodeKind::kRoot}};
        tree.nodes = {{.kind = NodeKind::kRoot}};
        tree.node_of = {CallNodeIndex(0)};
        add(1, "cell", 0, {"_start", "main"});
    }

    // `path`: outermost first; "name|module", "module+0x…" without a name.
    void add(std::uint64_t tid, const std::string& name, std::uint64_t begin, const std::vector<std::string>& path,
             program::NameSource of_all = program::NameSource::kSymbol) {
        ProfileThread thread;
        thread.tid = tid;
        thread.name = name;
        thread.begin = begin;
        thread.end = begin + 100;
        ProfileStream stream;
        stream.thread = static_cast<std::uint32_t>(profile.threads.size());
        stream.nodes = {0};
        std::uint32_t parent = 0;
        for (const std::string& function : path) {
            const std::size_t bar = function.find('|');
            const std::size_t plus = function.find("+0x");
            tree.symbols.functions.push_back(
                {.name = function.substr(0, bar),
                 .module = bar != std::string::npos    ? function.substr(bar + 1)
                           : plus != std::string::npos ? function.substr(0, plus)
                                                       : std::string(),
                 .source = plus != std::string::npos ? program::NameSource::kFrame : of_all});
            tree.nodes.push_back({.parent = CallNodeIndex(parent),
                                  .function = static_cast<std::uint32_t>(tree.symbols.functions.size() - 1)});
            profile.nodes.push_back({.parent = parent});
            parent = static_cast<std::uint32_t>(profile.nodes.size() - 1);
            tree.node_of.push_back(CallNodeIndex(parent));
        }
        stream.nodes.push_back(parent);
        profile.threads.push_back(thread);
        profile.streams.push_back(stream);
        profile.waits.threads.push_back({.pid = 1, .tid = tid, .begin = begin, .name = name});
    }

    std::string name(std::size_t thread) {
        name_threads(tree, &profile);
        EXPECT_EQ(profile.waits.threads[thread].name, profile.threads[thread].name);
        return profile.threads[thread].name;
    }
};

TEST(ThreadNames, AreWhatTheyRunNumberedAsTheyWereCreated) {
    MadeThreads made;
    made.add(7, "cell", 20,
             {"clone3", "start_thread", "std::thread::_State_impl<int>::_M_run()", "worker(int)", "step(int)"});
    made.add(8, "cell", 10, {"clone3", "start_thread", "worker(int)"});
    made.add(9, "cell", 30, {"clone3", "start_thread", "serve"});
    EXPECT_EQ(made.name(1), "worker 2 of cell");
    EXPECT_EQ(made.name(2), "worker 1 of cell");
    EXPECT_EQ(made.name(3), "serve of cell");
    EXPECT_EQ(made.name(0), "cell");
}

TEST(ThreadNames, StayWhereAThreadHasOneOrNothingTells) {
    MadeThreads made;
    made.add(7, "renderer", 10, {"clone3", "start_thread", "worker"});
    made.add(8, "cell", 20, {"clone3", "libgomp.so.1+0x1e2fc"}, program::NameSource::kFrame);
    made.add(9, "cell", 30, {"_start", "main", "triangle"});  // lent to a parallel region
    EXPECT_EQ(made.name(1), "renderer");
    EXPECT_EQ(made.name(2), "cell");
    EXPECT_EQ(made.name(3), "cell");
}

// Its function has no name: what that calls has, but the thread was not started for it.
TEST(ThreadNames, AreNotOfWhatAFunctionWithoutANameCalls) {
    MadeThreads made;
    made.add(7, "cell", 10, {"clone3|libc.so.6", "start_thread|libc.so.6", "liblzma.so.5+0xccd0", "lzma_code"});
    made.add(8, "cell", 20,
             {"libc.so.6+0x8a1b0", "liblzma.so.5+0xccd0", "malloc|libc.so.6", "tcache_init|libc.so.6"});
    made.add(9, "cell", 30, {"clone3|libc.so.6", "start_thread|libc.so.6", "tcache_thread_shutdown|libc.so.6"});
    made.add(10, "cell", 40, {"libc.so.6+0x8a1b0", "libstdc++.so.6+0xd44a3", "worker(int)"});
    EXPECT_EQ(made.name(1), "cell");
    EXPECT_EQ(made.name(2), "cell");
    EXPECT_EQ(made.name(3), "cell");
    EXPECT_EQ(made.name(4), "worker of cell") << "below run-time libraries without names";
}

TEST(ThreadNames, OfAnInterpreterAreItsLanguages) {
    MadeThreads made;
    made.add(7, "", 10, {"clone3", "start_thread", "pythread_wrapper", "thread_run", "_PyEval_EvalFrameDefault"});
    EXPECT_EQ(made.name(1), "Python thread of cell");
}

}  // namespace
}  // namespace kymo::spacetime
