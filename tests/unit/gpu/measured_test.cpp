// Against published traces and measured times, where they lie beside the checkout.
#include "accuracy/accuracy.h"
#include "gpu/model/full_model.h"
#include "gpu/report/findings.h"
#include "gpu/trace/compact_trace.h"
#include "gpu/trace/text_trace.h"
#include "gpu/trace/trace_file.h"

#include <cmath>
#include <gtest/gtest.h>

namespace kymo::gpu {
namespace {

class Measured : public testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(data_)) {
            GTEST_SKIP() << "the published GPU traces are not beside this checkout";
        }
    }
    std::filesystem::path data_ = KYMO_GPU_DATA;
};

TEST_F(Measured, FfmaTracesAreWithinThreePercent) {
    const auto gpu = load_gpu("h100-pcie");
    ASSERT_TRUE(gpu);
    // Nsight Compute's cycles on an H100 PCIe.
    const std::pair<int, double> measured[] = {{10, 9576}, {20, 14781}, {30, 20028}, {40, 25446}};
    for (const auto& [iterations, cycles] : measured) {
        auto trace = open_kernel(data_ / "traces" / ("h100-ffma-1x32-" + std::to_string(iterations) + ".traceg.xz"));
        ASSERT_TRUE(trace) << trace.error().what;
        const auto result = run_full(*gpu, gpu->profiled, **trace);
        ASSERT_TRUE(result);
        EXPECT_NEAR(result->cycles, cycles, 0.03 * cycles) << iterations;
    }
}

TEST_F(Measured, EveryTraceReadsAndShrinksEightfold) {
    for (const auto& entry : std::filesystem::directory_iterator(data_ / "traces")) {
        auto bytes = open_bytes(entry.path());
        ASSERT_TRUE(bytes);
        auto trace = TextTrace::open(std::move(*bytes), entry.path());
        ASSERT_TRUE(trace) << trace.error().what;
        std::vector<std::uint8_t> compact;
        const auto size = write_compact(**trace, compact);
        ASSERT_TRUE(size) << size.error().what;
        EXPECT_GT(size->instructions, 1000U);
        EXPECT_LT(size->bytes * 8, (*trace)->text_bytes()) << entry.path();
    }
}

TEST_F(Measured, VectorAddHasAllItsInstructions) {
    auto trace = open_kernel(data_ / "traces" / "a100-vectoradd-50000.traceg.xz");
    ASSERT_TRUE(trace);
    const auto gpu = load_gpu("a100-pcie");
    const auto result = run_full(*gpu, gpu->boost, **trace);
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->total.issued, 26601U);
    EXPECT_EQ(result->ctas, 196U);
    EXPECT_EQ(result->memory.l2_reads, 2 * 50000 / 8U);
    EXPECT_EQ(result->memory.l2_writes, 50000 / 8U);
}

TEST_F(Measured, BfsIsDivergent) {
    auto trace = open_kernel(data_ / "traces" / "a100-bfs-3.traceg.xz");
    ASSERT_TRUE(trace);
    const auto gpu = load_gpu("a100-pcie");
    const auto result = run_full(*gpu, gpu->boost, **trace);
    ASSERT_TRUE(result) << result.error().what;
    bool divergent = false;
    for (const Finding& finding : findings(*result)) {
        divergent = divergent || finding.kind == "divergence";
    }
    EXPECT_TRUE(divergent);
}

// Each tenth row of the micro-benchmarks; bench/gpu/accuracy runs them all.
TEST_F(Measured, EmptyAndFfmaKernelsAreClose) {
    const auto gpu = load_gpu("h100-pcie");
    auto rows = read_measured(data_ / "measured" / "h100_pcie.tsv");
    ASSERT_TRUE(rows) << rows.error().what;
    EXPECT_EQ(rows->size(), 455U);
    std::size_t number = 0;
    std::vector<AccuracyRow> some;
    for (AccuracyRow& row : *rows) {
        const bool large = row.parameters.find("block=65536") != std::string::npos ||
                           row.parameters.find("block=32768") != std::string::npos;
        if ((row.benchmark == "emptykernel" || row.benchmark.starts_with("ffma")) && !large && ++number % 10 == 0) {
            model_row(*gpu, Model::kFull, row);
            ASSERT_GT(row.modelled_us, 0) << row.why_not;
            some.push_back(row);
        }
    }
    EXPECT_LT(summarise(some).back().mape, 0.10);
}

TEST(Accuracy, SummarisesWithoutDroppingRows) {
    const std::vector<AccuracyRow> rows = {
        {"a", "", "nsys", 10, 11, ""}, {"a", "", "nsys", 10, 8, ""}, {"a", "", "nsys", 20, 0, "no"}};
    const auto summaries = summarise(rows);
    ASSERT_EQ(summaries.size(), 2U);
    EXPECT_NEAR(summaries[0].mape, 0.15, 1e-12);
    EXPECT_NEAR(summaries[0].bias, -0.05, 1e-12);
    EXPECT_EQ(summaries[0].within_15, 0.5);
    EXPECT_EQ(summaries[1].rows, 2U);
}

}  // namespace
}  // namespace kymo::gpu
