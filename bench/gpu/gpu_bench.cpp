// How fast traces are read and replayed, in warp instructions a second (items_per_second) on one thread, and how much
// memory that takes.
//
// Peers simulate the same kind of trace; computed from the run times they publish: Accel-Sim 13 thousand, HyFiSS 24
// thousand, PPT-GPU 254 thousand warp instructions a second.
#include "accuracy/generate.h"
#include "gpu/basic/basic_model.h"
#include "gpu/model/full_model.h"
#include "gpu/trace/compact_trace.h"
#include "gpu/trace/text_trace.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <malloc.h>
#include <string>

namespace {

using namespace kymo::gpu;

Gpu h100() {
    auto gpu = load_gpu("h100-pcie");
    if (!gpu) {
        std::abort();
    }
    return *gpu;
}

void items(benchmark::State& state, std::uint64_t instructions) {
    state.SetItemsProcessed(static_cast<std::int64_t>(instructions) * static_cast<std::int64_t>(state.iterations()));
}

void replay(benchmark::State& state, KernelSource& source) {
    const Gpu gpu = h100();
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        const auto result = run_full(gpu, gpu.boost, source);
        instructions = result->total.issued;
        benchmark::DoNotOptimize(result->cycles);
        (void)source.rewind();
    }
    items(state, instructions);
}

// Made once, then read from memory, so that making it is not timed.
std::unique_ptr<CompactTrace> in_memory(KernelSource& source, std::vector<std::uint8_t>& bytes) {
    if (!write_compact(source, bytes)) {
        std::abort();
    }
    auto trace = CompactTrace::open(bytes_in_memory(bytes), "memory");
    return std::move(*trace);
}

void BM_ReplayArithmetic(benchmark::State& state) {
    auto source = ffma_kernel(1200, 128, 10);
    replay(state, *source);
}
BENCHMARK(BM_ReplayArithmetic)->Unit(benchmark::kMillisecond);

void BM_ReplayMatrixMultiply(benchmark::State& state) {
    std::vector<std::uint8_t> bytes;
    auto made = gemm_kernel(256, 16);
    auto source = in_memory(*made, bytes);
    replay(state, *source);
}
BENCHMARK(BM_ReplayMatrixMultiply)->Unit(benchmark::kMillisecond);

// A thread a row: 32 lines a load.
void BM_ReplayScattered(benchmark::State& state) {
    std::vector<std::uint8_t> bytes;
    auto made = atax_row_kernel(2048, 256);
    auto source = in_memory(*made, bytes);
    replay(state, *source);
}
BENCHMARK(BM_ReplayScattered)->Unit(benchmark::kMillisecond);

// The most memory the process has held since forget_peak(), in MiB.
double peak_mib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::strtod(line.c_str() + 6, nullptr) / 1024;
        }
    }
    return 0;
}
void forget_peak() {
    (void)malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;
}

// Eight and 64 times the launch, of which no more than what is resident is to be in memory: CTAs come from the source
// as they start, as they do from a file.
void BM_ReplayMemory(benchmark::State& state) {
    auto source = vector_add_kernel(static_cast<std::uint32_t>(state.range(0)));
    const Gpu gpu = h100();
    FullOptions options;
    options.exact = true;
    std::uint64_t instructions = 0;
    forget_peak();
    const double before = peak_mib();
    for (auto _ : state) {
        const auto result = run_full(gpu, gpu.boost, *source, options);
        instructions = result->total.issued;
        (void)source->rewind();
    }
    items(state, instructions);
    state.counters["MiB"] = peak_mib() - before;
    state.counters["instructions"] = static_cast<double>(instructions);
}
BENCHMARK(BM_ReplayMemory)->Arg(1 << 18)->Arg(1 << 21)->Arg(1 << 24)->Iterations(1)->Unit(benchmark::kMillisecond);

void BM_ReplayBasicModel(benchmark::State& state) {
    std::vector<std::uint8_t> bytes;
    auto made = gemm_kernel(128, 16);
    auto source = in_memory(*made, bytes);
    const Gpu gpu = h100();
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        const auto result = run_basic(gpu, gpu.boost, *source);
        instructions = result->total.issued;
        (void)source->rewind();
    }
    items(state, instructions);
}
BENCHMARK(BM_ReplayBasicModel)->Unit(benchmark::kMillisecond);

void decode(benchmark::State& state, KernelSource& made) {
    std::vector<std::uint8_t> bytes;
    auto source = in_memory(made, bytes);
    std::uint64_t instructions = 0;
    for (auto _ : state) {
        instructions = 0;
        (void)source->rewind();
        for (auto cta = source->next_cta(); cta && *cta; cta = source->next_cta()) {
            for (const WarpTrace& warp : (**cta).warps) {
                WarpCursor cursor(source->program(), warp);
                LaneAddresses addresses;
                while (cursor.next()) {
                    ++instructions;
                    if (cursor.has_addresses()) {
                        (void)cursor.addresses(addresses);
                    }
                }
            }
        }
    }
    items(state, instructions);
    state.counters["bytes/instruction"] = static_cast<double>(bytes.size()) / static_cast<double>(instructions);
}

void BM_DecodeArithmetic(benchmark::State& state) {
    auto made = ffma_kernel(200, 128, 10);
    decode(state, *made);
}
BENCHMARK(BM_DecodeArithmetic)->Unit(benchmark::kMillisecond);

void BM_DecodeMatrixMultiply(benchmark::State& state) {
    auto made = gemm_kernel(128, 16);
    decode(state, *made);
}
BENCHMARK(BM_DecodeMatrixMultiply)->Unit(benchmark::kMillisecond);

// The text a tracer would have written for an arithmetic kernel.
void BM_ReadText(benchmark::State& state) {
    std::string text =
        "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 3\n#BEGIN_TB\n"
        "thread block = 0,0,0\nwarp = 0\ninsts = 100000\n";
    for (int i = 0; i < 100000; ++i) {
        char line[96];
        const int pc = i % 100 * 16;
        if (i % 10 == 0) {
            std::snprintf(line, sizeof line, "%04x ffffffff 1 R4 LDG.E 1 R2 4 1 0x7fc8415%05x 4 \n", pc, i);
        } else {
            std::snprintf(line, sizeof line, "%04x ffffffff 1 R3 FFMA 2 R3 R0 0 \n", pc);
        }
        text += line;
    }
    text += "#END_TB\n";
    for (auto _ : state) {
        auto trace = TextTrace::open(
            bytes_in_memory({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}), "text");
        auto cta = (*trace)->next_cta();
        benchmark::DoNotOptimize(cta.ok());
    }
    items(state, 100000);
}
BENCHMARK(BM_ReadText)->Unit(benchmark::kMillisecond);

}  // namespace
