// PTX on the CPU: results alone, with the trace, and with the time predicted from it; warp instructions a second on
// one thread. Peers on the way from program to time (their own figures, in the data's README): Accel-Sim 13 k/s,
// HyFiSS 24 k/s, PPT-GPU 254 k/s, all from a trace that is there.
#include "gpu/model/full_model.h"
#include "gpu/ptx/execute/execute.h"
#include "gpu/ptx/parse/arguments.h"
#include "gpu/ptx/parse/parse.h"

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

// Of `work` times the work: 1, 8 or 64. Work 1 is what a test would take.
Program program(int which, std::uint32_t work) {
    const auto f = [](std::uint64_t count) { return fmt::format("f32[{}]=random", count); };
    const auto number = [](std::uint32_t value) { return std::to_string(value); };
    const std::uint32_t root = work == 64 ? 4 : work == 8 ? 2 : 1;  // the cube's
    const std::uint64_t square = std::uint64_t{128} * 128 * root * root;
    switch (which) {
        case 0: {
            const std::uint32_t count = work * 65'536;
            return {"linear_algebra",
                    "vector_add",
                    {count / 256},
                    {256},
                    0,
                    {f(count), f(count), f(count), number(count)}};
        }
        case 1:
            return {"linear_algebra",
                    "gemm",
                    {8 * root, 8 * root},
                    {16, 16},
                    0,
                    {number(128 * root), number(128 * root), number(128 * root), "1.5", "0.5", f(square), f(square),
                     f(square)}};
        case 2:
            return {"linear_algebra",
                    "atax_row",
                    {work},
                    {128},
                    0,
                    {number(128 * work), number(128), f(std::uint64_t{128} * 128 * work), f(128), f(128 * work)}};
        case 3:
            return {"linear_algebra",
                    "gemm_tiled",
                    {8 * root, 8 * root},
                    {16, 16},
                    0,
                    {number(128 * root), f(square), f(square), f(square)}};
        case 4:
            return {"cooperative", "reduce_shared",
                    {256 * work},  {256},
                    1024,          {fmt::format("s32[{}]=index", 65'536 * work), "s32[1]", number(65'536 * work)}};
        default:
            return {"irregular",
                    "divergent",
                    {64 * work},
                    {256},
                    0,
                    {fmt::format("s32[{}]=index", 16'384 * work), fmt::format("s64[{}]", 16'384 * work),
                     number(16'384 * work)}};
    }
}

enum class Until : std::uint8_t { kResults, kTrace, kTime };

void run(benchmark::State& state, Until until) {
    const Program what = program(static_cast<int>(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
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
    // Of processor time; over the sizes it tells how the time grows: the same where that is in proportion.
    state.counters["ns/instruction"] = benchmark::Counter(static_cast<double>(instructions) * 1e-9,
                                                          benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
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

BENCHMARK(results)->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1, 8, 64}})->Unit(benchmark::kMillisecond);
BENCHMARK(trace)->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1, 8, 64}})->Unit(benchmark::kMillisecond);
BENCHMARK(predicted_time)->ArgsProduct({{0, 1, 2, 3, 4, 5}, {1, 8, 64}})->Unit(benchmark::kMillisecond);

}  // namespace
