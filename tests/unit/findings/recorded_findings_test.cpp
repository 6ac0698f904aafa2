// Recordings of the GPU model have the findings that it made; any other recording is judged.
#include "findings/recorded_findings.h"

#include "made_evidence.h"
#include "recording/row_types.h"
#include "recording/tables/gpu.h"
#include "recording/writer.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace kymo::findings {
namespace {

namespace rec = recording;

class RecordedFindingsOf : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = std::filesystem::temp_directory_path() / "kymo-findings-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // A recording of one kernel with two findings, by a producer for this machine.
    rec::Recording kernel(std::uint16_t machine) {
        rec::FileWriter file;
        rec::FileOptions options;
        options.machine = machine;
        options.clock = rec::ClockDomain::kModelled;
        options.pid = 1;
        options.producer = "test";
        EXPECT_EQ(file.create((folder_ / "process-1-0.krec").c_str(), options), 0);
        rec::StreamWriter common;
        common.open(file, StreamId{0});
        rec::write_schemas(common);
        rec::write_schema<rec::GpuKernel>(common);
        rec::write_schema<rec::GpuFinding>(common);
        common.append(rec::GpuFinding{.kind = "divergence",
                                      .title = "lanes take different ways",
                                      .share = 0.25,
                                      .seconds = 0.5,
                                      .offset_begin = 0x40,
                                      .offset_end = 0x80,
                                      .direction = "sort the work",
                                      .event = "lanes",
                                      .bad = 8,
                                      .good = 32});
        common.append(rec::GpuFinding{.kind = "bank-conflict", .title = "two passes", .share = 0.5, .line = 12});
        common.append(rec::GpuKernel{.duration = 2'000'000'000, .name = "_Z4gemmPf", .gpu = "h100"});
        EXPECT_EQ(file.close(), 0);
        auto opened = rec::Recording::open(folder_);
        EXPECT_TRUE(opened) << opened.error().what;
        return std::move(*opened);
    }

    static std::vector<RecordedFindings> rows(const rec::Recording& recording) {
        return rec::read_each<RecordedFindings>(recording.files()).value();
    }

    std::filesystem::path folder_;
};

TEST_F(RecordedFindingsOf, AModelledGpuAreItsOwnMostAtStakeFirst) {
    MadeEvidence made;
    const Judgement judgement = judge_recording(rows(kernel(rec::kModelledGpu)), made.finish());
    ASSERT_EQ(judgement.findings.size(), 2U);
    const Finding& conflict = judgement.findings[0];
    EXPECT_EQ(conflict.kind, "bank-conflict");
    EXPECT_EQ(conflict.title, "In `gemm` (line 12) two passes.");
    EXPECT_TRUE(conflict.evidence.empty());
    const Finding& divergence = judgement.findings[1];
    EXPECT_EQ(divergence.title, "In `gemm` (instructions 0x40 to 0x80) lanes take different ways.");
    EXPECT_DOUBLE_EQ(divergence.share, 0.25);
    EXPECT_DOUBLE_EQ(divergence.share_low, 0.25);
    EXPECT_DOUBLE_EQ(divergence.seconds, 0.5);
    EXPECT_EQ(divergence.direction, "sort the work");
    ASSERT_EQ(divergence.evidence.size(), 1U);
    EXPECT_EQ(divergence.evidence[0].event, "lanes");
    EXPECT_DOUBLE_EQ(divergence.evidence[0].ratio, 0.25);
    EXPECT_EQ(judgement.control.rounds, 0U);
}

TEST_F(RecordedFindingsOf, AnyOtherMachineAreThoseOfTheRules) {
    MadeEvidence made;
    const Judgement judgement = judge_recording(rows(kernel(62)), made.finish());
    EXPECT_TRUE(judgement.findings.empty());
    EXPECT_EQ(judgement.control.rounds, JudgeOptions{}.rounds);
}

}  // namespace
}  // namespace kymo::findings
