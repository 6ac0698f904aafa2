// Flows of imported traces, from rows that are known.
#include "spacetime/flows/flows.h"

#include "../../recording/temporary_folder.h"
#include "recording/writer.h"

#include <gtest/gtest.h>
#include <vector>

namespace kymo::spacetime {
namespace {

namespace rec = recording;

TEST(Flows, AreAddedUpByNameAndThreads) {
    const testing::TemporaryFolder folder;
    rec::FileWriter file;
    ASSERT_EQ(file.create((folder / "launch.krec").c_str(), {}), 0);
    rec::StreamWriter stream;
    stream.open(file, StreamId{0});
    rec::write_schema<rec::Flow>(stream);
    const auto flow = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t to, std::string_view name) {
        stream.append(rec::Flow{
            .time = end, .begin = begin, .from_pid = 7, .from_tid = 8, .to_pid = 7, .to_tid = to, .name = name});
    };
    flow(100, 110, 9, "post");
    flow(200, 240, 9, "post");
    flow(300, 305, 9, "post");
    flow(100, 101, 10, "post");
    flow(100, 190, 9, "");
    flow(100, 90, 9, "backwards");
    ASSERT_EQ(file.close(), 0);
    const auto recording = rec::Recording::open(folder.path());
    ASSERT_TRUE(recording);
    const RunFlows flows = run_flows(rec::read_each<FlowRows>(recording->files()).value());
    EXPECT_EQ(flows.arrows.size(), 6U);
    const std::vector<FlowSum>& sums = flows.sums;
    ASSERT_EQ(sums.size(), 4U);
    EXPECT_EQ(sums[0].name, "");
    EXPECT_EQ(sums[0].total_ns, 90U);
    EXPECT_EQ(sums[1].name, "post");
    EXPECT_EQ(sums[1].to_tid, 9U);
    EXPECT_EQ(sums[1].count, 3U);
    EXPECT_EQ(sums[1].total_ns, 55U);
    EXPECT_EQ(sums[1].longest_ns, 40U);
    EXPECT_EQ(sums[1].longest_at, 200U);
    EXPECT_EQ(sums[2].to_tid, 10U);
    EXPECT_EQ(sums[3].name, "backwards");
    EXPECT_EQ(sums[3].total_ns, 0U);
}

}  // namespace
}  // namespace kymo::spacetime
