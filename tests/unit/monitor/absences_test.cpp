// A thread's own switch records, in a ring made by hand: which absences come of them.
#include "monitor/sampling/own_switches.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::monitor {
namespace {

constexpr std::uint16_t kOut = 1U << 13U;        // PERF_RECORD_MISC_SWITCH_OUT
constexpr std::uint16_t kPreempted = 1U << 14U;  // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT

class Ring {
  public:
    Ring() : words_(512) {}
    void add(std::uint32_t type, std::uint16_t misc, const std::vector<std::uint64_t>& body) {
        put(std::uint64_t{8 * (body.size() + 1)} << 48U | std::uint64_t{misc} << 32U | type);
        for (const std::uint64_t word : body) {
            put(word);
        }
    }
    void switched(std::uint64_t time, std::uint32_t processor, std::uint16_t misc) {
        add(PERF_RECORD_SWITCH, misc, {0, time, processor, 1});
    }
    // Everything that was added, through `absences`.
    std::vector<Absences::Absence> take(Absences& absences) {
        std::vector<Absences::Absence> found;
        events::walk_ring(words_.data(), words_.size() * 8, tail_, head_, [&](const events::RingRecord& record) {
            absences.take(
                record, [&](const Absences::Absence& absence) { found.push_back(absence); },
                [&](std::uint64_t records) { lost_ += records; });
        });
        tail_ = head_;
        return found;
    }
    std::uint64_t lost() const { return lost_; }

  private:
    void put(std::uint64_t word) {
        words_[head_ / 8 % words_.size()] = word;
        head_ += 8;
    }
    std::vector<std::uint64_t> words_;
    std::uint64_t tail_ = 4000;  // close to the ring's end: records wrap around
    std::uint64_t head_ = 4000;
    std::uint64_t lost_ = 0;
};

TEST(Absences, FromOutToIn) {
    Ring ring;
    Absences absences;
    ring.switched(100, 0, kOut);
    ring.switched(170, 1, 0);
    ring.switched(200, 1, kOut | kPreempted);
    ring.switched(205, 1, 0);
    const auto found = ring.take(absences);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].begin, 100U);
    EXPECT_EQ(found[0].end, 170U);
    EXPECT_EQ(found[0].processor_before, 0U);
    EXPECT_EQ(found[0].processor_after, 1U);
    EXPECT_FALSE(found[0].preempted);
    EXPECT_EQ(found[1].begin, 200U);
    EXPECT_EQ(found[1].end, 205U);
    EXPECT_TRUE(found[1].preempted);
    EXPECT_EQ(absences.open(), nullptr);
}

TEST(Absences, OneThatIsNotOverIsKeptForTheNextEmptying) {
    Ring ring;
    Absences absences;
    ring.switched(100, 3, kOut);
    EXPECT_TRUE(ring.take(absences).empty());
    ASSERT_NE(absences.open(), nullptr);
    EXPECT_EQ(absences.open()->begin, 100U);
    EXPECT_EQ(absences.open()->processor_before, 3U);
    ring.switched(130, 3, 0);
    const auto found = ring.take(absences);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].end, 130U);
}

TEST(Absences, AWayBackAloneIsNone) {
    Ring ring;
    Absences absences;
    ring.switched(100, 0, 0);  // the first record of a thread that was opened while it was away
    ring.switched(120, 0, kOut);
    ring.switched(110, 0, 0);  // before it left: no time can be told
    EXPECT_TRUE(ring.take(absences).empty());
}

TEST(Absences, AfterLostRecordsNothingIsPairedAcross) {
    Ring ring;
    Absences absences;
    ring.switched(100, 0, kOut);
    ring.add(PERF_RECORD_LOST, 0, {7, 12, 0, 101, 0, 1});
    ring.switched(500, 0, 0);
    ring.switched(600, 0, kOut);
    ring.switched(610, 0, 0);
    const auto found = ring.take(absences);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].begin, 600U);
    EXPECT_EQ(ring.lost(), 12U);
}

TEST(Absences, OtherAndShortRecordsAreStepedOver) {
    Ring ring;
    Absences absences;
    ring.add(PERF_RECORD_SWITCH, kOut, {1, 2});  // no trailer
    ring.add(PERF_RECORD_COMM, 0, {1, 2, 3, 4, 5, 6});
    ring.switched(100, 0, kOut);
    ring.add(PERF_RECORD_THROTTLE, 0, {1, 2, 3, 0, 105, 0, 1});
    ring.switched(110, 0, 0);
    EXPECT_EQ(ring.take(absences).size(), 1U);
}

}  // namespace
}  // namespace kymo::monitor
