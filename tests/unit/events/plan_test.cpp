#include "events/plan.h"

#include "events/attributes.h"

#include <algorithm>
#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <unistd.h>

namespace kymo::events {
namespace {

// A kernel with so many hardware counters, that may forbid counting the kernel.
class FakeKernel final : public CounterOpener {
  public:
    int hardware_counters = 4;
    bool kernel_permitted = true;
    bool barred = false;
    std::set<std::uint64_t> unknown;  // generic hardware events that this processor does not have
    int taken = 0;                    // hardware counters that somebody else has

    int open(perf_event_attr& attr, int /*thread*/, int /*processor*/, int leader) override {
        if (barred) {
            return -EPERM;
        }
        const bool hardware = attr.type != PERF_TYPE_SOFTWARE && attr.type != PERF_TYPE_TRACEPOINT;
        if (hardware &&
            (hardware_counters == 0 || (attr.type == PERF_TYPE_HARDWARE && unknown.count(attr.config) != 0))) {
            return -ENOENT;
        }
        if (attr.exclude_kernel == 0 && !kernel_permitted) {
            return -EACCES;
        }
        if (hardware && leader >= 0 && group_size(leader) == hardware_counters) {
            return -EINVAL;
        }
        const int counter = next_++;
        if (hardware) {
            leader_of_[counter] = leader < 0 ? counter : leader;
        }
        open_.insert(counter);
        return counter;
    }
    void close(int counter) override {
        EXPECT_EQ(open_.erase(counter), 1U);
        leader_of_.erase(counter);
    }
    bool counts_whole(int leader) override {
        EXPECT_TRUE(open_.contains(leader));
        return group_size(leader) <= hardware_counters - taken;
    }
    [[nodiscard]] bool all_closed() const { return open_.empty(); }

  private:
    [[nodiscard]] int group_size(int leader) const {
        return static_cast<int>(std::count_if(leader_of_.begin(), leader_of_.end(),
                                              [&](const auto& member) { return member.second == leader; }));
    }

