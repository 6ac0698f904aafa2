// PTX joined to machine code: rows.cu beside, whose loop ptxas has unrolled by four and by two, and one of whose
// stores it has put under a predicate. Where ptxas is, all kernels that are validated (kernels.h) are compared, too.
#include "../kernels.h"
#include "gpu/model/full_model.h"
#include "gpu/trace/trace_file.h"

#include <gmock/gmock.h>

namespace kymo::gpu::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Joined : public testing::Test {
  protected:
    Joined() {
        auto module = parse_file(std::filesystem::path(KYMO_GPU_PTX_TESTS) / "rows.ptx");
        EXPECT_TRUE(module.ok());
        device_ = std::make_unique<Device>(*module);
        auto code = machine_code_in(std::filesystem::path(KYMO_GPU_PTX_TESTS) /
                                    "../../../fuzz/gpu/inputs/sass/good-rows.cubin");
        EXPECT_TRUE(code.ok()) << code.error().what;
        code_ = code->at("rows");
    }
    // One warp's machine instructions: name of each, and the mask of what is executed by some lanes only.
    std::vector<std::string> warp(int width, int count) {
        const auto in = device_->array<float>(static_cast<std::size_t>(width) * 32 + 1);
        const auto out = device_->array<float>(128);
        auto execution = device_->module().launch(
            "rows", {{1}, {32}, 0, Parameters().add(in.data()).add(out.data()).add(width).add(count).bytes()});
        EXPECT_TRUE(execution.ok());
        const auto cta = (*execution)->next_cta();
        EXPECT_TRUE(cta.ok());
        std::vector<std::string> made;
        WarpCursor cursor((*execution)->program(), (**cta).warps[0]);
        while (cursor.next()) {
            const StaticInstruction& instruction = (*execution)->program()[cursor.index()];
            made.push_back(instruction.opcode);
            if (cursor.mask() != 0 && cursor.mask() != 0xFFFF'FFFFU) {
                made.back() += " " + std::to_string(cursor.mask());
            }
            if (cursor.mask() == 0) {
                made.back() += " none";
            }
            if (LaneAddresses lanes; cursor.has_addresses() && cursor.addresses(lanes) && instruction.op.load) {
                made.back() += " +" + std::to_string(lanes.of[1] - reinterpret_cast<std::uint64_t>(in.data()));
            }
        }
        EXPECT_FALSE(cursor.broken());
        return made;
    }
    static std::vector<std::string> only(const std::vector<std::string>& all, std::string_view begin) {
        std::vector<std::string> some;
        std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                     [&](const std::string& one) { return one.starts_with(begin); });
        return some;
    }

    std::unique_ptr<Device> device_;
    sass::Code code_;
};

TEST_F(Joined, AnUnrolledLoopAndItsRestAreExecutedAsOften) {
    const auto used = device_->module().use_machine_code("rows", code_);
    ASSERT_TRUE(used.ok()) << used.error().what;
    // Every block once: 4 + 2 + 1 rounds. As many as the machine code has.
    const auto seven = warp(7, 32);
    EXPECT_EQ(seven.size(), 67U);
    EXPECT_THAT(only(seven, "LDG"), ElementsAre("LDG.E +28", "LDG.E +32", "LDG.E +36", "LDG.E +40", "LDG.E +44",
                                                "LDG.E +48", "LDG.E +52"));
    EXPECT_THAT(only(seven, "STG"), ElementsAre("STG.E 1431655765", "STG.E"));
    // Twice the 15 instructions of four rounds, without the 10 of two and the 2 of one.
    EXPECT_EQ(warp(8, 32).size(), 67U + 15 - 10 - 2);
    // None of the loop, nor of what comes before and between its parts.
    EXPECT_EQ(warp(0, 32).size(), 6U + 5 + 10);
}

TEST_F(Joined, LanesThatLeaveLeave) {
    ASSERT_TRUE(device_->module().use_machine_code("rows", code_).ok());
    const auto some = warp(1, 5);
    EXPECT_THAT(only(some, "EXIT"), ElementsAre("EXIT 4294967264", "EXIT 31"));
    EXPECT_THAT(only(some, "STG"), ElementsAre("STG.E 21", "STG.E 31"));
    EXPECT_EQ(warp(1, 0).size(), 6U);  // up to the first EXIT
}

