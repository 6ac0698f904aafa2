#include "view/exports/folded.h"

#include "made_recording.h"
#include "recording/reader.h"
#include "spacetime/profile/make_profile.h"

#include <gtest/gtest.h>

namespace kymo::view {
namespace {

using namespace spacetime;

class Folded : public ::testing::Test {
  protected:
    Folded() { testing::write_two_threads(folder_.path()); }

    std::string fold(std::string_view weight, bool below_creators = true) {
        const auto recording = recording::Recording::open(folder_.path());
        const auto profile = load_profile(*recording, {.below_creators = below_creators});
        return folded_stacks(make_call_tree(*profile), *find_metric(*profile, weight));
    }

    testing::TemporaryFolder folder_;
};

TEST_F(Folded, WeighsProcessorTimeInMicroseconds) {
    EXPECT_EQ(fold(""),
              "[after the last sample] 4500\n"
              "[no call path] 1000\n"
              "[partial call paths];app+0x50 1000\n"
              "app+0x10;app+0x20 3000\n"
              "app+0x10;app+0x20;app+0x30 2000\n"
              "app+0x10;app+0x25;app+0x28;app+0x40;[call not known] 1000\n"
              "app+0x10;app+0x25;app+0x28;app+0x40;app+0x30 2000\n");
}

TEST_F(Folded, WeighsSamplesAndEventsByCount) {
    EXPECT_EQ(fold("page-faults"),
              "[after the last sample] 1\n"
              "app+0x10;app+0x20 5\n"
              "app+0x10;app+0x20;app+0x30 2\n");
    EXPECT_EQ(fold("samples", false),
              "[no call path] 1\n"
              "[partial call paths];app+0x50 1\n"
              "app+0x10;app+0x20 1\n"
              "app+0x10;app+0x20;app+0x30 2\n"
              "app+0x40;app+0x30 2\n");
}

TEST(FoldedNames, KeepTheFormat) {
    CallTree tree;
    tree.symbols.functions.push_back({.name = "a;b\nc", .module = ""});
    tree.nodes = {{.kind = NodeKind::kRoot}, {.function = 1}};
    tree.self = CostTable(0);
    tree.self.resize(2);
    tree.self[1][kSamples] = 3;
    EXPECT_EQ(folded_stacks(tree, Metric{"samples", {kSamples}, false, false}), "a:b c 3\n");
}

TEST(MetricName, UnknownNamesAreRefusedWithThoseThereAre) {
    Profile profile;
    profile.events.push_back({.name = "page-faults", .unit = ""});
    const auto metric = find_metric(profile, "cycles");
    ASSERT_FALSE(metric.ok());
    EXPECT_EQ(metric.error().kind, ErrorKind::kUnknownEvent);
    EXPECT_EQ(metric.error().next, "sort by one of: user, system, off-cpu, wall, samples, page-faults");
}

}  // namespace
}  // namespace kymo::view
