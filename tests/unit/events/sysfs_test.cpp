#include "events/sysfs.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::events {
namespace {

// A folder like /sys/bus/event_source/devices, with one processor device and one of the whole socket.
class Devices : public testing::Test {
  protected:
    Devices() {
        char name[] = "/tmp/kymo-devices-XXXXXX";
        root_ = mkdtemp(name);
        put("cpu/type", "4\n");
        put("cpu/format/event", "config:0-7\n");
        put("cpu/format/umask", "config:8-15\n");
        put("cpu/format/edge", "config:18\n");
        put("cpu/format/wide", "config:0-7,32-35\n");
        put("cpu/format/ldlat", "config1:0-15\n");
        put("cpu/format/all", "config2:0-63\n");
        put("cpu/format/broken", "elsewhere:0-7\n");
        put("cpu/events/cache-misses", "event=0x2e,umask=0x41\n");
        put("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
        put("cpu/events/mem-loads.unit", "x\n");
        put("cpu/events/loops", "loops\n");
        put("uncore_imc/type", "20\n");
        put("uncore_imc/cpumask", "0\n");
        put("uncore_imc/events/reads", "event=1\n");
        put("odd/type", "many\n");
    }
    ~Devices() override { std::filesystem::remove_all(root_); }

    void put(const std::string& path, const std::string& text) {
        const std::filesystem::path file = root_ / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    std::filesystem::path root_;
};

TEST_F(Devices, TermsFillTheirBits) {
    const auto event = device_event("cpu/event=0x3c,umask=7,edge/", root_);
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_EQ(event->type, 4U);
    EXPECT_EQ(event->config, 0x4073CU);
    EXPECT_STREQ(event->name, "cpu/event=0x3c,umask=7,edge/");
}

TEST_F(Devices, SplitAndWholeWords) {
    EXPECT_EQ(device_event("cpu/wide=0xabc/", root_)->config, 0xA000000BCU);
    EXPECT_EQ(device_event("cpu/all=0xffffffffffffffff/", root_)->config2, UINT64_MAX);
    EXPECT_EQ(device_event("cpu/config=0x123,config1=4,config2=5/", root_)->config1, 4U);
}

TEST_F(Devices, NamedEventsAndFurtherTerms) {
    const auto event = device_event("cpu/mem-loads,ldlat=30/", root_);
    ASSERT_TRUE(event) << event.error().what;
    EXPECT_EQ(event->config, 0x1CDU);
    EXPECT_EQ(event->config1, 30U);
    const auto bare = bare_device_event("cache-misses", root_);
    ASSERT_TRUE(bare);
    EXPECT_EQ(bare->config, 0x412EU);
    EXPECT_STREQ(bare->name, "cache-misses");
    EXPECT_FALSE(bare_device_event("reads", root_));
    EXPECT_THAT(device_event_names(root_),
                testing::ElementsAre("cpu/cache-misses/", "cpu/loops/", "cpu/mem-loads/", "uncore_imc/reads/"));
}

TEST_F(Devices, BadOnesAreRefused) {
    const auto kind = [&](const char* name) { return device_event(name, root_).error().kind; };
    EXPECT_EQ(kind("gpu/event=1/"), ErrorKind::kUnknownEvent);
    EXPECT_EQ(kind("../event=1/"), ErrorKind::kUnknownEvent);
    EXPECT_EQ(kind("odd/event=1/"), ErrorKind::kUnknownEvent);
    EXPECT_EQ(kind("cpu/nothing/"), ErrorKind::kUnknownEvent);
    EXPECT_EQ(kind("cpu/../type/"), ErrorKind::kUnknownEvent);
    EXPECT_EQ(kind("cpu/,/"), ErrorKind::kUnknownEvent);
    EXPECT_EQ(kind("cpu/event=0x100/"), ErrorKind::kUsage);  // 8 bits
    EXPECT_EQ(kind("cpu/event=zz/"), ErrorKind::kUsage);
    EXPECT_EQ(kind("cpu/broken=1/"), ErrorKind::kUsage);
    EXPECT_EQ(kind("cpu/loops/"), ErrorKind::kUnknownEvent);  // an event that names itself
    EXPECT_EQ(kind("uncore_imc/reads/"), ErrorKind::kUnsupported);
}

TEST(Format, Bounds) {
    SessionEvent event;
    EXPECT_FALSE(apply_format("config:8-7", 1, event));
    EXPECT_FALSE(apply_format("config:0-64", 1, event));
    EXPECT_FALSE(apply_format("config:", 1, event));
    EXPECT_FALSE(apply_format("config", 1, event));
    EXPECT_FALSE(apply_format("", 1, event));
    EXPECT_FALSE(apply_format("config:a-b", 1, event));
    EXPECT_EQ(event.config, 0U);
    EXPECT_TRUE(apply_format("config:63", 1, event));
    EXPECT_EQ(event.config, std::uint64_t{1} << 63U);
}

TEST(DeviceForm, IsRecognised) {
    EXPECT_TRUE(is_device_form("cpu/x/"));
    EXPECT_FALSE(is_device_form("cpu/x"));
    EXPECT_FALSE(is_device_form("/x/"));
    EXPECT_FALSE(is_device_form("cpu/"));
    EXPECT_FALSE(is_device_form("cycles"));
}

}  // namespace
}  // namespace kymo::events