    int next_ = 100;
    std::map<int, int> leader_of_;  // of hardware counters
    std::set<int> open_;
};

Machine machine_of(FakeKernel& kernel) {
    Machine machine = probe(kernel);
    machine.virtual_machine = true;
    machine.paranoid = kernel.kernel_permitted ? -1 : 2;
    machine.max_sample_rate = 100'000;
    return machine;
}

Result<Plan> plan(FakeKernel& kernel, const std::vector<std::string>& requests) {
    auto result = plan_events(requests, machine_of(kernel), kernel);
    EXPECT_TRUE(kernel.all_closed());
    return result;
}

std::vector<std::string> names(const Plan& plan) {
    std::vector<std::string> list;
    for (std::uint32_t i = 0; i < plan.session.event_count; ++i) {
        list.emplace_back(plan.session.events[i].name);
    }
    return list;
}

TEST(Plan, DefaultsWithEveryRight) {
    FakeKernel kernel;
    const auto result = plan(kernel, {});
    ASSERT_TRUE(result);
    EXPECT_THAT(names(*result),
                testing::ElementsAre("task-clock", "page-faults", "context-switches", "cpu-migrations", "cycles",
                                     "instructions", "cache-misses", "branch-misses"));
    EXPECT_EQ(result->session.mechanism, Mechanism::kPerfEvents);
    EXPECT_EQ(result->session.events[0].value, 1000U);
    EXPECT_TRUE(result->session.read_lost);
    EXPECT_TRUE(result->missing.empty());
    for (std::uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(result->session.events[i].group, 0);
        EXPECT_EQ(result->session.events[i].samples(), i < 2);
        EXPECT_EQ(result->session.events[i].user_only, i == 1);  // signals come from user mode only
    }
    for (std::uint32_t i = 4; i < result->session.event_count; ++i) {
        EXPECT_EQ(result->session.events[i].group, 1);
        EXPECT_FALSE(result->session.events[i].samples());
        EXPECT_TRUE(result->session.events[i].user_only);
    }
}

TEST(Plan, HardwareEventsAreDefaultsWhereThereAreCountersAndNobodyChoseThem) {
    FakeKernel kernel;
    kernel.hardware_counters = 8;
    EXPECT_THAT(names(*plan(kernel, {})),
                testing::ElementsAre("task-clock", "page-faults", "context-switches", "cpu-migrations", "cycles",
                                     "instructions", "cache-misses", "branch-misses", "dTLB-load-misses",
                                     "stalled-cycles-backend"));
    EXPECT_THAT(
        names(*plan(kernel, {"cache-references"})),
        testing::ElementsAre("task-clock", "page-faults", "context-switches", "cpu-migrations", "cache-references"));
    kernel.unknown = {PERF_COUNT_HW_STALLED_CYCLES_BACKEND, PERF_COUNT_HW_CPU_CYCLES};
    EXPECT_EQ(plan(kernel, {})->session.event_count, 4U) << "no cycles, no counters";
    kernel.unknown = {PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_STALLED_CYCLES_BACKEND};
    EXPECT_THAT(names(*plan(kernel, {})),
                testing::ElementsAre("task-clock", "page-faults", "context-switches", "cpu-migrations", "cycles",
                                     "cache-misses", "branch-misses", "dTLB-load-misses", "stalled-cycles-frontend"));
    kernel.hardware_counters = 0;
    const auto none = plan(kernel, {});
    EXPECT_EQ(none->session.event_count, 4U);
    EXPECT_TRUE(none->missing.empty());
}

TEST(Plan, HardwareEventsAreNoDefaultsWhereTheyWouldTakeTurns) {
    FakeKernel kernel;
    kernel.hardware_counters = 8;
    kernel.taken = 4;
    const auto four = plan(kernel, {});
    EXPECT_THAT(names(*four), testing::ElementsAre("task-clock", "page-faults", "context-switches", "cpu-migrations",
                                                   "cycles", "instructions", "cache-misses", "branch-misses"));
    EXPECT_TRUE(four->missing.empty()) << "nobody asked for the others";
    kernel.taken = 8;
    const auto none = plan(kernel, {});
    EXPECT_EQ(none->session.event_count, 4U);
    EXPECT_TRUE(none->missing.empty());
    EXPECT_TRUE(plan(kernel, {"cycles"})) << "who asks for one has it, by turns";
}

TEST(Plan, HardwareDefaultsNeedNoRightToCountTheKernel) {
    FakeKernel kernel;
    kernel.kernel_permitted = false;
    const auto result = plan(kernel, {});
    EXPECT_THAT(names(*result), testing::ElementsAre("task-clock", "page-faults", "cycles", "instructions",
                                                     "cache-misses", "branch-misses"));
    EXPECT_EQ(result->missing.size(), 2U) << "context-switches and cpu-migrations, and nothing of the counters";
}

TEST(Plan, HardwareDefaultsLeaveRoomForWhatIsAsked) {
    FakeKernel kernel;
    kernel.hardware_counters = 8;
    const auto result = plan(kernel, {"cpu-clock", "minor-faults", "major-faults", "alignment-faults",
                                      "emulation-faults", "bpf-output", "cgroup-switches"});
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->session.event_count, kMaxEvents);
    EXPECT_STREQ(result->session.events[kMaxEvents - 1].name, "dTLB-load-misses");
}

TEST(Plan, TheKernelsTickMaySampleOnlyWhereNobodyAskedForARate) {
    FakeKernel kernel;
    Machine machine = machine_of(kernel);
    const auto may = [&](const std::vector<std::string>& requests) {
        const auto result = plan_events(requests, machine, kernel);
        return result && result->session.tick_trigger;
    };
    machine.timers_at_return = true;
    EXPECT_TRUE(may({}));
    EXPECT_TRUE(may({"page-faults:period=1"}));
    EXPECT_FALSE(may({"task-clock:freq=1000"}));
    machine.timers_at_return = false;
    EXPECT_FALSE(may({})) << "the signal would interrupt system calls";
}

TEST(Plan, WithoutTheKernelWhatWouldReadZeroIsLeftOutAndTold) {
    FakeKernel kernel;
    kernel.kernel_permitted = false;
    kernel.hardware_counters = 0;
    const auto result = plan(kernel, {});
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_THAT(names(*result), testing::ElementsAre("task-clock", "page-faults"));
    EXPECT_FALSE(result->session.events[0].user_only);
    EXPECT_TRUE(result->session.events[1].user_only);
    ASSERT_EQ(result->missing.size(), 2U);
    EXPECT_EQ(result->missing[0].what, "context-switches");
    EXPECT_EQ(result->missing[1].what, "cpu-migrations");
    for (const Missing& missing : result->missing) {
        EXPECT_EQ(missing.remedy, "sudo sysctl kernel.perf_event_paranoid=1");
    }
    const auto asked = plan(kernel, {"context-switches"});
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().kind, ErrorKind::kPermission);
    EXPECT_EQ(asked.error().next, "sudo sysctl kernel.perf_event_paranoid=1");
}

