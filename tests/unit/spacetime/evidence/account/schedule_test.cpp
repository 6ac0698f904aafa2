// What a stretch of a thread stood for in the length of the run, against schedules whose answer is known.
#include "spacetime/evidence/account/schedule.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::spacetime {
namespace {
namespace schedule {

using recording::WaitKind;

constexpr std::uint64_t kSecond = 1'000'000'000;

struct Stretch {
    StateInterval interval;
    WaitKind kind{};
};

Stretch stretch(ThreadState state, std::uint64_t begin_s, std::uint64_t end_s, WaitKind kind = {}) {
    return {{.begin = begin_s * kSecond, .end = end_s * kSecond, .state = state}, kind};
}

// What the run would be shorter by without each.
std::vector<double> shorter(const std::vector<Stretch>& stretches, std::uint64_t end_s, std::uint64_t processors) {
    ScheduleGrids grids(0, end_s * kSecond);
    for (const Stretch& each : stretches) {
        grids.add(each.interval, each.kind, false);
    }
    grids.settle();
    const Schedule schedule(grids, 0, end_s * kSecond, processors);
    std::vector<double> result;
    for (const Stretch& each : stretches) {
        result.push_back(static_cast<double>(schedule.shorter(each.interval, each.kind, false)) / kSecond);
    }
    return result;
}

constexpr double kBin = 0.001;  // s; a bin of a run of ten seconds is shorter

TEST(Schedule, WorkOfOneAloneCountsWholeAndOfTwoHalf) {
    const auto parts = shorter({stretch(ThreadState::kUser, 0, 10), stretch(ThreadState::kUser, 4, 10)}, 10, 2);
    EXPECT_NEAR(parts[0], 4 + 6 / 2.0, kBin);
    EXPECT_NEAR(parts[1], 6 / 2.0, kBin);
}

TEST(Schedule, AWaitForOthersCountsAsFarAsProcessorsCouldHaveServedIt) {
    // One works, one waits at a barrier: dealt evenly on two processors the ten seconds take five.
    const auto two = shorter(
        {stretch(ThreadState::kUser, 0, 10), stretch(ThreadState::kWaiting, 0, 10, WaitKind::kBarrier)}, 10, 2);
    EXPECT_NEAR(two[1], 5, kBin);
    // On one processor nothing is gained.
    const auto one = shorter(
        {stretch(ThreadState::kUser, 0, 10), stretch(ThreadState::kWaiting, 0, 10, WaitKind::kBarrier)}, 10, 1);
    EXPECT_NEAR(one[1], 0, kBin);
    // Three wait, four processors: the ten seconds take two and a half, and the three share what is gained.
    const auto four =
        shorter({stretch(ThreadState::kUser, 0, 10), stretch(ThreadState::kWaiting, 0, 10, WaitKind::kOmpBarrier),
                 stretch(ThreadState::kSpinning, 0, 10, WaitKind::kOmpBarrier),
                 stretch(ThreadState::kWaiting, 0, 10, WaitKind::kMutex)},
                10, 4);
    EXPECT_NEAR(four[1] + four[2] + four[3], 7.5, kBin);
    EXPECT_NEAR(four[1], 2.5, kBin);
}

TEST(Schedule, ADeviceCountsWhereNobodyWorks) {
    const auto parts =
        shorter({stretch(ThreadState::kWaiting, 0, 10, WaitKind::kRead), stretch(ThreadState::kUser, 6, 10),
                 stretch(ThreadState::kWaiting, 0, 6, WaitKind::kJoin)},
                10, 2);
    EXPECT_NEAR(parts[0], 6, kBin);
    EXPECT_NEAR(parts[2], 0, kBin) << "it waits for what the other waits for";
}

TEST(Schedule, TimeWithoutAProcessorIsTheProgramsOwnWhereItHasMoreThreadsThanProcessors) {
    const std::vector<Stretch> crowd = {stretch(ThreadState::kUser, 0, 10), stretch(ThreadState::kUser, 0, 10),
                                        stretch(ThreadState::kReady, 0, 10)};
    ScheduleGrids grids(0, 10 * kSecond);
    for (const Stretch& each : crowd) {
        grids.add(each.interval, each.kind, false);
    }
    grids.settle();
    const Schedule of_two(grids, 0, 10 * kSecond, 2);
    EXPECT_NEAR(static_cast<double>(of_two.crowded(crowd[2].interval)) / kSecond, 10, kBin);
    const Schedule of_four(grids, 0, 10 * kSecond, 4);
    EXPECT_EQ(of_four.crowded(crowd[2].interval), 0) << "others had the processors";
}

}  // namespace schedule
}  // namespace
}  // namespace kymo::spacetime
