// Each defect planted in a small kernel, and its twin without.
#include "gpu/report/findings.h"

#include "../one_sm.h"

#include <algorithm>

namespace kymo::gpu {
namespace {

double share(const KernelResult& result, const std::string& kind) {
    const auto all = findings(result);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Finding& one) { return one.kind == kind; });
    return found != all.end() ? found->share : 0;
}

std::vector<std::vector<Line>> warps_of(std::size_t count, const Line& line, int times) {
    std::vector<Line> lines(static_cast<std::size_t>(times), line);
    lines.push_back({"IADD3", {9}, {2}});
    lines.push_back({"EXIT", {}, {}});
    return std::vector<std::vector<Line>>(count, lines);
}

TEST(Findings, Divergence) {
    auto bad = kernel_of(warps_of(8, {"FFMA", {2}, {2}, 0x0000'000FU}, 100));
    auto good = kernel_of(warps_of(8, {"FFMA", {2}, {2}}, 100));
    EXPECT_GT(share(run(one_sm(), *bad), "divergence"), 0.5);
    EXPECT_EQ(share(run(one_sm(), *good), "divergence"), 0);
}

// A diverged stretch of several lines is told at the line that costs most, not at its first.
TEST(Findings, DivergenceIsToldAtItsCostliestLine) {
    auto kernel = kernel_of(warps_of(1, {"FFMA", {2}, {2}, 0x0000'000FU}, 100));
    KernelResult result = run(one_sm(), *kernel);
    for (std::size_t i = 0; i < result.program.size(); ++i) {
        result.program[i].line = i < 10 ? 5 : i < 80 ? 6 : 7;
    }
    const auto all = findings(result);
    const auto found =
        std::find_if(all.begin(), all.end(), [](const Finding& one) { return one.kind == "divergence"; });
    ASSERT_NE(found, all.end());
    EXPECT_EQ(found->line, 6U);
    EXPECT_EQ(found->pc_begin, 0U);
}

TEST(Findings, UncoalescedAccess) {
    auto bad = kernel_of(warps_of(8, {"LDG.E", {2}, {4, 2}, 0xFFFF'FFFFU, 0x10000, 512}, 20));
    auto good = kernel_of(warps_of(8, {"LDG.E", {2}, {4, 2}, 0xFFFF'FFFFU, 0x10000, 4}, 20));
    EXPECT_GT(share(run(one_sm(), *bad), "uncoalesced-access"), 0.5);
    EXPECT_EQ(share(run(one_sm(), *good), "uncoalesced-access"), 0);
}

TEST(Findings, BankConflict) {
    auto bad = kernel_of(warps_of(8, {"LDS", {2}, {2}, 0xFFFF'FFFFU, 0x400, 128}, 20));
    auto good = kernel_of(warps_of(8, {"LDS", {2}, {2}, 0xFFFF'FFFFU, 0x400, 132}, 20));
    const KernelResult result = run(one_sm(), *bad);
    EXPECT_GT(share(result, "bank-conflict"), 0.5);
    EXPECT_EQ(share(run(one_sm(), *good), "bank-conflict"), 0);
    const auto all = findings(result);
    const auto found =
        std::find_if(all.begin(), all.end(), [](const Finding& one) { return one.kind == "bank-conflict"; });
    ASSERT_NE(found, all.end());
    EXPECT_EQ(result.program.at(found->pc_begin / 16).opcode, "LDS");
}

TEST(Findings, LowOccupancy) {
    auto bad = kernel_of(warps_of(1, {"FFMA", {2}, {2}}, 100));
    auto good = kernel_of(warps_of(16, {"FFMA", {2}, {2}}, 100));
    EXPECT_GT(share(run(one_sm(), *bad), "low-occupancy"), 0.3);
    EXPECT_EQ(share(run(one_sm(), *good), "low-occupancy"), 0);
}

TEST(Findings, TailWave) {
    Gpu gpu = one_sm();
    gpu.sms = 4;
    gpu.sm_ctas = 1;
    auto bad = kernel_of(warps_of(8, {"FFMA", {2}, {2}}, 100), 5);
    auto good = kernel_of(warps_of(8, {"FFMA", {2}, {2}}, 100), 8);
    EXPECT_GT(share(run(gpu, *bad), "tail-wave"), 0.3);
    EXPECT_EQ(share(run(gpu, *good), "tail-wave"), 0);
}

}  // namespace
}  // namespace kymo::gpu
