#include "events/capabilities.h"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::events {
namespace {

Machine good_machine() {
    Machine machine;
    machine.kernel_counting = true;
    machine.switch_records = true;
    machine.ebpf = true;
    machine.tracepoints = true;
    machine.paranoid = 1;
    machine.max_sample_rate = 100'000;
    machine.buffer_kib = 516;
    machine.locked_bytes = std::uint64_t{8} << 20U;
    machine.descriptors = 20'000;
    machine.descriptors_hard = 20'000;
    machine.timer_hz = 250;
    machine.processors = 2;
    return machine;
}

Capability row(const Machine& machine, const std::string& key) {
    for (const Capability& capability : capabilities(machine)) {
        if (capability.key == key) {
            return capability;
        }
    }
    ADD_FAILURE() << "no row " << key;
    return {};
}

TEST(Capabilities, AGoodMachineLacksNothing) {
    for (const Capability& capability : capabilities(good_machine())) {
        EXPECT_EQ(capability.level, Level::kYes) << capability.key;
        EXPECT_TRUE(capability.remedy.empty()) << capability.key;
        EXPECT_FALSE(capability.detail.empty()) << capability.key;
    }
}

TEST(Capabilities, EveryLackHasAReasonAndARemedy) {
    Machine bad = good_machine();
    bad.perf_error = bad.switch_error = bad.hardware_error = bad.ebpf_error = EPERM;
    bad.kernel_counting = bad.switch_records = bad.ebpf = bad.tracepoints = false;
    bad.seccomp = true;
    bad.descriptors = 256;
    for (const Capability& capability : capabilities(bad)) {
        if (capability.key != "buffers") {
            EXPECT_NE(capability.level, Level::kYes) << capability.key;
            EXPECT_FALSE(capability.remedy.empty()) << capability.key;
        }
        EXPECT_FALSE(capability.detail.empty()) << capability.key;
    }
    EXPECT_THAT(row(bad, "samples").remedy, testing::HasSubstr("--cap-add PERFMON"));
    EXPECT_THAT(row(bad, "samples").detail, testing::HasSubstr("up to 250 samples"));
}

TEST(Capabilities, ReasonsFollowTheCause) {
    Machine machine = good_machine();
    machine.perf_error = EACCES;
    machine.paranoid = 3;
    EXPECT_EQ(why_no_performance_events(machine).remedy, "sudo sysctl kernel.perf_event_paranoid=1");
    machine.perf_error = ENOSYS;
    machine.paranoid.reset();
    EXPECT_THAT(why_no_performance_events(machine).why, testing::HasSubstr("this kernel has no performance events"));
    machine.seccomp = true;
    EXPECT_THAT(why_no_performance_events(machine).why, testing::HasSubstr("seccomp"));
    machine = good_machine();
    machine.hardware_error = ENOENT;
    EXPECT_THAT(why_no_hardware_counters(machine).why, testing::HasSubstr("for this processor"));
    machine.virtual_machine = true;
    EXPECT_THAT(why_no_hardware_counters(machine).why, testing::HasSubstr("virtual machine"));
}

TEST(Capabilities, ThreadsTakeMoreDescriptorsWhereHardwareCountsToo) {
    Machine machine = good_machine();
    EXPECT_EQ(row(machine, "descriptors").detail, "20000 descriptors, enough for about 2000 threads with 10 events");
    machine.hardware_error = ENOENT;
    EXPECT_EQ(row(machine, "descriptors").detail, "20000 descriptors, enough for about 5000 threads with 4 events");
}

TEST(Capabilities, ThreadsWithBuffersAsMeasured) {
    Machine machine = good_machine();
    machine.switch_records = false;
    // 516 KiB × 2 + 8 MiB at two pages a thread: 1153 threads, as found by opening them.
    EXPECT_EQ(threads_with_buffers(machine), 1153U);
    machine.locked_bytes = std::uint64_t{64} << 10U;
    EXPECT_EQ(threads_with_buffers(machine), 137U);
    EXPECT_EQ(row(machine, "buffers").level, Level::kPartly);
    machine.root = true;
    EXPECT_EQ(threads_with_buffers(machine), 0U);
}

}  // namespace
}  // namespace kymo::events
