// Sampled launches against the same launches simulated whole: what is said about the error must hold.
#include "gpu/model/cta_sampler.h"
#include "gpu/trace/trace_file.h"
#include "one_sm.h"

#include <cmath>
#include <filesystem>

namespace kymo::gpu {
namespace {

// A built-in GPU cut down, so that small launches have many waves.
Gpu cut(const char* name, unsigned sms, unsigned ctas) {
    auto gpu = load_gpu(name);
    EXPECT_TRUE(gpu);
    gpu->sms = sms;
    gpu->sm_ctas = ctas;
    return *gpu;
}

KernelResult model(const Gpu& gpu, KernelSource& source, bool exact, bool warm) {
    FullOptions options;
    options.exact = exact;
    options.warm_l2 = warm;
    EXPECT_TRUE(source.rewind());
    auto result = run_full(gpu, gpu.boost, source, options);
    EXPECT_TRUE(result) << (result ? "" : result.error().what);
    return result ? std::move(*result) : KernelResult();
}

// Models the launch both ways, holds the one against the other, and returns the share of CTAs that were simulated.
double simulated_share(const Gpu& gpu, KernelSource& source, bool warm = false) {
    const KernelResult exact = model(gpu, source, true, warm);
    const KernelResult sampled = model(gpu, source, false, warm);
    EXPECT_EQ(exact.sampling_error, 0);
    EXPECT_EQ(exact.ctas_simulated, exact.ctas);
    EXPECT_EQ(sampled.ctas, exact.ctas);
    EXPECT_LE(std::abs(sampled.cycles - exact.cycles), sampled.sampling_error * sampled.cycles)
        << exact.kernel << ": " << sampled.cycles << " against " << exact.cycles;
    // What does not depend on time is exact: instructions, lanes, transactions of the coalescer.
    EXPECT_EQ(sampled.warp_instructions, exact.warp_instructions);
    EXPECT_EQ(sampled.masked_instructions, exact.masked_instructions);
    EXPECT_EQ(sampled.thread_instructions, exact.thread_instructions);
    EXPECT_EQ(sampled.total.sectors, exact.total.sectors);
    const auto near = [](std::uint64_t one, std::uint64_t other) {
        return std::abs(static_cast<double>(one) - static_cast<double>(other)) <= 0.02 * static_cast<double>(other);
    };
    EXPECT_TRUE(near(sampled.memory.l2_reads, exact.memory.l2_reads)) << sampled.memory.l2_reads;
    EXPECT_TRUE(near(sampled.memory.dram_reads, exact.memory.dram_reads)) << sampled.memory.dram_reads;
    return static_cast<double>(sampled.ctas_simulated) / static_cast<double>(sampled.ctas);
}

TEST(Sampling, TheErrorIsWithinWhatIsSaidOverRealTraces) {
    const std::filesystem::path traces = std::filesystem::path(KYMO_GPU_DATA) / "traces";
    if (!std::filesystem::exists(traces)) {
        GTEST_SKIP() << "the published GPU traces are not beside this checkout";
    }
    double least = 1;
    for (const auto& entry : std::filesystem::directory_iterator(traces)) {
        auto source = open_kernel(entry.path());
        ASSERT_TRUE(source) << source.error().what;
        for (const unsigned ctas : {1U, 2U}) {
            for (const bool warm : {false, true}) {
                least = std::min(least, simulated_share(cut("a100-pcie", 1, ctas), **source, warm));
            }
        }
    }
    EXPECT_LT(least, 0.5);
}

TEST(Sampling, TheErrorIsWithinWhatIsSaidOverGeneratedKernels) {
    EXPECT_LT(simulated_share(cut("h100-pcie", 1, 32), *vector_add_kernel(300'000)), 0.8);
    EXPECT_LT(simulated_share(cut("h100-pcie", 4, 4), *vector_add_kernel(300'000)), 0.8);
    EXPECT_LT(simulated_share(cut("rtx2080ti", 2, 4), *vector_add_kernel(300'000)), 0.8);
    EXPECT_LT(simulated_share(cut("h100-pcie", 1, 1), *ffma_kernel(300, 64, 1)), 0.8);
    simulated_share(cut("h100-pcie", 1, 16), *gemm_kernel(96, 4));
    simulated_share(cut("h100-pcie", 2, 2), *gemm_kernel(96, 8));
    simulated_share(cut("h100-pcie", 1, 1), *atax_row_kernel(512, 8));
    simulated_share(cut("h100-pcie", 1, 1), *atax_column_kernel(512, 8));
}

TEST(Sampling, ALaunchOfFewWavesIsSimulatedWhole) {
    EXPECT_EQ(simulated_share(cut("h100-pcie", 2, 8), *vector_add_kernel(60'000)), 1);
}

// The sampler keeps what 64 kinds of CTAs did, not more: with the 65th it gives up, and the rest is simulated.
TEST(Sampling, KeepsABoundedNumberOfKinds) {
    constexpr std::uint64_t kEqual = 100;
    constexpr std::uint64_t kCtas = 400;
    std::vector<std::vector<Line>> kinds;
    for (std::size_t extra = 0; extra <= CtaSampler::kMostSignatures + 5; ++extra) {
        kinds.emplace_back(extra + 20, Line{"FFMA", {1}, {1}}).push_back({"EXIT", {}, {}});
    }
    const Encoded made = encode(kinds);
    Gpu gpu = one_sm();
    gpu.sm_ctas = 1;
    KernelHeader header;
    header.grid = {kCtas, 1, 1};
    header.block = {kWarpLanes, 1, 1};
    // Equal ones first, then one of each kind, then equal ones again.
    GeneratedKernel kernel(header, made.program, [&](std::uint64_t number, const Program&) {
        const bool own = number >= kEqual && number < kEqual + kinds.size();
        Cta cta;
        cta.warps.push_back(made.warps[own ? number - kEqual : 0]);
        return cta;
    });
    const auto result = run_full(gpu, gpu.boost, kernel);
    ASSERT_TRUE(result);
    EXPECT_LT(result->ctas_simulated, kCtas);           // it does skip in the beginning
    EXPECT_GE(result->ctas_simulated, kCtas - kEqual);  // but none of the last 230
}

// Memory is that of the CTAs that the GPU holds, however many there are.
TEST(Sampling, OnlyResidentCtasAreHeld) {
    Gpu gpu = one_sm();
    gpu.sms = 2;
    gpu.sm_ctas = 4;
    const Encoded made = encode({{{"FFMA", {1}, {1}}, {"FFMA", {1}, {1}}, {"EXIT", {}, {}}}});
    for (const std::uint32_t ctas : {100U, 1000U}) {
        std::size_t held = 0;
        std::size_t most = 0;
        KernelHeader header;
        header.grid = {ctas, 1, 1};
        header.block = {kWarpLanes, 1, 1};
        GeneratedKernel kernel(header, made.program, [&](std::uint64_t, const Program&) {
            most = std::max(most, ++held);
            WarpTrace warp = made.warps[0];
            warp.code = std::shared_ptr<const std::vector<std::uint8_t>>(
                new std::vector<std::uint8_t>(*warp.code), [&held](const std::vector<std::uint8_t>* code) {
                    --held;
                    delete code;
                });
            Cta cta;
            cta.warps.push_back(std::move(warp));
            return cta;
        });
        FullOptions exact;
        exact.exact = true;
        const auto result = run_full(gpu, gpu.boost, kernel, exact);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->ctas_simulated, ctas);
        EXPECT_EQ(held, 0U);
        EXPECT_LE(most, 2U * 4 + 1);
    }
}

TEST(Sampling, ATimelineShowsEveryCta) {
    class Counting : public IssueObserver {
      public:
        void warp_begins(unsigned, unsigned, std::uint64_t, std::uint64_t, std::uint32_t) override { ++warps; }
        void issued(const Issue&) override {}
        void warp_ends(unsigned, unsigned, std::uint64_t) override {}
        std::uint64_t warps = 0;
    } observer;
    const Gpu gpu = cut("h100-pcie", 1, 1);
    auto source = ffma_kernel(300, 64, 1);
    FullOptions options;
    options.observer = &observer;
    ASSERT_TRUE(run_full(gpu, gpu.boost, *source, options));
    EXPECT_EQ(observer.warps, 600U);
}

std::uint64_t signature(const std::vector<std::vector<Line>>& warps) {
    auto kernel = kernel_of(warps);
    const auto cta = kernel->next_cta();
    CtaSignature made;
    return made.of(kernel->header(), kernel->program(), **cta, nullptr);
}

TEST(CtaSignature, IsTheSameWhereOnlyLinesDiffer) {
    const auto load = [](std::uint64_t base, std::int64_t stride = 4, std::uint32_t mask = 0xFFFF'FFFFU) {
        return signature({{{"LDG.E", {2}, {4}, mask, base, stride}, {"EXIT", {}, {}}}});
    };
    EXPECT_EQ(load(0x10000), load(0x20080));
    EXPECT_NE(load(0x10000), load(0x10004));                   // another place in the sector
    EXPECT_NE(load(0x10000), load(0x10020));                   // another sector of the line
    EXPECT_NE(load(0x10000), load(0x10000, 8));                // other lines a warp
    EXPECT_NE(load(0x10000), load(0x10000, 4, 0x0000'FFFFU));  // fewer lanes
    EXPECT_NE(signature({{{"IADD3", {1}, {}}, {"EXIT", {}, {}}}}),
              signature({{{"IADD3", {1}, {}}, {"IADD3", {1}, {}}, {"EXIT", {}, {}}}}));
}

TEST(CtaSignature, TellsWarpsThatShareTheirCodeFromFewerOfThem) {
    CtaSignature made;
    auto two = ffma_kernel(1, 64, 1);
    auto three = ffma_kernel(1, 96, 1);
    const auto first = two->next_cta();
    const auto second = three->next_cta();
    EXPECT_NE(made.of(two->header(), two->program(), **first, nullptr),
              made.of(three->header(), three->program(), **second, nullptr));
    EXPECT_EQ(made.of(two->header(), two->program(), **first, nullptr),
              made.of(two->header(), two->program(), **first, nullptr));
}

TEST(CtaSignature, GivesTheLinesOfGlobalMemoryAlone) {
    auto kernel = kernel_of({{{"LDG.E", {2}, {4}, 0xFFFF'FFFFU, 0x10000},
                              {"LDS", {3}, {4}, 0xFFFF'FFFFU, 0x400},
                              {"STG.E", {}, {4, 2}, 0xFFFF'FFFFU, 0x20000},
                              {"EXIT", {}, {}}}});
    const auto cta = kernel->next_cta();
    CtaSignature made;
    std::vector<CtaSignature::Touch> touches;
    made.of(kernel->header(), kernel->program(), **cta, &touches);
    ASSERT_EQ(touches.size(), 2U);
    EXPECT_EQ(touches[0].access.line, 0x10000U / 128);
    EXPECT_FALSE(touches[0].store);
    EXPECT_EQ(touches[1].access.line, 0x20000U / 128);
    EXPECT_TRUE(touches[1].store);
}

}  // namespace
}  // namespace kymo::gpu
