// PTX on the CPU: results alone, with the trace, and with the time predicted from it; warp instructions a second on
// one thread. Peers on the way from program to time (their own figures, in the data's README): Accel-Sim 13 k/s,
// HyFiSS 24 k/s, PPT-GPU 254 k/s, all from a trace that is there.
#include "gpu/full_model.h"
#include "gpu/ptx/arguments.h"
#include "gpu/ptx/execute.h"
#include "gpu/ptx/parse.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using namespace kymo::gpu;

struct Program {
    const char* file;
    const char* kernel;
    Dim3 grid;
    Dim3 block;
    std::uint32_t shared;
    std::vector<std::string> arguments;
};

// Size 1 is what a test would take; growth with it is linear in the work.
Program program(int which, int size) {
    const auto n = static_cast<std::uint32_t>(size);
    const auto f = [](std::uint64_t count) { return fmt::format("f32[{}]=random", count); };
    const auto number = [](std::uint32_t value) { return std::to_string(value); };
    const std::uint64_t square = std::uint64_t{128} * 128 * n * n;
    switch (which) {
        case 0: {
            const std::uint32_t count = n * n * 65'536;
            return {"linear_algebra",
                    "vector_add",
                    {count / 256},
                    {256},
                    0,
                    {f(count), f(count), f(count), number(count)}};
        }
        case 1:
            return {
                "linear_algebra",
                "gemm",
                {8 * n, 8 * n},
                {16, 16},
                0,
                {number(128 * n), number(128 * n), number(128 * n), "1.5", "0.5", f(square), f(square), f(square)}};
        case 2:
            return {"linear_algebra",
                    "atax_row",
                    {n},
                    {128},
                    0,
                    {number(128 * n), number(128 * n), f(square), f(128 * n), f(128 * n)}};
        case 3:
            return {"linear_algebra",
                    "gemm_tiled",
                    {8 * n, 8 * n},
                    {16, 16},
                    0,
                    {number(128 * n), f(square), f(square), f(square)}};
        case 4:
            return {"cooperative", "reduce_shared",
                    {256 * n * n}, {256},
                    1024,          {fmt::format("s32[{}]=index", 65'536 * n * n), "s32[1]", number(65'536 * n * n)}};
        default:
            return {"irregular",
                    "divergent",
                    {64 * n * n},
                    {256},
                    0,
                    {fmt::format("s32[{}]=index", 16'384 * n * n), fmt::format("s64[{}]", 16'384 * n * n),
                     number(16'384 * n * n)}};
    }
}

enum class Until : std::uint8_t { kResults, kTrace, kTime };

void run(benchmark::State& state, Until until) {
    const Program what = program(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
    const auto module = ptx::parse_file(std::filesystem::path(KYMO_GPU_KERNELS) / fmt::format("{}.ptx", what.file));
    const auto gpu = load_gpu("h100-pcie");
    if (!module || !gpu) {
        state.SkipWithError("no kernels");
        return;
    }
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        state.PauseTiming();
        ptx::DeviceMemory memory;
        auto loaded = ptx::LoadedModule::load(*module, memory);
        auto parameters = ptx::parameters_from(*(*module)->function(what.kernel), what.arguments, memory);
        state.ResumeTiming();
        ptx::ExecuteOptions options;
        options.trace = until != Until::kResults;
        auto execution = (*loaded)->launch(what.kernel, {what.grid, what.block, what.shared, *parameters}, options);
        if (!execution) {
            state.SkipWithError(execution.error().what.c_str());
            return;
        }
        if (until == Until::kTime) {
            const auto result = run_full(*gpu, gpu->boost, **execution);
            if (!result) {
                state.SkipWithError(result.error().what.c_str());
                return;
            }
            instructions += result->warp_instructions;
            continue;
        }
        while (auto cta = (*execution)->next_cta()) {
            if (!*cta) {
                break;
            }
            for (const WarpTrace& warp : (**cta).warps) {
                instructions += warp.instructions;
            }
        }
        instructions += until == Until::kResults ? (*execution)->totals().warp_instructions : 0;
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
    state.SetLabel(what.kernel);
}

void results(benchmark::State& state) {
    run(state, Until::kResults);
}
void trace(benchmark::State& state) {
    run(state, Until::kTrace);
}
void predicted_time(benchmark::State& state) {
    run(state, Until::kTime);
}

BENCHMARK(results)->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1, 2}})->Unit(benchmark::kMillisecond);
BENCHMARK(trace)->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1}})->Unit(benchmark::kMillisecond);
BENCHMARK(predicted_time)->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1, 2}})->Unit(benchmark::kMillisecond);

}  // namespace
