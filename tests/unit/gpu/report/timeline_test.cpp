// A modelled kernel's recording, read back with the ordinary reader.
#include "gpu/report/timeline.h"

#include "../one_sm.h"
#include "recording/reader.h"

#include <filesystem>
#include <map>
#include <unistd.h>

namespace kymo::gpu {
namespace {

TEST(Timeline, IsARecordingInTheModelsClock) {
    const auto folder =
        std::filesystem::path(testing::TempDir()) / ("timeline-" + std::to_string(getpid()) + ".kymo");
    std::filesystem::remove_all(folder);
    Gpu gpu = one_sm();
    gpu.sms = 2;
    auto kernel = ffma_kernel(4, 64, 10);
    auto timeline = Timeline::create(folder, kernel->header(), gpu, gpu.boost, 16, 64);
    ASSERT_TRUE(timeline) << timeline.error().what;
    FullOptions options;
    options.observer = timeline->get();
    const auto result = run_full(gpu, gpu.boost, *kernel, options);
    ASSERT_TRUE(result);
    ASSERT_TRUE((*timeline)->finish(*result, findings(*result)));

    const auto recording = recording::Recording::open(folder);
    ASSERT_TRUE(recording) << recording.error().what;
    ASSERT_EQ(recording->files().size(), 1U);
    const recording::File& file = recording->files()[0];
    EXPECT_EQ(file.header().clock, recording::ClockDomain::kModelled);
    EXPECT_TRUE(file.header().closed);
    std::uint64_t samples = 0;
    std::uint64_t instructions = 0;
    std::uint64_t process_total = 0;
    std::uint64_t begun = 0;
    std::map<std::uint32_t, std::uint64_t> last;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> contexts;
    const auto report =
        file.scan(recording::on<recording::Context>([&](StreamId stream, const recording::Context& row) {
                      EXPECT_LT(row.offset, result->program.size() * 16);
                      contexts[{raw(stream), row.context}] = row.offset;
                  }),
                  recording::on<recording::Sample>([&](StreamId stream, const recording::Sample& row) {
                      ++samples;
                      EXPECT_GE(row.time, last[raw(stream)]);
                      last[raw(stream)] = row.time;
                      EXPECT_TRUE(contexts.contains({raw(stream), row.context}));
                      EXPECT_EQ(row.deltas.size(), static_cast<std::size_t>(Timeline::kEvents));
                  }),
                  recording::on<recording::StreamEnd>([&](StreamId, const recording::StreamEnd& row) {
                      instructions += row.totals[Timeline::kInstructions];
                  }),
                  recording::on<recording::ProcessEnd>([&](StreamId, const recording::ProcessEnd& row) {
                      process_total = row.totals[Timeline::kInstructions];
                  }),
                  recording::on<recording::Mark>([&](StreamId, const recording::Mark& row) {
                      begun += row.kind == static_cast<std::uint64_t>(recording::MarkKind::kBegin) ? 1 : 0;
                  }));
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->whole());
    EXPECT_EQ(samples, (*timeline)->samples());
    EXPECT_GT(samples, 4 * 2 * 5000 / 64 / 2U);
    EXPECT_EQ(instructions, result->total.issued);
    EXPECT_EQ(process_total, result->total.issued);
    EXPECT_EQ(begun, 8U);  // four CTAs of two warps
    EXPECT_EQ(report->rows("gpu-instruction"), result->program.size());
    EXPECT_EQ(report->rows("gpu-kernel"), 1U);
    EXPECT_EQ(Timeline::create(folder, kernel->header(), gpu, gpu.boost, 16).error().kind, ErrorKind::kOutputExists);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kymo::gpu
