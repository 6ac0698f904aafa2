// Which rate and precision a hunt takes, on processors that this machine need not have.
#include "hunt/event_choice.h"

#include "events/names.h"
#include "events/request.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <set>

namespace kymo::hunt {
namespace {

using events::Mode;
using events::SessionEvent;

// Processors as their kernels show themselves to perf_event_open(2): precise_ip up to `most` is taken, and (Intel's
// PEBS before Ice Lake, AMD's IBS) not where the event is counted in the kernel too, or by another user's rights.
class FakeProcessor final : public events::CounterOpener {
  public:
    explicit FakeProcessor(unsigned most) : most_(most) {}

    int open(perf_event_attr& attr, int thread, int /*processor*/, int /*leader*/) override {
        EXPECT_EQ(thread, 0) << "on the calling thread";
        tried_.push_back(attr.precise_ip);
        if (attr.exclude_kernel == 0) {
            return -EACCES;
        }
        if (attr.precise_ip > most_) {
            return -EOPNOTSUPP;
        }
        open_.insert(next_);
        return next_++;
    }
    void close(int counter) override { EXPECT_EQ(open_.erase(counter), 1U); }
    bool counts_whole(int /*leader*/) override { return true; }

    [[nodiscard]] const std::vector<unsigned>& tried() const { return tried_; }
    [[nodiscard]] bool all_closed() const { return open_.empty(); }

  private:
    unsigned most_;
    int next_ = 7;
    std::vector<unsigned> tried_;
    std::set<int> open_;
};

SessionEvent event_of(const char* request) {
    auto event = events::parse_event(request);
    EXPECT_TRUE(event) << request;
    return event ? *event : SessionEvent{};
}

unsigned chosen_by(FakeProcessor& processor, SessionEvent event) {
    choose_rate(event);
    choose_precision(event, processor);
    EXPECT_TRUE(processor.all_closed());
    return event.precise;
}

TEST(ChoosePrecision, TakesTheHighestThatOpens) {
    for (const unsigned most : {0U, 1U, 2U, 3U}) {
        FakeProcessor processor(most);
        EXPECT_EQ(chosen_by(processor, event_of("cache-misses")), most);
        EXPECT_EQ(processor.tried().front(), 3U);
        EXPECT_EQ(processor.tried().size(), most == 0 ? 3U : 4U - most);
    }
}

TEST(ChoosePrecision, KeepsWhatWasAskedFor) {
    FakeProcessor processor(3);
    EXPECT_EQ(chosen_by(processor, event_of("branch-misses:precise=1")), 1U);
    EXPECT_TRUE(processor.tried().empty());
}

TEST(ChoosePrecision, SoftwareEventsHaveNone) {
    FakeProcessor processor(3);
    EXPECT_EQ(chosen_by(processor, event_of("page-faults")), 0U);
    EXPECT_EQ(chosen_by(processor, event_of("task-clock")), 0U);
    EXPECT_TRUE(processor.tried().empty());
}

TEST(ChooseRate, IsEachOneForRareSoftwareEventsAndAFrequencyElsewhere) {
    SessionEvent faults = event_of("page-faults");
    choose_rate(faults);
    EXPECT_EQ(faults.mode, Mode::kPeriod);
    EXPECT_EQ(faults.value, 1U);
    for (const char* name : {"task-clock", "cache-misses"}) {
        SessionEvent event = event_of(name);
        choose_rate(event);
        EXPECT_EQ(event.mode, Mode::kFrequency) << name;
        EXPECT_EQ(event.value, 2000U) << name;
    }
    SessionEvent given = event_of("cache-misses:period=10007");
    choose_rate(given);
    EXPECT_EQ(given.mode, Mode::kPeriod);
    EXPECT_EQ(given.value, 10'007U);
}

}  // namespace
}  // namespace kymo::hunt
