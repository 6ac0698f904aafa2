#include "launch/switch_pairing.h"

#include <gtest/gtest.h>

namespace kymo::launch {
namespace {

KernelRecord record(KernelChange change, std::uint32_t tid, std::uint64_t time, std::uint32_t processor = 0) {
    KernelRecord made;
    made.change = change;
    made.tid = tid;
    made.time = time;
    made.processor = processor;
    return made;
}

TEST(SwitchPairing, AnOutAndAnInMakeAnInterval) {
    SwitchPairing pairing;
    KernelRecord out = record(KernelChange::kSwitchOut, 7, 100, 1);
    out.preempted = true;
    EXPECT_FALSE(pairing.take(out));
    const auto row = pairing.take(record(KernelChange::kSwitchIn, 7, 150, 3));
    ASSERT_TRUE(row);
    EXPECT_EQ(row->time, 100U);
    EXPECT_EQ(row->duration, 50U);
    EXPECT_EQ(row->tid, 7U);
    EXPECT_EQ(row->processor_before, 1U);
    EXPECT_EQ(row->processor_after, 3U);
    EXPECT_EQ(row->preempted, 1U);
    EXPECT_EQ(row->open, 0U);
    EXPECT_TRUE(pairing.finish().empty());
}

TEST(SwitchPairing, ThreadsAreKeptApart) {
    SwitchPairing pairing;
    pairing.take(record(KernelChange::kSwitchOut, 1, 10));
    pairing.take(record(KernelChange::kSwitchOut, 2, 20));
    EXPECT_EQ(pairing.take(record(KernelChange::kSwitchIn, 1, 30))->duration, 20U);
    EXPECT_EQ(pairing.take(record(KernelChange::kSwitchIn, 2, 31))->duration, 11U);
    EXPECT_EQ(pairing.dropped(), 0U);
}

TEST(SwitchPairing, AStartHasNoInterval) {
    SwitchPairing pairing;
    EXPECT_FALSE(pairing.take(record(KernelChange::kSwitchIn, 1, 30)));
}

TEST(SwitchPairing, LostRecordsDropOneIntervalAndNoMore) {
    SwitchPairing pairing;
    pairing.take(record(KernelChange::kSwitchOut, 1, 10));
    pairing.take(record(KernelChange::kSwitchOut, 1, 40));  // its in was lost
    EXPECT_EQ(pairing.dropped(), 1U);
    EXPECT_EQ(pairing.take(record(KernelChange::kSwitchIn, 1, 45))->time, 40U);
    // A clock that ran backwards is no interval either.
    pairing.take(record(KernelChange::kSwitchOut, 1, 60));
    EXPECT_FALSE(pairing.take(record(KernelChange::kSwitchIn, 1, 50)));
    EXPECT_EQ(pairing.dropped(), 2U);
}

TEST(SwitchPairing, AnEndedThreadsNumberMayComeBack) {
    SwitchPairing pairing;
    pairing.take(record(KernelChange::kSwitchOut, 1, 10));
    pairing.take(record(KernelChange::kExit, 1, 11));
    EXPECT_FALSE(pairing.take(record(KernelChange::kSwitchIn, 1, 20)));
    pairing.take(record(KernelChange::kSwitchOut, 2, 10));
    pairing.take(record(KernelChange::kFork, 2, 15));
    // Not from 10 on: from the fork, when the new thread was ready to run.
    const auto start = pairing.take(record(KernelChange::kSwitchIn, 2, 20));
    ASSERT_TRUE(start);
    EXPECT_EQ(start->time, 15U);
    EXPECT_EQ(start->duration, 5U);
    EXPECT_EQ(start->preempted, 1U);
}

TEST(SwitchPairing, WhoIsStillOffStaysOpen) {
    SwitchPairing pairing;
    pairing.take(record(KernelChange::kSwitchOut, 2, 20));
    pairing.take(record(KernelChange::kSwitchOut, 1, 10));
    const auto rows = pairing.finish();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].time, 10U);
    EXPECT_EQ(rows[0].open, 1U);
    EXPECT_EQ(rows[0].duration, 0U);
    EXPECT_EQ(rows[1].tid, 2U);
    EXPECT_TRUE(pairing.finish().empty());
}

}  // namespace
}  // namespace kymo::launch
