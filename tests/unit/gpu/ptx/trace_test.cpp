// What an execution gives the models: the stream of a real GPU where the program is the same, and modelled times.
#include "gpu/model/full_model.h"
#include "gpu/ptx/parse/arguments.h"
#include "gpu/trace/trace_file.h"
#include "gpu/trace/warp_code.h"
#include "kernels.h"

#include <gmock/gmock.h>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;

std::unique_ptr<Execution> launch(Device& device, const char* kernel, Dim3 grid, Dim3 block,
                                  const Parameters& parameters, ExecuteOptions options = {}) {
    auto execution = device.module().launch(kernel, {grid, block, 0, parameters.bytes()}, std::move(options));
    EXPECT_TRUE(execution.ok()) << (execution ? std::string() : execution.error().what);
    return execution ? std::move(*execution) : nullptr;
}

// A warp's accesses: opcode, mask, and the addresses from the arrays' beginnings.
struct Access {
    std::string opcode;
    std::uint32_t mask;
    std::vector<std::uint64_t> offsets;
    bool operator==(const Access&) const = default;
};

struct Stream {
    std::vector<std::string> opcodes;  // without masked-off ones
    std::vector<Access> accesses;
};

Stream stream(const Program& program, const WarpTrace& warp, const std::vector<std::uint64_t>& arrays) {
    Stream made;
    WarpCursor cursor(program, warp);
    while (cursor.next()) {
        const StaticInstruction& instruction = program[cursor.index()];
        if (cursor.mask() != 0) {
            made.opcodes.push_back(instruction.opcode);
        }
        if (LaneAddresses lanes; cursor.has_addresses() && cursor.addresses(lanes)) {
            Access access{instruction.opcode, cursor.mask(), {}};
            for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
                if ((cursor.mask() >> lane & 1U) != 0) {
                    const auto array = std::upper_bound(arrays.begin(), arrays.end(), lanes.of[lane]) - 1;
                    access.offsets.push_back(lanes.of[lane] - *array +
                                             (static_cast<std::uint64_t>(array - arrays.begin()) << 40U));
                }
            }
            made.accesses.push_back(std::move(access));
        }
    }
    EXPECT_FALSE(cursor.broken());
    std::sort(made.opcodes.begin(), made.opcodes.end());
    return made;
}

// The sample program adds 0.0 to each sum, and keeps the multiplier 4 in a register; otherwise the two programs are
// the same.
TEST(Trace, VectorAddIsARealGpusStream) {
    auto real = open_kernel(KYMO_GPU_DATA "/traces/a100-vectoradd-50000.traceg.xz");
    if (!real) {
        GTEST_SKIP() << real.error().what;
    }
    Device device(kernels("linear_algebra"));
    constexpr std::size_t kCount = 50'000;
    // In the order of the real addresses: a, b, c, in one piece so that it stays so.
    const auto all = device.array<float>(3 * kCount);
    const float* const a = all.data();
    const auto execution =
        launch(device, "vector_add", {196}, {256},
               Parameters().add(a).add(a + kCount).add(a + 2 * kCount).add(static_cast<int>(kCount)));
    ASSERT_NE(execution, nullptr);
    const std::vector<std::uint64_t> own = {reinterpret_cast<std::uint64_t>(a),
                                            reinterpret_cast<std::uint64_t>(a + kCount),
                                            reinterpret_cast<std::uint64_t>(a + 2 * kCount)};
    const std::vector<std::uint64_t> theirs = {0x7fb0fc400000, 0x7fb0fc430e00, 0x7fb0fc461c00};
    std::size_t warps = 0;
    for (;;) {
        const auto ours = execution->next_cta();
        const auto other = (*real)->next_cta();
        ASSERT_TRUE(ours.ok() && other.ok());
        ASSERT_EQ(ours.value().has_value(), other.value().has_value());
        if (!ours.value()) {
            break;
        }
        ASSERT_EQ((**ours).warps.size(), (**other).warps.size());
        for (std::size_t i = 0; i < (**ours).warps.size(); ++i) {
            const Stream here = stream(execution->program(), (**ours).warps[i], own);
            Stream there = stream((*real)->program(), (**other).warps[i], theirs);
            ASSERT_EQ(here.accesses, there.accesses) << "warp " << warps;
            if (!there.accesses.empty()) {
                for (const char* const theirs_alone : {"FADD", "HFMA2.MMA"}) {
                    there.opcodes.erase(std::find(there.opcodes.begin(), there.opcodes.end(), theirs_alone));
                }
            }
            ASSERT_EQ(here.opcodes, there.opcodes) << "warp " << warps;
            ++warps;
        }
    }
    EXPECT_EQ(warps, 196U * 8);
}

