// The accounts of a virtual speed-up: threads made by hand, on a clock that only this test moves.
#include "monitor/speed_up/delays.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

namespace kymo::monitor {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

class Accounts : public ::testing::Test {
  protected:
    // Pauses for exactly what is due.
    std::uint64_t pause(Delays::Account& own) {
        const std::uint64_t due = delays_->due(own);
        Delays::pay(own, due, due);
        return due;
    }

    std::unique_ptr<Delays> delays_ = std::make_unique<Delays>();  // large
};

TEST_F(Accounts, OfOneThreadOnlySaves) {
    Delays::Account own;
    delays_->save(own, 3 * kMillisecond);
    EXPECT_EQ(delays_->total(), 3 * kMillisecond);
    EXPECT_EQ(delays_->due(own), 0U);
    EXPECT_EQ(own.paid, 3 * kMillisecond);
}

TEST_F(Accounts, OfOthersPauseForWhatIsSaved) {
    Delays::Account faster;
    Delays::Account other;
    delays_->save(faster, kMillisecond);
    EXPECT_EQ(pause(other), kMillisecond);
    EXPECT_EQ(pause(other), 0U);
    delays_->save(faster, kMillisecond);
    EXPECT_EQ(pause(other), kMillisecond);
    EXPECT_EQ(delays_->total(), 2 * kMillisecond);
}

// Each is as much faster as the other: none has to wait, and the run is shorter by the time once.
TEST_F(Accounts, OfThreadsThatSaveTogetherPauseForNothing) {
    Delays::Account one;
    Delays::Account two;
    delays_->save(one, kMillisecond);
    delays_->save(two, kMillisecond);
    EXPECT_EQ(delays_->due(one), 0U);
    EXPECT_EQ(delays_->due(two), 0U);
    EXPECT_EQ(delays_->total(), kMillisecond);
}

TEST_F(Accounts, OfAThreadThatSavesAndHasMissedSomePauseForTheRest) {
    Delays::Account one;
    Delays::Account two;
    delays_->save(one, 3 * kMillisecond);
    delays_->save(two, kMillisecond);
    EXPECT_EQ(pause(two), 2 * kMillisecond);
    EXPECT_EQ(delays_->total(), 3 * kMillisecond) << "what is paid is not saved";
}

TEST_F(Accounts, LeaveSmallPausesForLater) {
    Delays::Account faster;
    Delays::Account other;
    delays_->save(faster, Delays::kLeastPause - 1);
    EXPECT_EQ(delays_->due(other), 0U);
    delays_->save(faster, 1);
    EXPECT_EQ(delays_->due(other), Delays::kLeastPause);
}

TEST_F(Accounts, TakeALatePauseOffTheNext) {
    Delays::Account faster;
    Delays::Account other;
    delays_->save(faster, kMillisecond);
    Delays::pay(other, delays_->due(other), kMillisecond + 100'000);
    EXPECT_EQ(other.paid, kMillisecond) << "so the total is not raised by the kernel's timers";
    delays_->save(faster, kMillisecond);
    EXPECT_EQ(delays_->due(other), kMillisecond - 100'000);
    Delays::pay(other, delays_->due(other), delays_->due(other));
    EXPECT_EQ(other.paid, 2 * kMillisecond);
    EXPECT_EQ(other.ahead, 0U);
}

TEST_F(Accounts, KeepWhatAPauseThatWasRefusedHasNotPaid) {
    Delays::Account faster;
    Delays::Account other;
    delays_->save(faster, kMillisecond);
    Delays::pay(other, kMillisecond, 0);
    EXPECT_EQ(delays_->due(other), kMillisecond);
}

// It waited while the other was in the code: in the faster program it would have waited for less.
TEST_F(Accounts, OfAThreadThatWaitedAreThoseOfItsWaker) {
    Delays::Account waker;
    Delays::Account waiter;
    delays_->save(waker, 5 * kMillisecond);
    Delays::follow(waiter, 8 * kMillisecond, waker.paid);
    EXPECT_EQ(delays_->due(waiter), 0U);
}

// The waker has itself missed 2 ms: whoever it wakes was woken 2 ms too early.
TEST_F(Accounts, OfAThreadThatWaitedOweWhatItsWakerOwes) {
    Delays::Account faster;
    Delays::Account waker;
    Delays::Account waiter;
    delays_->save(faster, 2 * kMillisecond);
    EXPECT_EQ(pause(waiter), 2 * kMillisecond);
    Delays::follow(waiter, 8 * kMillisecond, waker.paid);
    EXPECT_EQ(delays_->due(waiter), 2 * kMillisecond);
    EXPECT_EQ(delays_->due(waker), 2 * kMillisecond);
}

// It came 1 ms before it was woken, and had missed 5 ms by then: it would have come after its waker.
TEST_F(Accounts, OfAThreadThatWaitedArePaidForItsWaitAtMost) {
    Delays::Account waker;
    Delays::Account waiter;
    delays_->save(waker, 5 * kMillisecond);
    Delays::follow(waiter, kMillisecond, waker.paid);
    EXPECT_EQ(delays_->due(waiter), 4 * kMillisecond);
}

TEST_F(Accounts, ArePublishedByThread) {
    Delays::Account own;
    delays_->save(own, kMillisecond);
    delays_->publish(4711, own);
    EXPECT_EQ(delays_->paid_by(4711), kMillisecond);
    EXPECT_EQ(delays_->paid_by(4712), 0U);
    delays_->forget();
    EXPECT_EQ(delays_->paid_by(4711), 0U);
    EXPECT_EQ(delays_->total(), 0U);
}

// Two threads meet after each step: one works `faster` ms in the code, the other `other` ms. What the run takes
// without its delays, ms; the code takes no time.
std::uint64_t lock_steps(Delays& delays, std::uint64_t faster, std::uint64_t other, unsigned steps) {
    Delays::Account one;
    Delays::Account two;
    std::uint64_t clock = 0;
    for (unsigned step = 0; step < steps; ++step) {
        std::uint64_t one_at = clock;
        std::uint64_t two_at = clock;
        std::uint64_t left_of_one = faster;
        std::uint64_t left_of_two = other;
        while (left_of_one != 0 || left_of_two != 0) {  // whoever is behind takes its next sample
            if (left_of_one != 0 && (one_at <= two_at || left_of_two == 0)) {
                one_at += kMillisecond;
                delays.save(one, kMillisecond);
                --left_of_one;
            } else {
                two_at += kMillisecond;
                --left_of_two;
            }
            for (auto [at, own] : {std::pair{&one_at, &one}, std::pair{&two_at, &two}}) {
                const std::uint64_t due = (own == &two && left_of_two == 0) ? 0 : delays.due(*own);
                Delays::pay(*own, due, due);
                *at += due;
            }
        }
        const std::uint64_t due = delays.due(two);  // before it meets the other
        Delays::pay(two, due, due);
        two_at += due;
        clock = std::max(one_at, two_at);
        if (one_at < two_at) {
            Delays::follow(one, two_at - one_at, two.paid);
        } else {
            Delays::follow(two, one_at - two_at, one.paid);
        }
    }
    return (clock - one.paid) / kMillisecond;
}

TEST_F(Accounts, OfLockStepsLeaveTheOtherThreadsTime) {
    EXPECT_EQ(lock_steps(*delays_, 10, 4, 20), 80U);
    delays_->forget();
    EXPECT_EQ(lock_steps(*delays_, 4, 10, 20), 200U) << "it was not what the run waited for";
}

TEST_F(Accounts, OfManyThreadsHaveTheLargestTotal) {
    constexpr unsigned kThreads = 4;
    std::vector<std::thread> threads;
    for (unsigned i = 1; i <= kThreads; ++i) {
        threads.emplace_back([this, i] {
            Delays::Account own;
            for (unsigned step = 0; step < 1'000; ++step) {
                delays_->save(own, i);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(delays_->total(), 1'000U * kThreads);
}

}  // namespace
}  // namespace kymo::monitor
