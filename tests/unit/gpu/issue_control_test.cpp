// Programs that bring the compiler's control bits: the model waits as they say, and for nothing else. Times by hand
// on the GPU of one_sm.h, whose arithmetic takes 4 cycles and whose L1 hits take 30.
#include "one_sm.h"

namespace kymo::gpu {
namespace {

constexpr std::uint8_t kNo = IssueControl::kNoBarrier;

// One warp that executes these lines under these controls.
std::unique_ptr<KernelSource> controlled(const std::vector<Line>& lines, const std::vector<IssueControl>& controls) {
    Encoded made = encode({lines});
    for (std::size_t i = 0; i < controls.size(); ++i) {
        made.program[i].control = controls[i];
        made.program[i].control.known = true;
    }
    KernelHeader header;
    header.name = "controlled";
    header.block = {kWarpLanes, 1, 1};
    header.registers = 16;
    Cta cta;
    cta.warps = std::move(made.warps);
    return std::make_unique<GeneratedKernel>(header, std::move(made.program),
                                             [cta](std::uint64_t, const Program&) { return cta; });
}

IssueControl stall(std::uint8_t cycles, std::uint8_t write = kNo, std::uint8_t read = kNo, std::uint8_t waits = 0) {
    return {true, cycles, write, read, waits};
}

TEST(IssueControl, TheStallCountSaysWhenTheNextInstructionIssues) {
    // The registers depend on each other, but nobody asks them.
    const std::vector<Line> lines = {{"FFMA", {1}, {1}}, {"FFMA", {1}, {1}}, {"EXIT", {}, {}}};
    EXPECT_EQ(run(one_sm(), *controlled(lines, {stall(2), stall(5), stall(1)})).cycles, 8);  // 0, 2, 7
    EXPECT_EQ(run(one_sm(), *controlled(lines, {stall(0), stall(1), stall(1)})).cycles, 3);  // at least one
}

TEST(IssueControl, ABarrierOpensWithTheLastResultThatRaisedIt) {
    const std::vector<Line> lines = {{"MUFU", {1}, {}}, {"FADD", {2}, {}}, {"FADD", {3}, {}}, {"EXIT", {}, {}}};
    Gpu gpu = one_sm();
    gpu.latency[static_cast<std::size_t>(OpClass::kSfu)] = 20;
    // MUFU in 0 raises 2 until 20; the FADD in 1 raises it until 5, which changes nothing.
    const auto kernel = controlled(lines, {stall(1, 2), stall(1, 2), stall(1, kNo, kNo, 1U << 2U), stall(1)});
    const KernelResult result = run(gpu, *kernel);
    EXPECT_EQ(result.cycles, 22);  // 0, 1, 20, 21
    EXPECT_EQ(cause(result, Cause::kDependence), 18);
    // Another barrier is not waited for.
    EXPECT_EQ(run(gpu, *controlled(lines, {stall(1, 2), stall(1), stall(1, kNo, kNo, 1U << 3U), stall(1)})).cycles,
              4);
}

TEST(IssueControl, OperandsAreReadLongBeforeALoadsResultIsThere) {
    const std::vector<Line> lines = {
        {"LDS", {1}, {2}, 0xFFFF'FFFFU, 0x100}, {"IADD3", {2}, {2}}, {"IADD3", {3}, {1}}, {"EXIT", {}, {}}};
    // 12 cycles until the address register may be written, 20 until the value is there.
    const auto kernel =
        controlled(lines, {stall(1, 0, 1), stall(1, kNo, kNo, 1U << 1U), stall(1, kNo, kNo, 1U), stall(1)});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(cause(result, Cause::kDependence), 11);  // from 1 to 12
    EXPECT_GT(cause(result, Cause::kShared), 0);
    EXPECT_GE(result.cycles, 22);
}

TEST(IssueControl, PredicatesAreNotAsked) {
    const std::vector<Line> lines = {{"ISETP.GE.AND", {}, {}}, {"IADD3", {1}, {}, 0x0000'FFFFU}, {"EXIT", {}, {}}};
    EXPECT_EQ(run(one_sm(), *controlled(lines, {stall(3), stall(1), stall(1)})).cycles, 5);  // 0, 3, 4
}

}  // namespace
}  // namespace kymo::gpu