TEST_F(Joined, TheCompilersRegistersAndControlAreTheModels) {
    ASSERT_TRUE(device_->module().use_machine_code("rows", code_).ok());
    const auto in = device_->array<float>(1024);
    const Parameters parameters = Parameters().add(in.data()).add(in.data()).add(4).add(32);
    auto execution = device_->module().launch("rows", {{1}, {32}, 0, parameters.bytes()});
    ASSERT_TRUE(execution.ok());
    EXPECT_EQ((*execution)->header().registers, 14U);
    const auto gpu = load_gpu("a100-pcie");
    ASSERT_TRUE(gpu.ok());
    const auto result = run_full(*gpu, gpu->boost, **execution);
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->unknown_opcodes.empty());
    for (std::size_t i = 0; i < result->program.size(); ++i) {
        EXPECT_TRUE(result->program[i].control.known);
        EXPECT_NE(result->program[i].line, 0U);
    }
}

TEST_F(Joined, WhatCannotBeJoinedIsRefusedByName) {
    sass::Code blind = code_;
    blind.has_lines = false;
    auto used = device_->module().use_machine_code("rows", blind);
    ASSERT_FALSE(used.ok());
    EXPECT_THAT(used.error().what, HasSubstr("rows: its machine code does not say"));
    sass::Code lacking = code_;
    for (sass::Instruction& instruction : lacking.instructions) {
        instruction.line = instruction.opcode == "STG.E" ? 0 : instruction.line;
    }
    used = device_->module().use_machine_code("rows", lacking);
    ASSERT_FALSE(used.ok());
    EXPECT_THAT(used.error().what, HasSubstr("a store or atomic) is not in the machine code"));
    // Nothing has changed.
    EXPECT_THAT(only(warp(1, 32), "LDG"), ElementsAre("LDG.E +4"));
    EXPECT_EQ(device_->module().use_machine_code("nobody", code_).error().kind, ErrorKind::kNotFound);
}

// The sample program adds 0.0 to each sum. Everything else is there, in number and kind.
TEST(JoinedToPtxas, VectorAddIsARealGpusStream) {
    auto real = open_kernel(KYMO_GPU_DATA "/traces/a100-vectoradd-50000.traceg.xz");
    if (!real || find_ptxas().empty()) {
        GTEST_SKIP() << "no trace, or no ptxas";
    }
    Device device(kernels("linear_algebra"));
    const auto* const code = machine_code_of(device.module());
    ASSERT_NE(code, nullptr);
    ASSERT_TRUE(device.module().use_machine_code("vector_add", code->at("vector_add")).ok());
    constexpr std::size_t kCount = 50'000;
    const auto all = device.array<float>(3 * kCount);
    const auto execution = device.module().launch("vector_add", {{196},
                                                                 {256},
                                                                 0,
                                                                 Parameters()
                                                                     .add(all.data())
                                                                     .add(all.data() + kCount)
                                                                     .add(all.data() + 2 * kCount)
                                                                     .add(static_cast<int>(kCount))
                                                                     .bytes()});
    ASSERT_TRUE(execution.ok());
    const auto opcodes = [](KernelSource& kernel, const WarpTrace& warp) {
        std::vector<std::string> made;
        WarpCursor cursor(kernel.program(), warp);
        while (cursor.next()) {
            const std::string& opcode = kernel.program()[cursor.index()].opcode;
            made.push_back(opcode.substr(0, opcode.find('.')));
        }
        std::sort(made.begin(), made.end());
        return made;
    };
    std::size_t warps = 0;
    for (;;) {
        const auto ours = (*execution)->next_cta();
        const auto other = (*real)->next_cta();
        ASSERT_TRUE(ours.ok() && other.ok());
        ASSERT_EQ(ours.value().has_value(), other.value().has_value());
        if (!ours.value()) {
            break;
        }
        for (std::size_t i = 0; i < (**ours).warps.size(); ++i, ++warps) {
            auto here = opcodes(**execution, (**ours).warps[i]);
            auto there = opcodes(**real, (**other).warps[i]);
            if (const auto sum = std::find(there.begin(), there.end(), "FADD"); sum != there.end()) {
                there.erase(sum);
            }
            ASSERT_EQ(here, there) << "warp " << warps;
        }
    }
    EXPECT_EQ(warps, 196U * 8);
}

}  // namespace
}  // namespace kymo::gpu::ptx
