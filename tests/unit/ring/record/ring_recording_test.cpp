// What the ring's manager writes down, read back by who reads recordings: hosts on one clock, gaps, sums.

#include "ring/record/ring_recording.h"

#include "../../recording/temporary_folder.h"
#include "../told.h"
#include "recording/reader.h"
#include "recording/tables.h"
#include "spacetime/metrics/load_run_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::ring {
namespace {

using spacetime::RunMetric;
using spacetime::RunMetrics;

constexpr Time kSecond = 1'000'000'000;
constexpr Time kBegin = 5'000 * kSecond;  // of the manager's clock

Record of(std::uint64_t sum, std::uint64_t objects = 1) {
    return {sum, 0, sum / objects, sum / objects, objects, objects};
}

// A host's answer, latched at `at` of the manager's clock; its own is `offset` ahead.
SamplePart part(Slot slot, Time at, std::int64_t offset, std::vector<Record> records, std::uint64_t error = 2'000) {
    SamplePart made{};
    made.part.state = PartState::kOnTime;
    made.part.slot = slot;
    made.part.latched = at + static_cast<Time>(offset);
    made.part.received = made.part.latched;
    made.part.offset = offset;
    made.part.clock_error = error;
    made.records = std::move(records);
    return made;
}

SamplePart hole(Slot slot) {
    SamplePart made{};
    made.part.slot = slot;
    made.records.resize(2);
    return made;
}

Sample sample(Time at, std::vector<SamplePart> parts, std::uint32_t slots) {
    Sample made;
    made.mode = Mode::kAppend;
    made.sent = at - 1'000'000;
    made.deadline = at;
    made.home = at + 4'000'000;
    made.coverage.slots = slots;
    for (const SamplePart& each : parts) {
        made.coverage.contributed += each.part.state != PartState::kHole ? 1 : 0;
    }
    made.parts = std::move(parts);
    return made;
}

class RingRecords : public ::testing::Test {
  protected:
    RingRecording begin(const std::vector<std::string>& asked, std::vector<std::string> names) {
        RecordingSettings settings;
        settings.folder = folder_.path();
        settings.facts = {"all hosts", std::string("kymo\0top\0", 9), "/somewhere", "kymo test"};
        for (const std::string& address : asked) {
            settings.asked.push_back(asked_metric(*parse_address(address)));
        }
        settings.name_of = [names](Slot slot) { return slot < names.size() ? names[slot] : std::string(); };
        return RingRecording(std::move(settings));
    }
    RunMetrics load() {
        const auto recording = recording::Recording::open(folder_.path());
        EXPECT_TRUE(recording);
        auto loaded = spacetime::load_run_metrics(recording->files());
        EXPECT_TRUE(loaded);
        return std::move(*loaded);
    }
    static std::vector<std::uint64_t> by_host(const RunMetrics& run, Resource kind, const char* name) {
        const RunMetric* const metric = run.find(kind, name);
        std::vector<std::uint64_t> values(run.hosts.size(), 0);
        if (metric != nullptr) {
            for (const auto& object : metric->objects) {
                values[object.host] += object.value;
            }
        }
        return values;
    }
    // Where in the run a host's counter grew, in seconds since its beginning; by the middle of the growth.
    static double middle(const RunMetrics& run, const RunMetric& metric, std::size_t host) {
        double sum = 0;
        double weighed = 0;
        const double width =
            static_cast<double>(run.end - run.begin) / 1e9 / static_cast<double>(spacetime::kMetricBins);
        for (std::size_t i = 0; i < spacetime::kMetricBins; ++i) {
            sum += metric.host_bins[host][i];
            weighed += metric.host_bins[host][i] * (static_cast<double>(i) + 0.5) * width;
        }
        return sum == 0 ? -1 : weighed / sum;
    }
    testing::TemporaryFolder folder_;
};

// Three hosts whose clocks are hours apart count the same second at the same time.
TEST_F(RingRecords, HostsLieOnOneClockWhateverTheirOwnIs) {
    RingRecording recording = begin({"task/system/0/user", "processor/system/0/busy"}, {"a", "b", "c"});
    const std::int64_t offsets[] = {0, 7'200'000'000'000, -3'600'000'000'000};
    for (Time second = 0; second <= 60; ++second) {
        const Time at = kBegin + second * kSecond;
        std::vector<SamplePart> parts;
        for (Slot slot = 0; slot < 3; ++slot) {
            // All of it between 30 and 31 s.
            parts.push_back(part(slot, at, offsets[slot], {of(second > 30 ? 700 + slot : 0), of(100 * second, 2)}));
        }
        ASSERT_TRUE(recording.take(sample(at, parts, 3)));
    }
    recording.end(kBegin + 60 * kSecond, false);
    EXPECT_EQ(recording.unwritten(), 0U);

    const RunMetrics run = load();
    ASSERT_EQ(run.hosts.size(), 3U);
    EXPECT_EQ(run.end - run.begin, 60 * kSecond);
    EXPECT_THAT(by_host(run, Resource::kTask, "user"), ::testing::ElementsAre(700, 701, 702));
    EXPECT_THAT(by_host(run, Resource::kProcessor, "busy"), ::testing::Each(6000));
    const RunMetric& user = *run.find(Resource::kTask, "user");
    EXPECT_EQ(user.total(), 700U + 701 + 702);
    for (std::size_t host = 0; host < 3; ++host) {
        EXPECT_EQ(run.hosts[host].name, std::string(1, static_cast<char>('a' + host)));
        EXPECT_EQ(run.hosts[host].processors, 2U);
        EXPECT_EQ(run.hosts[host].clock_error_ns, 2'000U);
        EXPECT_TRUE(run.hosts[host].gaps.empty());
        EXPECT_NEAR(middle(run, user, host), 30.5, 0.01);
        EXPECT_TRUE(user.objects[host].is_all_of_host());
    }
}

TEST_F(RingRecords, AHostWithoutAnAnswerIsAGapAndNotNothing) {
    RingRecording recording = begin({"task/system/0/user", "task/host/0/wait"}, {"a", "b"});
    for (Time second = 0; second <= 20; ++second) {
        const Time at = kBegin + second * kSecond;
        const bool gone = (second >= 5 && second < 9) || second >= 15;
        std::vector<SamplePart> parts{part(0, at, 0, {of(second), of(second)})};
        if (second < 17) {  // then its token is lost: there is no part at all
            parts.push_back(gone ? hole(1) : part(1, at, 500, {of(10 * second), {}}));
        }
        ASSERT_TRUE(recording.take(sample(at, parts, 2)));
    }
    recording.end(kBegin + 20 * kSecond, true);
    const RunMetrics run = load();
    ASSERT_EQ(run.hosts.size(), 2U);
    EXPECT_TRUE(run.hosts[0].gaps.empty());
    const auto& gaps = run.hosts[1].gaps;
    ASSERT_EQ(gaps.size(), 2U);
    EXPECT_EQ(gaps[0].begin, kBegin + 4 * kSecond) << "since the last answer";
    EXPECT_EQ(gaps[0].end, kBegin + 9 * kSecond);
    EXPECT_EQ(gaps[1].begin, kBegin + 14 * kSecond);
    EXPECT_EQ(gaps[1].end, kBegin + 20 * kSecond) << "until the end";
    EXPECT_THAT(by_host(run, Resource::kTask, "user"), ::testing::ElementsAre(20, 140));
    EXPECT_THAT(by_host(run, Resource::kTask, "wait"), ::testing::ElementsAre(20, 0)) << "host 1 has none";
}

TEST_F(RingRecords, WhatEndedProgramsTakeAlongIsNotTakenBack) {
    RingRecording recording = begin({"task/system/0/user"}, {"a"});
    Time at = kBegin;
    for (const std::uint64_t sum : {1000, 1500, 200, 260, 0, 5}) {
        ASSERT_TRUE(recording.take(sample(at, {part(0, at, 0, {of(sum)})}, 1)));
        at += kSecond;
    }
    recording.end(at, false);
    EXPECT_THAT(by_host(load(), Resource::kTask, "user"), ::testing::ElementsAre(500 + 60 + 5))
        << "grown since the first sample";
}

// What programs that began after the first sample have counted by their own first one is part of it.
TEST_F(RingRecords, ProgramsThatBeginLaterCountFromZero) {
    RingRecording recording = begin({"task/system/0/user"}, {"a"});
    const Record unreadable{0, 0, 0, 0, 0, 1};
    Time at = kBegin;
    for (const Record& record : {Record{}, of(40), of(50), unreadable, of(60), Record{}, of(7)}) {
        ASSERT_TRUE(recording.take(sample(at, {part(0, at, 0, {record})}, 1)));
        at += kSecond;
    }
    recording.end(at, false);
    const RunMetrics run = load();
    EXPECT_THAT(by_host(run, Resource::kTask, "user"), ::testing::ElementsAre(67));
    // Its 40 fell between the first sample and the second of seven seconds.
    const auto& bins = run.find(Resource::kTask, "user")->bins;
    EXPECT_NEAR(bins[0], 40.0 * 7 / spacetime::kMetricBins, 1e-6);
}

// A row that kept changing while it was read is missing in one sum and back in the next: nothing was counted by that.
TEST_F(RingRecords, WhatCouldNotBeReadForAMomentIsNotCountedTwice) {
    RingRecording recording = begin({"task/system/0/user"}, {"a"});
    const auto all_but = [](std::uint64_t sum, std::uint64_t unknown) {
        Record record = of(sum, 5 - unknown);
        record.objects = 5;
        return record;
    };
    Time at = kBegin;
    for (const Record& record : {all_but(1000, 0), all_but(1100, 0), all_but(700, 1), all_but(1250, 0),
                                 all_but(800, 1), all_but(600, 2), all_but(1300, 0)}) {
        ASSERT_TRUE(recording.take(sample(at, {part(0, at, 0, {record})}, 1)));
        at += kSecond;
    }
    recording.end(at, false);
    EXPECT_THAT(by_host(load(), Resource::kTask, "user"), ::testing::ElementsAre(300));
}

// One that stays unreadable does not keep the others from being counted.
TEST_F(RingRecords, WhatCannotBeReadForLongIsLeftOut) {
    RingRecording recording = begin({"task/system/0/user"}, {"a"});
    Time at = kBegin;
    for (const std::uint64_t sum :
         {1000, 400, 410, 430, 460}) {  // an object of 600 and more is unknown from the second on
        Record record = of(sum, sum == 1000 ? 5 : 4);
        record.objects = 5;
        ASSERT_TRUE(recording.take(sample(at, {part(0, at, 0, {record})}, 1)));
        at += kSecond;
    }
    recording.end(at, false);
    EXPECT_THAT(by_host(load(), Resource::kTask, "user"), ::testing::ElementsAre(60));
}

// What was asked of one process is in the host's sum already: totals must not have it twice.
TEST_F(RingRecords, PartsAreMetricsOfTheirOwn) {
    RingRecording recording = begin({"task/system/0/user", "task/process/71/user", "task/task/9/user"}, {"a"});
    for (Time second = 0; second <= 2; ++second) {
        const Time at = kBegin + second * kSecond;
        ASSERT_TRUE(
            recording.take(sample(at, {part(0, at, 0, {of(100 * second), of(30 * second), of(10 * second)})}, 1)));
    }
    recording.end(kBegin + 2 * kSecond, false);
    const RunMetrics run = load();
    EXPECT_EQ(run.find(Resource::kTask, "user")->total(), 200U);
    EXPECT_EQ(run.find(Resource::kTask, "user of process 71")->total(), 60U);
    EXPECT_EQ(run.find(Resource::kTask, "user of task 9")->total(), 20U);
}

TEST_F(RingRecords, MaximaAndGaugesAreAsTheyAre) {
    RingRecording recording =
        begin({"channel/system/0/largest", "channel/system/0/outstanding", "channel/host/0/largest"}, {"a"});
    Record largest{300, 0, 100, 200, 2, 2};  // of two channels
    ASSERT_TRUE(recording.take(sample(kBegin, {part(0, kBegin, 0, {largest, of(7), largest})}, 1)));
    ASSERT_TRUE(
        recording.take(sample(kBegin + kSecond, {part(0, kBegin + kSecond, 0, {largest, of(3), largest})}, 1)));
    recording.end(kBegin + 2 * kSecond, false);
    const RunMetrics run = load();
    EXPECT_EQ(run.find(Resource::kChannel, "largest")->total(), 200U);
    EXPECT_EQ(run.find(Resource::kChannel, "largest")->objects.size(), 1U) << "asked for in two words, one object";
    EXPECT_EQ(run.find(Resource::kChannel, "outstanding")->total(), 3U);
}

// Every type with every way to make a total, of two hosts: one with threads at 4 and 6, one with a thread at 21; a
// counter's threads were at about half of that in the sample before.
TEST_F(RingRecords, OwnMetricsMakeTheirTotalsAsTheyAreDescribed) {
    using cells::MetricType;
    const Record first{10, 0, 4, 6, 2, 2};
    const Record second{21, 0, 21, 21, 1, 1};
    const Record halved_first{5, 0, 2, 3, 2, 2};
    const Record halved_second{11, 0, 11, 11, 1, 1};
    struct Expected {
        MetricType type;
        MetricTotal total;
        std::uint64_t a;
        std::uint64_t b;
        std::uint64_t both;
    };
    const std::vector<Expected> all = {{MetricType::kCounter, MetricTotal::kOfType, 5, 10, 15},
                                       {MetricType::kCounter, MetricTotal::kSum, 5, 10, 15},
                                       {MetricType::kCounter, MetricTotal::kMean, 5, 21, 13},
                                       {MetricType::kCounter, MetricTotal::kMinimum, 4, 21, 4},
                                       {MetricType::kCounter, MetricTotal::kMaximum, 6, 21, 21},
                                       {MetricType::kGauge, MetricTotal::kOfType, 10, 21, 31},
                                       {MetricType::kGauge, MetricTotal::kSum, 10, 21, 31},
                                       {MetricType::kGauge, MetricTotal::kMean, 5, 21, 13},
                                       {MetricType::kGauge, MetricTotal::kMinimum, 4, 21, 4},
                                       {MetricType::kGauge, MetricTotal::kMaximum, 6, 21, 21},
                                       {MetricType::kMaximum, MetricTotal::kOfType, 6, 21, 21},
                                       {MetricType::kMaximum, MetricTotal::kSum, 10, 21, 31},
                                       {MetricType::kMaximum, MetricTotal::kMean, 5, 21, 13},
                                       {MetricType::kMaximum, MetricTotal::kMinimum, 4, 21, 4},
                                       {MetricType::kMaximum, MetricTotal::kMaximum, 6, 21, 21}};
    std::vector<std::string> addresses;
    std::vector<AskedMetric> asked;
    std::vector<MetricTold> descriptions;
    for (std::size_t i = 0; i < all.size(); ++i) {
        addresses.push_back("task/system/0/m" + std::to_string(i));
        asked.push_back(asked_metric(*parse_address(addresses.back())));
        descriptions.push_back(told(asked.back(), all[i].type, "items", {}, all[i].total));
    }
    RingRecording recording = begin(addresses, {"a", "b"});
    const auto take = [&](Time at, const Record& one, const Record& other) {
        const std::vector<Record> ones(all.size(), one);
        const std::vector<Record> others(all.size(), other);
        EXPECT_TRUE(recording.take(sample(at, {part(0, at, 0, ones), part(1, at, 0, others)}, 2)));
    };
    take(kBegin, halved_first, halved_second);
    describe(asked, descriptions);
    recording.know(asked);
    take(kBegin + kSecond, first, second);
    recording.end(kBegin + 2 * kSecond, false);
    const RunMetrics run = load();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string name = "m" + std::to_string(i);
        const RunMetric* const metric = run.find(Resource::kTask, name);
        ASSERT_NE(metric, nullptr) << name;
        EXPECT_EQ(by_host(run, Resource::kTask, name.c_str()), (std::vector<std::uint64_t>{all[i].a, all[i].b}))
            << name;
        const auto system = metric->aggregate(ResourceLevel::kSystem, 0);
        EXPECT_EQ(static_cast<std::uint64_t>(metric->total_of(system)), all[i].both) << name;
        EXPECT_EQ(metric->unit, "items");
    }
}

TEST_F(RingRecords, SumsThatAreNotOfAllHostsAreNoFigures) {
    RingRecording recording = begin({"task/system/0/user"}, {"a", "b", "c"});
    for (Time second = 0; second <= 10; ++second) {
        Sample made = sample(kBegin + second * kSecond, {}, 3);
        made.mode = Mode::kReduce;
        made.earliest = kBegin + second * kSecond - 100;
        made.latest = made.earliest + 200;
        made.clock_error = 50;
        made.coverage.contributed = second == 4 ? 2 : 3;
        made.records = {of(second == 4 ? 2 : 3 * (second + 1), 3)};
        ASSERT_TRUE(recording.take(made));
    }
    recording.end(kBegin + 10 * kSecond, false);
    const RunMetrics run = load();
    ASSERT_EQ(run.hosts.size(), 1U);
    EXPECT_EQ(run.hosts[0].name, "all hosts");
    EXPECT_EQ(run.hosts[0].clock_error_ns, 150U);
    ASSERT_EQ(run.hosts[0].gaps.size(), 1U);
    EXPECT_EQ(run.hosts[0].gaps[0].end - run.hosts[0].gaps[0].begin, 2 * kSecond);
    EXPECT_EQ(run.find(Resource::kTask, "user")->total(), 30U);
}

TEST_F(RingRecords, AKilledManagerLeavesWhatItHad) {
    RingRecording recording = begin({"task/system/0/user"}, {"a", "b"});
    for (Time second = 0; second <= 5; ++second) {
        const Time at = kBegin + second * kSecond;
        ASSERT_TRUE(recording.take(sample(at, {part(0, at, 0, {of(second)}), part(1, at, 9, {of(2 * second)})}, 2)));
    }
    const RunMetrics run = load();  // nothing has been ended
    EXPECT_THAT(by_host(run, Resource::kTask, "user"), ::testing::ElementsAre(5, 10));
    EXPECT_EQ(run.end - run.begin, 5 * kSecond);
}

// Of a clock of which nothing is known yet: between sending and coming home.
TEST_F(RingRecords, AnUnknownClockIsBoundedByTheTokensTrip) {
    RingRecording recording = begin({"task/system/0/user"}, {"a"});
    ASSERT_TRUE(recording.take(sample(kBegin, {part(0, kBegin, 12'345'678'901, {of(1)}, ~std::uint64_t{0})}, 1)));
    recording.end(kBegin + kSecond, false);
    const RunMetrics run = load();
    EXPECT_EQ(run.begin, kBegin + 1'500'000);
    EXPECT_EQ(run.hosts[0].clock_error_ns, 2'500'000U);
}

TEST_F(RingRecords, TheFirstErrorIsTold) {
    RingRecording recording = begin({"task/system/0/user"}, {"a", "b"});
    std::filesystem::create_directory(folder_ / "host-0000001.krec");
    const auto taken = recording.take(sample(kBegin, {part(0, kBegin, 0, {of(1)}), part(1, kBegin, 0, {of(1)})}, 2));
    ASSERT_FALSE(taken);
    EXPECT_NE(taken.error().what.find("host-0000001.krec"), std::string::npos);
    EXPECT_EQ(recording.hosts(), 1U);
    recording.end(kBegin + kSecond, false);
}

TEST_F(RingRecords, WhoNeverAnsweredIsToldOfOnceItHasAName) {
    RingRecording recording = begin({"task/system/0/user"}, {"a", "b"});
    ASSERT_TRUE(recording.take(sample(kBegin, {part(0, kBegin, 0, {of(1)}), hole(1), hole(2)}, 3)));
    recording.end(kBegin + kSecond, false);
    const RunMetrics run = load();
    ASSERT_EQ(run.hosts.size(), 2U) << "slot 2 is nobody yet";
    EXPECT_EQ(run.hosts[1].name, "b");
    ASSERT_EQ(run.hosts[1].gaps.size(), 1U);
    EXPECT_TRUE(run.hosts[1].is_by_ring);
}

}  // namespace
}  // namespace kymo::ring
