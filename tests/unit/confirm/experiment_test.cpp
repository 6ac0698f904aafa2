// Which experiments there are for which programs.
#include "confirm/experiment.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::confirm {
namespace {

std::vector<std::string> keys(std::string_view kind, const Platform& platform, bool has_code = false) {
    std::vector<std::string> result;
    for (const Experiment& experiment : experiments_for(kind, platform, has_code)) {
        EXPECT_FALSE(experiment.words.empty());
        EXPECT_EQ(experiment.settings.empty(), experiment.is_virtual || experiment.binds_threads);
        result.push_back(experiment.key);
    }
    return result;
}

using Keys = std::vector<std::string>;

TEST(Platform, IsReadFromTheProgramsLibraries) {
    const Platform gnu = platform_of({"/home/me/app", "/usr/lib/x86_64-linux-gnu/libgomp.so.1"}, 8);
    EXPECT_TRUE(gnu.has_openmp);
    EXPECT_TRUE(gnu.is_openmp_of_gnu);
    EXPECT_FALSE(gnu.has_other_allocator);
    EXPECT_EQ(gnu.processors, 8U);
    const Platform llvm = platform_of({"/opt/llvm/lib/libomp.so.5", "/usr/lib/libjemalloc.so.2"}, 8);
    EXPECT_TRUE(llvm.has_openmp);
    EXPECT_FALSE(llvm.is_openmp_of_gnu);
    EXPECT_TRUE(llvm.has_other_allocator);
    EXPECT_FALSE(platform_of({"/home/libgomp.so.d/app"}, 8).has_openmp);
}

TEST(Experiments, AreThoseThatReachTheCause) {
    const Platform plain{.has_huge_pages = true, .another_allocator = "/lib/libjemalloc.so.2", .processors = 4};
    EXPECT_EQ(keys("allocation-churn", plain), (Keys{"keep-memory", "other-allocator"}));
    EXPECT_EQ(keys("page-faults", plain), (Keys{"huge-pages", "keep-memory"}));
    EXPECT_EQ(keys("busy-wait", plain), Keys{}) << "not OpenMP's";
    EXPECT_EQ(keys("serial-section", plain), Keys{});
    Platform openmp = plain;
    openmp.has_openmp = true;
    EXPECT_EQ(keys("oversubscription", openmp), (Keys{"fewer-threads", "passive-waiting"}));
    EXPECT_EQ(keys("thread-migration", openmp), (Keys{"fixed-places", "own-processors"}));
    EXPECT_EQ(keys("thread-migration", plain), Keys{"own-processors"});
    Platform own = plain;
    own.has_other_allocator = true;
    EXPECT_EQ(keys("allocation-churn", own), Keys{}) << "the settings are the C library's";
}

TEST(Experiments, OfLoopsAndStreamsNeedThemInTheProgram) {
    Platform platform{.settings_library = "/lib/libkymo-settings.so"};
    for (const char* kind : {"load-imbalance", "fine-grained-tasks", "syscall-storm"}) {
        EXPECT_EQ(keys(kind, platform), Keys{});
    }
    platform.has_loops_by_piece = true;
    EXPECT_EQ(keys("load-imbalance", platform), Keys{"smaller-chunks"});
    EXPECT_EQ(keys("fine-grained-tasks", platform), Keys{"larger-chunks"});
    platform.has_loops_by_setting = true;
    EXPECT_EQ(keys("load-imbalance", platform), (Keys{"smaller-chunks", "dynamic-schedule"}));
    EXPECT_EQ(keys("fine-grained-tasks", platform), (Keys{"larger-chunks", "static-schedule"}));
    platform.opens_streams = true;
    EXPECT_EQ(keys("syscall-storm", platform), Keys{"larger-buffers"});
    EXPECT_EQ(keys("io-wait", platform), Keys{}) << "it waits for what is at the other end";
    platform.settings_library.clear();
    EXPECT_EQ(keys("syscall-storm", platform), Keys{}) << "not installed";
    EXPECT_EQ(keys("load-imbalance", platform), Keys{"dynamic-schedule"});
}

TEST(Experiments, EndWithTheVirtualSpeedUpOfWork) {
    Platform plain;
    plain.has_huge_pages = true;
    EXPECT_EQ(keys("division-bound", plain, true), Keys{"virtual-speed-up"});
    EXPECT_EQ(keys("serial-section", plain, true), Keys{"virtual-speed-up"});
    EXPECT_EQ(keys("page-faults", plain, true), (Keys{"huge-pages", "keep-memory", "virtual-speed-up"}));
    EXPECT_EQ(keys("division-bound", plain, false), Keys{}) << "its code is not known";
    for (const char* kind : {"io-wait", "lock-contention", "outside-interference", ""}) {
        EXPECT_EQ(keys(kind, plain, true), Keys{}) << kind << " is not work";
    }
}

TEST(Experiments, KnowWhatTheyCannotRefute) {
    Platform openmp;
    openmp.has_openmp = true;
    const auto tasks = experiments_for("fine-grained-tasks", openmp, false);
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_FALSE(tasks[0].can_refute);
}

}  // namespace
}  // namespace kymo::confirm
