#include "parallel/end_workers.h"

#include "parallel/loops.h"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>

namespace kymo::parallel {
namespace {

std::ptrdiff_t threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

TEST(EndWorkers, LeavesTheCallerAlone) {
    if (workers() == 1) {
        GTEST_SKIP() << "one processor";
    }
    for (int round = 0; round < 2; ++round) {
        for_each_index(8, [](int /*index*/) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
        ASSERT_TRUE(end_workers());
        // The kernel lists a thread for a moment after its end.
        for (int tries = 0; threads() > 1 && tries < 1'000; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(threads(), 1);
    }
}

}  // namespace
}  // namespace kymo::parallel