TEST(Plan, AskedEventsReplaceOrJoinTheDefaults) {
    FakeKernel kernel;
    const auto result = plan(kernel, {"task-clock:freq=4000", "page-faults:period=1", "major-faults", "cpu-clock"});
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_THAT(names(*result), testing::ElementsAre("task-clock", "page-faults", "context-switches",
                                                     "cpu-migrations", "major-faults", "cpu-clock", "cycles",
                                                     "instructions", "cache-misses", "branch-misses"));
    EXPECT_EQ(result->session.events[0].value, 4000U);
    EXPECT_EQ(result->session.events[1].mode, Mode::kPeriod);
    EXPECT_TRUE(result->session.events[1].user_only);  // it samples
    EXPECT_FALSE(result->session.events[5].user_only);
    // A plain request changes nothing.
    const auto plain = plan(kernel, {"task-clock"});
    EXPECT_EQ(plain->session.events[0].value, 1000U);
    EXPECT_EQ(plain->session.events[0].mode, Mode::kFrequency);
}

TEST(Plan, HardwareEventsGoIntoGroupsThatFit) {
    FakeKernel kernel;
    kernel.hardware_counters = 2;
    const auto result = plan(kernel, {"cycles", "instructions", "cache-misses", "branch-misses", "LLC-loads"});
    ASSERT_TRUE(result) << result.error().what;
    std::vector<int> groups;
    for (std::uint32_t i = 0; i < result->session.event_count; ++i) {
        groups.push_back(result->session.events[i].group);
    }
    EXPECT_THAT(groups, testing::ElementsAre(0, 0, 0, 0, 1, 1, 2, 2, 3));
}

TEST(Plan, NoHardwareCountersIsSaidSo) {
    FakeKernel kernel;
    kernel.hardware_counters = 0;
    const auto result = plan(kernel, {"cycles"});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kUnsupported);
    EXPECT_EQ(result.error().what, "event cycles: this virtual machine has no hardware counters");
    EXPECT_THAT(result.error().next, testing::HasSubstr("-cpu host,pmu=on"));
}

TEST(Plan, WhatHappensInTheKernelCannotSample) {
    FakeKernel kernel;
    const auto result = plan(kernel, {"context-switches:period=1"});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::kUnsupported);
    EXPECT_EQ(result.error().next, "count it instead: -e context-switches");
}

TEST(Plan, RatesHaveLimits) {
    FakeKernel kernel;
    EXPECT_EQ(plan(kernel, {"task-clock:freq=100001"}).error().kind, ErrorKind::kUsage);
    EXPECT_EQ(plan(kernel, {"task-clock:period=9999"}).error().kind, ErrorKind::kUsage);
    EXPECT_TRUE(plan(kernel, {"task-clock:period=10000"}));
    const auto fast = plan(kernel, {"cycles:freq=200000"});
    ASSERT_FALSE(fast);
    EXPECT_EQ(fast.error().next, "sudo sysctl kernel.perf_event_max_sample_rate=200000");
}

