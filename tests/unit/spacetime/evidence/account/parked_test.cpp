// Threads without work to do: who they are, and that the account does not count on their time.
#include "spacetime/evidence/account/parked.h"

#include "spacetime/evidence/make_account.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace kymo::spacetime {
namespace {
namespace parked {

using recording::WaitKind;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kRun = 10 * kSecond;

// Works for so long at the beginning, and then waits.
ProfileThread thread(WaitKind kind, std::uint64_t work_ns = 0, std::uint32_t creator = 0) {
    ProfileThread made;
    made.end = kRun;
    made.creator = creator;
    made.waits.push_back({.begin = work_ns, .end = kRun, .kind = kind});
    made.states.add({.begin = 0, .end = work_ns, .state = ThreadState::kUser});
    made.states.add({.begin = work_ns, .end = kRun, .state = ThreadState::kWaiting, .wait = 0});
    return made;
}

Profile profile(std::vector<ProfileThread> threads) {
    Profile made;
    made.end = kRun;
    made.nodes.emplace_back();
    made.threads = std::move(threads);
    return made;
}

bool is_parked(const Profile& made, std::uint32_t number) {
    return ParkedThreads(made).is_parked(number, ThreadState::kWaiting, made.threads[number].waits[0].kind);
}

TEST(ParkedThreads, WaitForWorkAndDoHardlyAny) {
    const Profile made = profile({thread(WaitKind::kJoin, 0, kNone), thread(WaitKind::kCondition),
                                  thread(WaitKind::kCondition, kSecond / 5), thread(WaitKind::kBarrier),
                                  thread(WaitKind::kPoll), thread(WaitKind::kOmpIdle, kSecond)});
    EXPECT_FALSE(is_parked(made, 0));
    EXPECT_TRUE(is_parked(made, 1));
    EXPECT_FALSE(is_parked(made, 2)) << "it works for a fiftieth of its life";
    EXPECT_FALSE(is_parked(made, 3)) << "others wait for it as well";
    EXPECT_TRUE(is_parked(made, 4));
    EXPECT_TRUE(is_parked(made, 5)) << "between its team's regions";
    EXPECT_FALSE(ParkedThreads(made).is_parked(1, ThreadState::kReady, WaitKind::kCondition));
    EXPECT_TRUE(ParkedThreads(made).is_parked(5, ThreadState::kSpinning, WaitKind::kOmpIdle));
}

TEST(ParkedThreads, DoNotWaitForTheThreadsThatTheyMade) {
    EXPECT_FALSE(is_parked(profile({thread(WaitKind::kCondition, 0, kNone), thread(WaitKind::kCondition)}), 0));
    EXPECT_TRUE(is_parked(profile({thread(WaitKind::kCondition, 0, kNone)}), 0));
    EXPECT_TRUE(is_parked(profile({thread(WaitKind::kAccept, 0, kNone), thread(WaitKind::kCondition)}), 0));
}

// One works, one waits for it, six more are idle: what the wait is worth does not depend on the six, and these are
// worth nothing.
TEST(ParkedThreads, CountForNothingInTheAccount) {
    std::vector<ProfileThread> threads = {thread(WaitKind::kBarrier, 9 * kSecond, kNone), thread(WaitKind::kBarrier)};
    threads.resize(8, thread(WaitKind::kCondition));
    const Profile made = profile(std::move(threads));
    const ParkedThreads parked(made);
    ScheduleGrids grids(0, kRun);
    constexpr std::uint32_t kBarrier = 0;
    constexpr std::uint32_t kCondition = 1;
    std::vector<WaitTarget> targets(2);
    targets[kBarrier].kind = WaitKind::kBarrier;
    targets[kCondition].kind = WaitKind::kCondition;
    const auto each = [&](const auto& visit) {
        for (std::uint32_t i = 0; i < made.threads.size(); ++i) {
            made.threads[i].states.for_each(0, kRun, [&](const StateInterval& interval) {
                visit(i, interval, made.threads[i].wait_of(interval));
            });
        }
    };
    each([&](std::uint32_t number, const StateInterval& interval, WaitKind kind) {
        if (!parked.is_parked(number, interval.state, kind)) {
            grids.add(interval, kind, false);
        }
    });
    grids.settle();
    const Schedule schedule(grids, 0, kRun, 8);
    std::vector<AccountEntry> entries;
    each([&](std::uint32_t number, const StateInterval& interval, WaitKind kind) {
        const bool is_wait = interval.state == ThreadState::kWaiting;
        const std::uint32_t target = kind == WaitKind::kBarrier ? kBarrier : kCondition;
        entries.push_back({.thread = number,
                           .target = is_wait ? target : std::uint32_t{kNone},
                           .state = interval.state,
                           .ns = duration_of(interval),
                           .shorter_ns = schedule.shorter(interval, kind, false)});
    });
    const std::vector<WaitSum> sums(targets.size());
    PathEnds paths;
    paths.ends.emplace_back();
    const Account account = make_account(made, paths, {}, targets, sums, entries, {});
    for (const AccountRow& row : account.rows) {
        if (row.time_class == TimeClass::kParked) {
            EXPECT_EQ(row.ns, static_cast<std::int64_t>(6 * kRun));
            EXPECT_EQ(row.shorter_ns, 0);
        } else if (row.time_class == TimeClass::kBarrierWait) {
            EXPECT_NEAR(static_cast<double>(row.shorter_ns) / kSecond, 4.5, 0.01);
        } else {
            EXPECT_EQ(row.time_class, TimeClass::kWork);
            EXPECT_NEAR(static_cast<double>(row.shorter_ns) / kSecond, 9, 0.01);
        }
    }
    EXPECT_EQ(account.rows.size(), 3U);
}

}  // namespace parked
}  // namespace
}  // namespace kymo::spacetime
