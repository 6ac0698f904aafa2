#include "launch/job.h"

#include "temporary_folder.h"

#include <atomic>
#include <cerrno>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace kymo::launch {
namespace {

TEST(JobFolder, TheFirstRankMakesItAndTheOthersJoin) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "r.kymo";
    EXPECT_EQ(make_job_folder(path, {0, 2, "a"}), 0);
    EXPECT_EQ(make_job_folder(path, {1, 2, "a"}), 0);
    struct stat facts{};
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0700U);
}

TEST(JobFolder, AnothersIsRefused) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "r.kymo";
    EXPECT_EQ(make_job_folder(path, {0, 2, "a"}), 0);
    EXPECT_EQ(make_job_folder(path, {1, 2, "b"}), EEXIST);
    EXPECT_EQ(make_job_folder(path, {1, 3, "a"}), EEXIST);
    const auto plain = folder.path() / "plain.kymo";
    std::filesystem::create_directory(plain);
    EXPECT_EQ(make_job_folder(plain, {0, 2, "a"}), EEXIST);
    EXPECT_EQ(make_job_folder(folder.path() / "none" / "r.kymo", {0, 2, "a"}), ENOENT);
}

TEST(JobFolder, ARaceHasOneWinnerAndNoLoser) {
    const TemporaryFolder folder;
    for (int round = 0; round < 30; ++round) {
        const auto path = folder.path() / ("r" + std::to_string(round));
        std::atomic<int> failed = 0;
        std::vector<std::thread> ranks;
        for (std::uint64_t rank = 0; rank < 4; ++rank) {
            ranks.emplace_back([&, rank] { failed += make_job_folder(path, {rank, 4, "a"}) != 0; });
        }
        for (std::thread& rank : ranks) {
            rank.join();
        }
        EXPECT_EQ(failed, 0);
    }
    std::size_t left = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        ++left;
    }
    EXPECT_EQ(left, 30U);  // nothing half-made
}

}  // namespace
}  // namespace kymo::launch
