// Schedules calculated by hand, one mechanism each, on the GPU of one_sm.h. A warp's last instruction issued in cycle
// t ends the warp at t + 1.
#include "gpu/basic/basic_model.h"
#include "one_sm.h"

namespace kymo::gpu {
namespace {

TEST(Schedule, IndependentInstructionsIssueEveryCycle) {
    auto kernel = kernel_of({{{"IADD3", {1}, {}}, {"IADD3", {2}, {}}, {"IADD3", {3}, {}}, {"EXIT", {}, {}}}});
    EXPECT_EQ(run(one_sm(), *kernel).cycles, 4);  // issued in 0, 1, 2, 3
}

TEST(Schedule, ADependentInstructionWaitsForTheLatency) {
    auto kernel = kernel_of({{{"FFMA", {1}, {1}}, {"FFMA", {1}, {1}}, {"FFMA", {1}, {1}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 10);  // 0, 4, 8, 9
    EXPECT_EQ(cause(result, Cause::kDependence), 6);
    EXPECT_EQ(cause(result, Cause::kIssue), 4);
}

TEST(Schedule, AnIntervalKeepsThePipeBusy) {
    Gpu gpu = one_sm();
    gpu.interval[static_cast<std::size_t>(OpClass::kFp32)] = 2;
    auto kernel = kernel_of({{{"FADD", {1}, {}}, {"FADD", {2}, {}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(gpu, *kernel);
    EXPECT_EQ(result.cycles, 4);  // 0, 2, 3
    EXPECT_EQ(cause(result, Cause::kPipe), 1);
}

TEST(Schedule, ABranchDelaysTheNextInstruction) {
    auto kernel = kernel_of({{{"BRA", {}, {}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 9);  // 0, then 0 + 1 + 7
    EXPECT_EQ(cause(result, Cause::kBranch), 7);
}

TEST(Schedule, APredicatedInstructionWaitsForTheCompare) {
    auto kernel = kernel_of({{{"ISETP.GE.AND", {}, {}}, {"IADD3", {1}, {}, 0x0000'FFFFU}, {"EXIT", {}, {}}}});
    EXPECT_EQ(run(one_sm(), *kernel).cycles, 12);  // 0, 10, 11
}

TEST(Schedule, AnEmptyMaskTakesANopsTimeAndWritesNothing) {
    auto kernel = kernel_of({{{"FFMA", {1}, {}, 0}, {"FFMA", {2}, {1}, 0}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 3);
    EXPECT_EQ(result.masked_instructions, 2U);
    EXPECT_EQ(result.warp_instructions, 1U);
}

TEST(Schedule, TwoWarpsHideEachOthersLatency) {
    const std::vector<Line> chain = {{"FFMA", {1}, {1}}, {"FFMA", {1}, {1}}, {"EXIT", {}, {}}};
    auto kernel = kernel_of({chain, chain});
    // The younger issues in 0, 4 and (greedy) 5, the older in 1, 6 and 7. One after the other they would take 12.
    EXPECT_EQ(run(one_sm(), *kernel).cycles, 8);
}

// Measured on hardware with dependent FFMAs: time goes up by whole groups of as many warps as the latency hides.
TEST(Schedule, GreedyThenYoungestRunsWarpsInGroups) {
    std::vector<Line> chain(101, Line{"FFMA", {1}, {1}});
    chain.back() = {"EXIT", {}, {}};
    const auto cycles = [&](std::size_t warps) {
        auto kernel = kernel_of(std::vector<std::vector<Line>>(warps, chain));
        return run(one_sm(), *kernel).cycles;
    };
    const double four = cycles(4);
    EXPECT_NEAR(four, 400, 5);
    EXPECT_NEAR(cycles(1), 400, 5);
    EXPECT_NEAR(cycles(6), 2 * four, 20);
    EXPECT_NEAR(cycles(8), 2 * four, 20);
}

// What comes to the place of a warp that has ended, having issued last, is not preferred for that.
TEST(Schedule, AWarpThatHasEndedIsNotGreedyAnyMore) {
    Gpu gpu = one_sm();
    gpu.sm_ctas = 1;
    auto kernel = kernel_of({{{"IADD3", {1}, {}}, {"EXIT", {}, {}}},
                             {{"FFMA", {1}, {1}}, {"FFMA", {1}, {1}}, {"FFMA", {1}, {1}}, {"EXIT", {}, {}}}},
                            2);
    // The younger in 0, 4, 8 and 9, the older in 1 and 2; both CTAs the same.
    EXPECT_EQ(run(gpu, *kernel).cycles, 2 * 10);
}

TEST(Schedule, OneSchedulerHasRoomForAllWarps) {
    Gpu gpu = one_sm();
    gpu.sm_warps = 128;
    auto kernel = kernel_of(std::vector<std::vector<Line>>(32, {{"IADD3", {1}, {}}, {"EXIT", {}, {}}}), 4);
    EXPECT_EQ(run(gpu, *kernel).cycles, 4 * 32 * 2);  // an instruction a cycle
}

TEST(Schedule, OneMissGoesToTheDram) {
    auto kernel = kernel_of({{{"LDG.E", {2}, {4}, 0xFFFF'FFFFU, 0x10000}, {"IADD3", {3}, {2}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    // Four sectors of one line: unloaded 500; nobody is in the way, so no waits.
    EXPECT_EQ(result.cycles, 502);
    EXPECT_EQ(result.memory.dram_reads, 4U);
    EXPECT_EQ(cause(result, Cause::kDram), 499);
}

TEST(Schedule, TheSecondLoadHitsTheL1) {
    auto kernel = kernel_of({{{"LDG.E", {2}, {4}, 0xFFFF'FFFFU, 0x10000},
                              {"IADD3", {3}, {2}},
                              {"LDG.E", {5}, {4}, 0xFFFF'FFFFU, 0x10000},
                              {"IADD3", {6}, {5}},
                              {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 500 + 1 + 30 + 2);
    EXPECT_EQ(result.l1_reads, 8U);
    EXPECT_EQ(result.l1_read_hits, 4U);
}

TEST(Schedule, AWarmL2AnswersInItsLatency) {
    Gpu gpu = one_sm();
    auto kernel = kernel_of({{{"LDG.E", {2}, {4}, 0xFFFF'FFFFU, 0x10000}, {"IADD3", {3}, {2}}, {"EXIT", {}, {}}}});
    FullOptions warm;
    warm.warm_l2 = true;
    const auto result = run_full(gpu, gpu.boost, *kernel, warm);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->cycles, 202);
    EXPECT_EQ(result->memory.l2_read_hits, 4U);
}

TEST(Schedule, ALaunchFindsTheL2AsThoseBeforeHaveLeftIt) {
    Gpu gpu = one_sm();
    const auto load = [](std::uint64_t address) {
        return kernel_of({{{"LDG.E", {2}, {4}, 0xFFFF'FFFFU, address}, {"IADD3", {3}, {2}}, {"EXIT", {}, {}}}});
    };
    MemorySystem memory(gpu, gpu.boost);
    FullOptions kept;
    kept.memory = &memory;
    const auto cycles = [&](std::uint64_t address) {
        const auto result = run_full(gpu, gpu.boost, *load(address), kept);
        EXPECT_TRUE(result);
        EXPECT_EQ(result->memory.l2_reads, 4U);  // of this launch alone
        return result->cycles;
    };
    EXPECT_EQ(cycles(0x10000), 502);
    EXPECT_EQ(cycles(0x20000), 502);
    EXPECT_EQ(cycles(0x10000), 202);
}

TEST(Schedule, ScatteredLanesTakeTheirTurnsInTheL1) {
    auto kernel =
        kernel_of({{{"LDG.E", {2}, {4}, 0xFFFF'FFFFU, 0x10000, 4096}, {"IADD3", {3}, {2}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.total.sectors, 32U);
    EXPECT_EQ(result.total.fewest_sectors, 4U);
    // 8 passes through the L1; 32 sectors from the DRAM, one every two cycles after the first.
    EXPECT_GE(result.cycles, 500 + 31 * 2);
    EXPECT_LE(result.cycles, 500 + 31 * 2 + 32 + 8 + 2);
}

TEST(Schedule, ABankConflictCostsItsPasses) {
    const auto cycles = [](std::int64_t stride) {
        auto kernel =
            kernel_of({{{"LDS", {2}, {4}, 0xFFFF'FFFFU, 0x400, stride}, {"IADD3", {3}, {2}}, {"EXIT", {}, {}}}});
        return run(one_sm(), *kernel).cycles;
    };
    EXPECT_EQ(cycles(4), 22);         // 20, then two
    EXPECT_EQ(cycles(8), 22 + 1);     // two words a bank
    EXPECT_EQ(cycles(128), 22 + 31);  // all in one bank
    EXPECT_EQ(cycles(0), 22);         // all the same word
}

TEST(Schedule, ABarrierWaitsForTheLastWarp) {
    const std::vector<Line> quick = {{"BAR.SYNC", {}, {}}, {"EXIT", {}, {}}};
    const std::vector<Line> slow = {
        {"MUFU.RCP", {1}, {}}, {"IADD3", {2}, {1}}, {"BAR.SYNC", {}, {}}, {"EXIT", {}, {}}};
    Gpu gpu = one_sm();
    gpu.latency[static_cast<std::size_t>(OpClass::kSfu)] = 50;
    auto kernel = kernel_of({quick, slow});
    const KernelResult result = run(gpu, *kernel);
    // The slow one arrives at 51; both go on at 56, one after the other.
    EXPECT_EQ(result.cycles, 51 + 5 + 2);
    EXPECT_GE(cause(result, Cause::kBarrier), 50);
}

TEST(Schedule, ABarrierThatOthersLeaveOpensWhenTheyEnd) {
    auto kernel = kernel_of({{{"BAR.SYNC", {}, {}}, {"EXIT", {}, {}}}, {{"IADD3", {1}, {}}, {"EXIT", {}, {}}}});
    EXPECT_LT(run(one_sm(), *kernel).cycles, 20);
}

// Notes in which cycle an instruction was issued.
class IssueOf : public IssueObserver {
  public:
    explicit IssueOf(std::uint32_t instruction) : instruction_(instruction) {}
    void warp_begins(unsigned, unsigned, std::uint64_t, std::uint64_t, std::uint32_t) override {}
    void issued(const Issue& issue) override {
        if (issue.instruction == instruction_) {
            cycle = issue.cycle;
        }
    }
    void warp_ends(unsigned, unsigned, std::uint64_t) override {}
    std::uint64_t cycle = 0;

  private:
    std::uint32_t instruction_;
};

// The last warp to reach a barrier may be another scheduler's than that of those it lets go, which has been busy.
TEST(Schedule, ABarrierOpensInTimeOnEveryScheduler) {
    Gpu gpu = one_sm();
    gpu.sm_schedulers = 2;
    gpu.latency[static_cast<std::size_t>(OpClass::kSfu)] = 100;
    std::vector<Line> busy(60, Line{"FFMA", {1}, {1}});  // issues in every fourth cycle
    busy.push_back({"EXIT", {}, {}});
    const std::vector<Line> late = {
        {"MUFU.RCP", {1}, {}}, {"IADD3", {2}, {1}}, {"BAR.SYNC", {}, {}}, {"EXIT", {}, {}}};
    const std::vector<Line> early = {{"BAR.SYNC", {}, {}}, {"IADD3", {1}, {}}, {"EXIT", {}, {}}};
    Encoded made = encode({busy, late, early});
    KernelHeader header;
    header.grid = {2, 1, 1};
    header.block = {2 * kWarpLanes, 1, 1};
    // The busy warp and the early one are the first scheduler's, the late one the second's.
    GeneratedKernel kernel(header, made.program, [&](std::uint64_t number, const Program&) {
        Cta cta;
        cta.warps.assign(made.warps.begin() + (number == 0 ? 0 : 1), made.warps.begin() + (number == 0 ? 1 : 3));
        return cta;
    });
    IssueOf first_behind(static_cast<std::uint32_t>(busy.size() + late.size() + 1));
    FullOptions options;
    options.observer = &first_behind;
    ASSERT_TRUE(run_full(gpu, gpu.boost, kernel, options));
    EXPECT_EQ(first_behind.cycle, 101U + 5);
}

TEST(Schedule, FourSchedulersIssueSideBySide) {
    Gpu gpu = one_sm();
    const std::vector<Line> warp = {{"IADD3", {1}, {}}, {"IADD3", {2}, {}}, {"IADD3", {3}, {}}, {"EXIT", {}, {}}};
    const auto cycles = [&](std::size_t warps) {
        auto kernel = kernel_of(std::vector<std::vector<Line>>(warps, warp));
        return run(gpu, *kernel).cycles;
    };
    EXPECT_EQ(cycles(4), 16);
    gpu.sm_schedulers = 4;
    EXPECT_EQ(cycles(4), 4);
    EXPECT_EQ(cycles(8), 8);
    EXPECT_EQ(cycles(5), 8);  // the fifth warp shares the first one's scheduler
}

TEST(Schedule, ConstantsAreColdOnce) {
    auto kernel =
        kernel_of({{{"LDC", {2}, {}}, {"IADD3", {3}, {2}}, {"LDC", {4}, {}}, {"IADD3", {5}, {4}}, {"EXIT", {}, {}}}});
    EXPECT_EQ(run(one_sm(), *kernel).cycles, 240 + 1 + 8 + 2);
}

TEST(Schedule, AtomicsOnOneLineGoOneByOne) {
    auto kernel =
        kernel_of({{{"ATOMG.E.ADD", {2}, {4}, 0xFFFF'FFFFU, 0x10000, 0}, {"IADD3", {3}, {2}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.memory.l2_atomics, 32U);
    EXPECT_EQ(result.cycles, 500 + 32 * 2 + 2);
}

TEST(Schedule, CtasBeyondTheOccupancyWaitForAPlace) {
    Gpu gpu = one_sm();
    gpu.sm_ctas = 2;
    std::vector<Line> chain(25, Line{"FFMA", {1}, {1}});
    auto six = kernel_of({chain}, 6);
    const KernelResult result = run(gpu, *six);
    EXPECT_EQ(result.occupancy.ctas, 2U);
    EXPECT_EQ(result.waves, 3);
    EXPECT_NEAR(result.cycles, 3 * 97, 12);
}

TEST(Schedule, TheDistributorStartsOneCtaAfterAnother) {
    Gpu gpu = one_sm();
    gpu.boost.cta_cycles = 10;
    gpu.boost.cta_start_cycles = 100;
    gpu.boost.warp_start_cycles = 3;
    gpu.boost.fixed_cycles = 1000;
    auto kernel = kernel_of({{{"EXIT", {}, {}}}}, 4);
    EXPECT_EQ(run(gpu, *kernel).cycles, 1000 + 3 * 10 + 100 + 3 + 1);
}

TEST(Schedule, CtasWithoutInstructionsEndTheKernel) {
    auto kernel = kernel_of({{}}, 100000);
    EXPECT_EQ(run(one_sm(), *kernel).ctas, 100000U);
}

TEST(Occupancy, IsLimitedByWhateverRunsOutFirst) {
    Gpu gpu = one_sm();
    gpu.sm_schedulers = 4;
    gpu.sm_warps = 64;
    gpu.sm_ctas = 32;
    KernelHeader kernel;
    kernel.block = {256, 1, 1};
    kernel.registers = 32;
    EXPECT_EQ(occupancy(gpu, kernel)->ctas, 8U);  // 64 warps / 8
    EXPECT_STREQ(occupancy(gpu, kernel)->limit, "warps");
    kernel.registers = 64;  // 2048 a warp, 8 a scheduler, 32 warps
    EXPECT_EQ(occupancy(gpu, kernel)->ctas, 4U);
    EXPECT_STREQ(occupancy(gpu, kernel)->limit, "registers");
    kernel.shared_bytes = 30000;
    EXPECT_EQ(occupancy(gpu, kernel)->ctas, 2U);
    EXPECT_STREQ(occupancy(gpu, kernel)->limit, "shared memory");
    kernel.shared_bytes = 70000;
    EXPECT_FALSE(occupancy(gpu, kernel));
}

// IF/ELSE/ENDIF with per-thread control values: the threads of the basic model take a NOP's time where switched off.
TEST(BasicModel, ThreadsTakeANopWhereTheMaskLeavesThemOut) {
    Gpu gpu = one_sm();
    gpu.latency[static_cast<std::size_t>(OpClass::kSfu)] = 20;
    auto kernel = kernel_of({{{"ISETP.GE.AND", {}, {}},
                              {"FADD", {1}, {}, 0x0000'00FFU},      // if: 8 threads
                              {"MUFU.RCP", {1}, {}, 0xFFFF'FF00U},  // else: 24 threads
                              {"IADD3", {2}, {1}},                  // endif
                              {"EXIT", {}, {}}}});
    const auto result = run_basic(gpu, gpu.boost, *kernel);
    ASSERT_TRUE(result);
    // if: 4 + 4 + 1 + 4 = 13; else: 4 + 1 + 20 + 4 = 29
    EXPECT_EQ(result->cycles, 29);
    EXPECT_EQ(result->thread_cycles, 8 * 13 + 24 * 29);
    EXPECT_EQ(result->thread_instructions, 32U + 8 + 24 + 32 + 32);
}

TEST(BasicModel, MemoryTakesTheCacheModelsTime) {
    auto kernel = kernel_of({{{"LDG.E", {2}, {4}, 0x3U, 0x10000, 4}, {"EXIT", {}, {}, 0x3U}}});
    const auto result = run_basic(one_sm(), one_sm().boost, *kernel);
    ASSERT_TRUE(result);
    // Two threads, one sector: the first misses (500), the second hits (200). The other 30 take two NOPs.
    EXPECT_EQ(result->thread_cycles, 500 + 200 + 30 * 2);
    EXPECT_EQ(result->cycles, 500);
}

}  // namespace
}  // namespace kymo::gpu