TEST(Plan, AtMostSixteenEvents) {
    FakeKernel kernel;
    std::vector<std::string> requests;
    for (int i = 0; i < 12; ++i) {
        requests.push_back("r" + std::to_string(10 + i));
    }
    EXPECT_TRUE(plan(kernel, requests));
    requests.emplace_back("r99");
    EXPECT_EQ(plan(kernel, requests).error().kind, ErrorKind::kUsage);
}

TEST(Plan, BarredEventsLeaveTimers) {
    FakeKernel kernel;
    kernel.barred = true;
    const auto result = plan(kernel, {"task-clock:freq=100", "page-faults"});
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->session.mechanism, Mechanism::kThreadTimers);
    EXPECT_THAT(names(*result), testing::ElementsAre("task-clock", "system-time", "page-faults", "context-switches"));
    EXPECT_EQ(result->session.events[0].value, 100U);
    ASSERT_EQ(result->missing.size(), 1U);
    EXPECT_FALSE(result->missing[0].remedy.empty());
    EXPECT_EQ(plan(kernel, {"cycles"}).error().kind, ErrorKind::kPermission);
    EXPECT_EQ(plan(kernel, {"page-faults:period=1"}).error().kind, ErrorKind::kPermission);
    EXPECT_EQ(plan(kernel, {"nonsense-event"}).error().kind, ErrorKind::kUnknownEvent);
    // A rate beyond what timers deliver is told.
    EXPECT_EQ(plan(kernel, {"task-clock:freq=50000"})->missing.size(), 2U);
}

// Of software events, whose counters are never short.
TEST(KernelOpener, SeesThatAGroupCountsAllTheTime) {
    KernelOpener opener;
    if (!probe(opener).performance_events()) {
        GTEST_SKIP() << "performance events are barred here";
    }
    Session session;
    set_default_events(1000, session);
    perf_event_attr attr = make_attributes(session.events[0], false);
    const int leader = opener.open(attr, 0, -1, -1);
    ASSERT_GE(leader, 0);
    attr = make_attributes(session.events[1], false);
    const int member = opener.open(attr, 0, -1, leader);
    ASSERT_GE(member, 0);
    EXPECT_TRUE(opener.counts_whole(leader));
    EXPECT_TRUE(opener.counts_whole(leader)) << "again, from where it stands";
    std::uint64_t first[16] = {};
    std::uint64_t second[16] = {};
    ASSERT_GT(read(leader, first, sizeof first), 0);
    ASSERT_GT(read(leader, second, sizeof second), 0);
    EXPECT_GT(first[3], 0U);
    EXPECT_EQ(first[3], second[3]) << "it stands still";
    opener.close(member);
    opener.close(leader);
    EXPECT_FALSE(opener.counts_whole(leader));
}

// What the plan says opens here does open here, as the monitor will do it.
TEST(Plan, HoldsOnThisMachine) {
    KernelOpener opener;
    const Machine machine = probe(opener);
    const auto result =
        plan_events(std::vector<std::string>{"page-faults:period=7", "minor-faults"}, machine, opener);
    if (!machine.performance_events()) {
        GTEST_SKIP() << "performance events are barred here";
    }
    ASSERT_TRUE(result) << result.error().what;
    int leader = -1;
    for (std::uint32_t i = 0; i < result->session.event_count; ++i) {
        perf_event_attr attr = make_attributes(result->session.events[i], result->session.read_lost);
        const int counter = open_counter(attr, 0, -1, leader);
        EXPECT_GE(counter, 0) << result->session.events[i].name << ": " << errno;
        leader = leader < 0 ? counter : leader;
    }
}

}  // namespace
}  // namespace kymo::events