TEST(Trace, LinesMasksAndRewinding) {
    Device device(kernels("linear_algebra"));
    const auto a = device.array<float>(100);
    const Parameters parameters = Parameters().add(a.data()).add(a.data()).add(a.data()).add(70);
    ExecuteOptions options;
    options.keep = true;
    const auto kept = launch(device, "vector_add", {2}, {64}, parameters, options);
    const auto gpu = load_gpu("h100-pcie");
    ASSERT_TRUE(gpu.ok());
    FullOptions warm;
    warm.warm_l2 = true;
    const auto result = run_full(*gpu, gpu->boost, *kept, warm);
    ASSERT_TRUE(result.ok()) << result.error().what;
    EXPECT_EQ(result->ctas, 2U);
    // Warps of 32, 32, 6 and 0 threads: three load twice.
    std::uint64_t loads = 0;
    for (std::size_t i = 0; i < result->program.size(); ++i) {
        if (result->program[i].opcode == "LDG.E") {
            EXPECT_EQ(result->program[i].line, 5U);
            loads += result->by_instruction[i].lanes;
        }
    }
    EXPECT_EQ(loads, 2U * 70);
    const auto once = launch(device, "vector_add", {2}, {64}, parameters);
    ASSERT_TRUE(once->next_cta().ok());
    EXPECT_FALSE(once->rewind().ok());
    ASSERT_TRUE(once->finish().ok());
    EXPECT_EQ(once->totals().ctas, 2U);
}

// One block's log holds 65,534 accesses.
TEST(Trace, AccessesBeyondABlocksLogAreTracedWithoutAddresses) {
    constexpr std::size_t kLoads = 66'000;
    std::string text =
        ".version 8.3\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 %a; .reg .b32 "
        "%r; ld.param.u64 %a, [p];\n";
    for (std::size_t i = 0; i < kLoads; ++i) {
        text += "ld.global.u32 %r, [%a];\n";
    }
    const auto module = parse(text + "ret; }", "k.ptx");
    ASSERT_TRUE(module.ok());
    Device device(*module);
    const auto memory = device.array<int>(4);
    const auto execution = launch(device, "k", {1}, {32}, Parameters().add(memory.data()));
    const auto cta = execution->next_cta();
    ASSERT_TRUE(cta.ok() && *cta);
    std::size_t loads = 0;
    std::size_t with_addresses = 0;
    WarpCursor cursor(execution->program(), (**cta).warps.at(0));
    while (cursor.next()) {
        loads += execution->program()[cursor.index()].opcode == "LDG.E" ? 1 : 0;
        with_addresses += cursor.has_addresses() ? 1 : 0;
    }
    EXPECT_FALSE(cursor.broken());
    EXPECT_EQ(loads, kLoads);
    EXPECT_GT(with_addresses, kLoads * 9 / 10);
    EXPECT_LT(with_addresses, kLoads);
}

TEST(Arguments, WordsBecomeParameters) {
    const auto module = kernels("linear_algebra");
    const Function& kernel = *module->function("gemm");
    DeviceMemory memory;
    const std::vector<std::string> words = {"4",       "-1", "0x10", "1.5", "0.25", "f32[16]=index", "f32[8]=random",
                                            "s32[4]=7"};
    const auto made = parameters_from(kernel, words, memory);
    ASSERT_TRUE(made.ok()) << made.error().what;
    const auto at = [&](std::size_t which, auto value) {
        std::memcpy(&value, made->data() + kernel.parameters[which].offset, sizeof value);
        return value;
    };
    EXPECT_EQ(at(1, 0), -1);
    EXPECT_EQ(at(2, 0), 16);
    EXPECT_EQ(at(3, 0.0F), 1.5F);
    EXPECT_EQ(at(5, static_cast<float*>(nullptr))[15], 15.0F);
    EXPECT_NE(at(6, static_cast<float*>(nullptr))[0], at(6, static_cast<float*>(nullptr))[1]);
    EXPECT_EQ(at(7, static_cast<int*>(nullptr))[3], 7);
    const auto mistake = [&](std::size_t which, const char* word) {
        std::vector<std::string> wrong = words;
        wrong[which] = word;
        const auto parsed = parameters_from(kernel, wrong, memory);
        return parsed ? std::string("parsed") : parsed.error().what;
    };
    EXPECT_THAT(mistake(0, "1.5"), HasSubstr("argument '1.5': expected a number of u32 for gemm_param_0"));
    EXPECT_THAT(mistake(0, "f32[4]"), HasSubstr("gemm_param_0 is not an address"));
    EXPECT_THAT(mistake(5, "f31[4]"), HasSubstr("expected an array as f32[1000]"));
    EXPECT_THAT(mistake(5, "f32[4]=some"), HasSubstr("random, index, @FILE or a number"));
    EXPECT_THAT(mistake(5, "f32[4]=@/none"), HasSubstr("/none cannot be read"));
    EXPECT_FALSE(parameters_from(kernel, std::span(words).first(3), memory).ok());
    EXPECT_EQ(*dim_from("8,4"), (Dim3{8, 4, 1}));
    EXPECT_FALSE(dim_from("8,,4").ok());
    EXPECT_FALSE(dim_from("1,2,3,4").ok());
}

}  // namespace
}  // namespace kymo::gpu::ptx
