// Schedules calculated by hand of the memory's mechanisms, on the GPU of one_sm.h: an L1 hit takes 30 cycles, an L2
// hit 200, the DRAM 500; the slice serves a sector a cycle, the channel one every two.
#include "one_sm.h"

namespace kymo::gpu {
namespace {

constexpr std::uint32_t kAll = 0xFFFF'FFFFU;

double warm_cycles(const Gpu& gpu, KernelSource& kernel) {
    FullOptions warm;
    warm.warm_l2 = true;
    const auto result = run_full(gpu, gpu.boost, kernel, warm);
    EXPECT_TRUE(result);
    return result ? result->cycles : 0;
}

// A line whose partition is SM 0's own, or the other.
std::uint64_t address_in_partition(bool own) {
    std::uint64_t line = 0x100;
    while ((spread(line * 3) >> 63U == 0) != own) {
        ++line;
    }
    return line * kLineBytes;
}

TEST(MemorySchedule, AMissWaitsForAFreeRegister) {
    Gpu gpu = one_sm();
    const auto cycles = [&] {
        auto kernel = kernel_of({{{"LDG.E", {4}, {2}, kAll, 0x10000},
                                  {"LDG.E", {6}, {2}, kAll, 0x20000},
                                  {"IADD3", {8}, {4, 6}},
                                  {"EXIT", {}, {}}}});
        return run(gpu, *kernel).cycles;
    };
    // Issued in 1, the second's sectors follow the first's in the slice (4) and in the channel (8): there at 508.
    EXPECT_EQ(cycles(), 508 + 2);
    gpu.l1_misses = 4;  // the first's four sectors hold all until 500
    EXPECT_EQ(cycles(), 500 + 500 + 2);
}

// The registers of a miss that comes from near are free before those of one from afar that was earlier.
TEST(MemorySchedule, AMissRegisterIsFreeWhenItsOwnDataAreThere) {
    Gpu gpu = one_sm();
    gpu.l1_misses = 8;
    auto kernel = kernel_of({{{"STG.E", {}, {2, 3}, kAll, 0x20000},  // in 0: the L2 holds B
                              {"LDG.E", {4}, {2}, kAll, 0x10000},    // in 1: A, at 4 behind B in the slice: 504
                              {"LDG.E", {6}, {2}, kAll, 0x20000},    // in 2: B hits, at 8 in the slice: 208
                              {"LDG.E", {8}, {2}, kAll, 0x30000},    // in 3: C takes B's registers at 208: 708
                              {"IADD3", {10}, {8}},
                              {"EXIT", {}, {}}}});
    EXPECT_EQ(run(gpu, *kernel).cycles, 708 + 2);
}

TEST(MemorySchedule, WritesHaveABandwidthOfTheirOwn) {
    Gpu gpu = one_sm();
    const auto cycles = [&] {
        auto kernel = kernel_of(
            {{{"STG.E", {}, {2, 4}, kAll, 0x10000}, {"STG.E", {}, {2, 4}, kAll, 0x20000}, {"EXIT", {}, {}}}});
        return run(gpu, *kernel).cycles;
    };
    EXPECT_EQ(cycles(), 4 + 200);  // the second behind the first's four sectors
    gpu.l2_write_bandwidth = 8;    // a sector in four cycles
    EXPECT_EQ(cycles(), 16 + 200);
}

// Sectors at one place of different lines lie in the same banks of the L1.
TEST(MemorySchedule, TheL1GivesOneSectorOfAPlaceACycle) {
    const auto cycles = [](std::int64_t stride) {
        const std::vector<Line> warp = {{"LDG.E", {4}, {2}, 0xFU, 0x10000, stride},
                                        {"LDG.E", {6}, {4}, 0xFU, 0x10000, stride},
                                        {"IADD3", {8}, {6}},
                                        {"EXIT", {}, {}}};
        auto kernel = kernel_of({warp});
        return warm_cycles(one_sm(), *kernel);
    };
    EXPECT_EQ(cycles(32), 200 + 30 + 2);   // four sectors of one line
    EXPECT_EQ(cycles(160), 203 + 30 + 2);  // of four lines, each at another place: a slice cycle each
    // All at the first place: four cycles in the L1, so three more for the misses and three for the hits.
    EXPECT_EQ(cycles(128), 203 + 3 + 33 + 2);
}

TEST(MemorySchedule, AsynchronousCopiesAreWaitedForWhereTheProgramSaysSo) {
    auto kernel = kernel_of({{{"LDGSTS.E", {}, {2, 4}, kAll, 0x10000},  // in 0: 500
                              {"LDGDEPBAR", {}, {}},
                              {"IADD3", {6}, {}},
                              {"DEPBAR.LE", {}, {}},
                              {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 500 + 2);
    EXPECT_EQ(cause(result, Cause::kFence), 500 - 3);
}

// SM 0's second load waits for its registers until 500 and then takes the slice and the channel. That must not keep
// SM 1's loads, of 20, 520 and 1020, waiting.
TEST(MemorySchedule, AMissThatWaitsDoesNotDelayOtherSms) {
    Gpu gpu = one_sm();
    gpu.sms = 2;
    gpu.l1_misses = 4;
    gpu.latency[static_cast<std::size_t>(OpClass::kSfu)] = 20;
    auto kernel = kernel_of_ctas({{{"LDG.E", {4}, {2}, kAll, 0x10000},
                                   {"LDG.E", {6}, {2}, kAll, 0x20000},
                                   {"IADD3", {8}, {4, 6}},
                                   {"EXIT", {}, {}}},
                                  {{"MUFU.RCP", {2}, {}},
                                   {"LDG.E", {4}, {2}, kAll, 0x30000},
                                   {"LDG.E", {6}, {4}, kAll, 0x40000},
                                   {"LDG.E", {8}, {6}, kAll, 0x50000},
                                   {"IADD3", {10}, {8}},
                                   {"EXIT", {}, {}}}});
    EXPECT_EQ(run(gpu, *kernel).cycles, 20 + 3 * 500 + 2);
}

// Thousands of misses wait here; the DRAM is busy all the time, so that its bandwidth says how long it takes.
TEST(MemorySchedule, ScatteredLoadsOfManySmsTakeWhatTheDramTakes) {
    Gpu gpu = one_sm();
    gpu.sms = 8;
    gpu.l1_misses = 64;
    std::vector<std::vector<Line>> ctas;
    for (std::uint64_t cta = 0; cta < 32; ++cta) {
        std::vector<Line> lines;
        for (std::uint64_t i = 0; i < 16; ++i) {
            lines.push_back({"LDG.E", {4}, {2}, kAll, 0x100'0000 + (cta * 16 + i) * 32 * 4096, 4096});
        }
        lines.push_back({"IADD3", {6}, {4}});
        lines.push_back({"EXIT", {}, {}});
        ctas.push_back(std::move(lines));
    }
    auto kernel = kernel_of_ctas(ctas);
    const KernelResult result = run(gpu, *kernel);
    const double dram = 32 * 16 * 32 * 2;  // sectors × cycles a sector
    EXPECT_EQ(result.memory.dram_reads, 32U * 16 * 32);
    EXPECT_GE(result.cycles, dram);
    EXPECT_LE(result.cycles, dram * 1.1);
}

TEST(MemorySchedule, ThePartitionOfALineSaysHowFarItIs) {
    Gpu gpu = one_sm();
    gpu.l2_far_latency = 400;
    const auto load = [](bool own) {
        return kernel_of(
            {{{"LDG.E", {4}, {2}, kAll, address_in_partition(own)}, {"IADD3", {6}, {4}}, {"EXIT", {}, {}}}});
    };
    EXPECT_EQ(warm_cycles(gpu, *load(true)), 200 + 2);
    EXPECT_EQ(warm_cycles(gpu, *load(false)), 400 + 2);
    // The DRAM's 500 are a mean over both partitions: 200 behind an L2 of 300.
    EXPECT_EQ(run(gpu, *load(true)).cycles, 400 + 2);
    EXPECT_EQ(run(gpu, *load(false)).cycles, 600 + 2);
}

TEST(MemorySchedule, ThePortTakesOneLineAfterAnother) {
    Gpu gpu = one_sm();
    const auto cycles = [&] {
        auto kernel = kernel_of({{{"LDG.E", {4}, {2}, kAll, 0x10000},
                                  {"LDG.E", {6}, {2}, kAll, 0x20000},
                                  {"IADD3", {8}, {4, 6}},
                                  {"EXIT", {}, {}}}});
        return warm_cycles(gpu, *kernel);
    };
    EXPECT_EQ(cycles(), 204 + 2);  // behind the first's four sectors in the slice
    gpu.noc_bytes = 8;             // a sector every four cycles: the first's come in until 216
    EXPECT_EQ(cycles(), 216 + 2);
}

TEST(MemorySchedule, AFenceWaitsForTheStores) {
    auto kernel = kernel_of(
        {{{"STG.E", {}, {2, 4}, kAll, 0x10000}, {"MEMBAR.SC.GPU", {}, {}}, {"IADD3", {6}, {}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 200 + 3);
    EXPECT_EQ(cause(result, Cause::kFence), 199);
}

TEST(MemorySchedule, StoresAreNotWaitedForWithoutAFence) {
    auto kernel = kernel_of({{{"STG.E", {}, {2, 4}, kAll, 0x10000}, {"IADD3", {6}, {}}, {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 200);  // the kernel ends when the L2 has them
    EXPECT_EQ(result.total.issued, 3U);
    EXPECT_EQ(cause(result, Cause::kFence), 0);
}

TEST(MemorySchedule, SharedAtomicsOnOneWordGoOneByOne) {
    const auto cycles = [](std::int64_t stride) {
        auto kernel =
            kernel_of({{{"ATOMS.ADD", {4}, {2}, kAll, 0x400, stride}, {"IADD3", {6}, {4}}, {"EXIT", {}, {}}}});
        return run(one_sm(), *kernel).cycles;
    };
    EXPECT_EQ(cycles(4), 20 + 2);           // a word each
    EXPECT_EQ(cycles(0), 20 + 31 * 4 + 2);  // all on one: 31 more turns of four
}

TEST(MemorySchedule, TheLeastRecentlyUsedLineLeavesAndIsWrittenBack) {
    Gpu gpu = one_sm();
    gpu.l1_size = 0;
    gpu.l2_size = 2 * kLineBytes;
    gpu.l2_ways = 2;
    auto kernel = kernel_of({{{"STG.E", {}, {2, 3}, kAll, 0x10000},  // in 0: the L2 holds A, dirty
                              {"LDG.E", {4}, {2}, kAll, 0x20000},    // in 1: B, behind A in the slice at 4: 504
                              {"LDG.E", {6}, {4}, kAll, 0x10000},    // A hits: 704
                              {"LDG.E", {8}, {6}, kAll, 0x30000},    // C takes B's place, which is clean: 1204
                              {"LDG.E", {10}, {8}, kAll, 0x40000},   // D takes A's, whose 4 sectors go first: 1712
                              {"LDG.E", {12}, {10}, kAll, 0x30000},  // C hits: 1912
                              {"IADD3", {14}, {12}},
                              {"EXIT", {}, {}}}});
    const KernelResult result = run(gpu, *kernel);
    EXPECT_EQ(result.memory.l2_read_hits, 8U);
    EXPECT_EQ(result.memory.dram_reads, 12U);
    EXPECT_EQ(result.memory.dram_writes, 4U);
    EXPECT_EQ(result.cycles, 1912 + 2);
}

TEST(MemorySchedule, AHitOnALineUnderWayWaitsForIt) {
    auto kernel = kernel_of({{{"LDG.E", {4}, {2}, kAll, 0x10000},
                              {"LDG.E", {6}, {2}, kAll, 0x10000},
                              {"IADD3", {8}, {6}},
                              {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 500 + 2);
    EXPECT_EQ(result.memory.l2_reads, 4U);
}

TEST(MemorySchedule, ConstantsByAddressMissOnceALine) {
    auto kernel = kernel_of({{{"LDC", {4}, {2}, kAll, 0x100, 0},    // 40
                              {"LDC", {6}, {4}, kAll, 0x104, 0},    // hits: 48
                              {"LDC", {8}, {6}, 0x3, 0x200, 0x80},  // two lines, both missing: 128
                              {"IADD3", {10}, {8}},
                              {"EXIT", {}, {}}}});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.cycles, 128 + 2);
    EXPECT_EQ(cause(result, Cause::kConstant), 39 + 7 + 79);
}

TEST(MemorySchedule, WarpsThatHitOneConstantDoNotWaitForEachOther) {
    const std::vector<Line> warp = {
        {"LDC", {4}, {2}, kAll, 0x100, 0}, {"LDC", {6}, {4}, kAll, 0x100, 0}, {"IADD3", {8}, {6}}, {"EXIT", {}, {}}};
    auto kernel = kernel_of({warp, warp, warp, warp});
    // The first to read, in 0, misses: 40. The others hit what is under way: 48. It reads again in 40 and, having
    // issued last, ends in 48 and 49; the others read again in 50, 51 and 52 and have that in 58, 59 and 60. They end
    // one after the other: 58 and 59, 60 and 61, 62 and 63.
    EXPECT_EQ(run(one_sm(), *kernel).cycles, 64);
}

TEST(MemorySchedule, GenericAddressesMeanWhatTheirWindowSays) {
    KernelHeader header;
    header.shared_base = 0x7000'0000;
    header.local_base = 0x7200'0000;
    const auto result = [&](std::uint64_t address) {
        auto kernel =
            kernel_of({{{"LD.E", {4}, {2}, kAll, address, 0}, {"IADD3", {6}, {4}}, {"EXIT", {}, {}}}}, 1, header);
        return run(one_sm(), *kernel);
    };
    const KernelResult in_shared = result(0x7000'0400);
    EXPECT_EQ(in_shared.cycles, 20 + 2);
    EXPECT_EQ(in_shared.total.shared_requests, 1U);
    const KernelResult in_local = result(0x7200'0000);
    EXPECT_EQ(in_local.cycles, 500 + 2);
    EXPECT_EQ(in_local.total.sectors, 4U);  // each lane's own word, side by side
    const KernelResult in_global = result(0x1'0000'0000);
    EXPECT_EQ(in_global.cycles, 500 + 2);
    EXPECT_EQ(in_global.total.sectors, 1U);  // all of one word
}

TEST(MemorySchedule, LocalMemoryLiesSideBySideWarpByWarp) {
    const std::vector<Line> warp = {
        {"STL", {}, {2, 3}, kAll, 0x40, 0}, {"LDL", {4}, {2}, kAll, 0x40, 0}, {"IADD3", {6}, {4}}, {"EXIT", {}, {}}};
    auto kernel = kernel_of({warp, warp});
    const KernelResult result = run(one_sm(), *kernel);
    EXPECT_EQ(result.total.sectors, 2U * 2 * 4);
    EXPECT_EQ(result.memory.l2_writes, 8U);     // two warps' lines, though their addresses are the same
    EXPECT_EQ(result.memory.l2_read_hits, 8U);  // written through into the L2, not kept by the L1
    // Stores in 0 and 1, loads in 2 and 3 or as the scheduler takes them; the slice serves four lines of four
    // sectors, so that the last load's begin at 12: there at 212.
    EXPECT_EQ(result.cycles, 212 + 2);
}

// The load/store unit is one for all four schedulers: in turn, whichever scheduler is looked at first.
TEST(MemorySchedule, TheLoadStoreUnitIsSharedByTheSchedulers) {
    Gpu gpu = one_sm();
    gpu.sm_schedulers = 4;
    const std::vector<Line> conflict = {{"LDS", {4}, {2}, kAll, 0x400, 128}, {"IADD3", {6}, {4}}, {"EXIT", {}, {}}};
    const std::vector<Line> none = {{"EXIT", {}, {}}};
    auto one = kernel_of({conflict, none, none, none});
    EXPECT_EQ(run(gpu, *one).cycles, 20 + 31 + 2);
    auto four = kernel_of({conflict, conflict, conflict, conflict});
    EXPECT_EQ(run(gpu, *four).cycles, 3 * 32 + 20 + 31 + 2);
}

}  // namespace
}  // namespace kymo::gpu
