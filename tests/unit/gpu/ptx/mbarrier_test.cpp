// mbarriers: phases by token and parity, copies that arrive at them, what the checks and the trace see of them, and
// what a kernel must not do with one.
#include "gpu/trace/warp_code.h"
#include "kernels.h"

#include <gmock/gmock.h>
#include <numeric>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;

// PTX of one kernel with a barrier in shared memory at 0, for compute capability 9.0.
std::shared_ptr<const Module> with_barrier(const std::string& body) {
    auto module = parse(
        ".version 8.3\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n"
        ".shared .align 16 .b8 tile[256]; .shared .align 8 .b64 b; .reg .b64 %t, %u, %p; .reg .b32 "
        "%r<9>; .reg .pred %q;\nmov.u32 %r1, %tid.x; ld.param.u64 %p, [p];\n" +
            body + "\nret; }\n",
        "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? std::string() : module.error().what);
    return module ? *module : std::make_shared<const Module>();
}

std::string fault_of(const std::string& body, std::uint32_t threads = 32) {
    Device device(with_barrier(body));
    const auto memory = device.array<std::uint64_t>(64);
    return device.fault("k", {1}, {threads}, Parameters().add(memory.data()));
}

std::uint64_t traced_bytes(Device& device, const char* kernel, Dim3 grid, Dim3 block, const Parameters& parameters,
                           std::string_view opcode, std::uint64_t& times) {
    auto execution = device.module().launch(kernel, {grid, block, 0, parameters.bytes()});
    EXPECT_TRUE(execution.ok());
    std::uint64_t bytes = 0;
    times = 0;
    for (auto cta = (*execution)->next_cta(); cta.ok() && *cta; cta = (*execution)->next_cta()) {
        for (const WarpTrace& warp : (**cta).warps) {
            WarpCursor cursor((*execution)->program(), warp);
            LaneAddresses addresses;
            while (cursor.next()) {
                if ((*execution)->program()[cursor.index()].opcode == opcode) {
                    ++times;
                    EXPECT_TRUE(cursor.has_addresses() && cursor.addresses(addresses));
                    bytes += 16U * static_cast<unsigned>(__builtin_popcount(cursor.mask()));
                }
            }
        }
    }
    EXPECT_EQ((*execution)->fault(), Fault::kNone);
    return bytes;
}

TEST(Mbarrier, ProducersAndConsumersTakeTurns) {
    for (const std::uint32_t threads : {64U, 256U}) {
        Device device(kernels("mbarriers"));
        const std::size_t half = threads / 2;
        const auto in = device.array(integers(5 * half, -1000, 1000, 1));
        const auto out = device.array<int>(half);
        device.run_checked("producers", {1}, {threads}, Parameters().add(in.data()).add(out.data()).add(5));
        std::vector<int> wanted(half);
        for (std::size_t i = 0; i < half; ++i) {
            for (std::size_t tile = 0; tile < 5; ++tile) {
                wanted[i] += in[tile * half + (i + 1) % half];
            }
        }
        expect_equal<int>(out, wanted);
    }
}

TEST(Mbarrier, AsynchronousCopiesArrive) {
    Device device(kernels("mbarriers"));
    std::vector<int> values(2 * 64 * 4);
    std::iota(values.begin(), values.end(), 7);
    const auto in = device.array(values);
    const auto out = device.array<int>(values.size());
    device.run_checked("copies", {2}, {64}, Parameters().add(in.data()).add(out.data()));
    std::vector<int> wanted(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t of = i / 256 * 256 + (63 - i % 256 / 4) * 4 + i % 4;
        wanted[i] = values[of] + (i % 4 == 0 ? 1 : 0);
    }
    expect_equal<int>(out, wanted);
}

TEST(Mbarrier, WhoDropsOutIsNotWaitedFor) {
    Device device(kernels("mbarriers"));
    const auto out = device.array<std::uint32_t>(128);
    device.run_checked("dropping", {1}, {128}, Parameters().add(out.data()));
    for (std::uint32_t warp = 0; warp < 4; ++warp) {
        // Whole warps have come before, in whatever order, and those that dropped out are not pending.
        const std::uint32_t first = out[32UL * warp];
        EXPECT_TRUE(first % 32 == 0 && first >= 32 && first <= 128 - 32 * warp) << "warp " << warp << ": " << first;
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            EXPECT_EQ(out[32UL * warp + lane], first - lane);
        }
    }
    EXPECT_EQ(out[0], 128U);
}

TEST(Mbarrier, AWaitThatIsLeftOutIsARace) {
    Device device(kernels("mbarriers"));
    const auto in = device.array(integers(32, 0, 9, 1));
    const auto out = device.array<int>(32);
    const auto defects = device.defects("unwaited", {1}, {64}, Parameters().add(in.data()).add(out.data()));
    ASSERT_EQ(defects.size(), 1U);
    EXPECT_THAT(defects[0].what, HasSubstr("mbarriers.cu:"));
    EXPECT_THAT(defects[0].what, HasSubstr("of shared memory that thread 1,0,0 wrote"));
    EXPECT_THAT(defects[0].what, HasSubstr("with no barrier in between"));
}

TEST(Mbarrier, BulkCopiesBringTheirBytes) {
    Device device(kernels("bulk_copies"));
    const auto in = device.array(numbers(5 * 512, 3));
    const auto out = device.array<float>(5 * 512);
    const auto parameters = Parameters().add(in.data()).add(out.data()).add(5);
    device.run_checked("doubled", {2}, {128}, parameters);
    std::vector<float> wanted(in.begin(), in.end());
    std::transform(wanted.begin(), wanted.end(), wanted.begin(), [](float x) { return 2 * x; });
    expect_equal<float>(out, wanted);
    // In the trace a copy of 2,048 bytes is four accesses of a warp.
    std::uint64_t times = 0;
    EXPECT_EQ(traced_bytes(device, "doubled", {2}, {128}, parameters, "LDGSTS.E.128", times), 5U * 2048);
    EXPECT_EQ(times, 5U * 4);
    EXPECT_EQ(traced_bytes(device, "doubled", {2}, {128}, parameters, "STG.E.128", times), 5U * 2048);
}

TEST(Mbarrier, BytesMayComeBeforeTheyAreExpected) {
    Device device(
        with_barrier("mov.u32 %r2, b; mbarrier.init.shared.b64 [%r2], 2;\n"
                     "mov.u32 %r3, tile; mov.u32 %r4, 48;\n"
                     "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%p], %r4, [b];\n"
                     "mbarrier.arrive.shared.b64 %t, [%r2];\n"
                     "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], %r4;\n"
                     "mbarrier.test_wait.shared.b64 %q, [%r2], %t; @%q trap;\n"
                     "mbarrier.arrive.release.cta.shared::cta.b64 %t, [%r2], 1;\n"
                     "mbarrier.test_wait.acquire.cta.shared::cta.b64 %q, [%r2], %t; @!%q trap;\n"
                     "mbarrier.try_wait.parity.shared.b64 %q, [b], 0; @!%q trap;\n"
                     "mbarrier.try_wait.parity.shared.b64 %q, [b], 1, 100; @%q trap;\n"
                     "ld.shared.u64 %u, [%r3+40]; st.global.u64 [%p], %u; mbarrier.inval.shared.b64 [b];"));
    std::vector<std::uint64_t> values(6);
    std::iota(values.begin(), values.end(), 1);
    const auto memory = device.array(values);
    device.run("k", {1}, {1}, Parameters().add(memory.data()));
    EXPECT_EQ(memory[0], 6U);
}

TEST(Mbarrier, MistakesAreTold) {
    const std::string made =
        "mov.u32 %r2, b; setp.ne.u32 %q, %r1, 0; @!%q mbarrier.init.shared.b64 [%r2], 64; "
        "bar.sync 0;\n";
    EXPECT_THAT(
        fault_of("mbarrier.arrive.shared.b64 %t, [b];"),
        HasSubstr("k.ptx:7: in k: mbarrier.arrive.shared.b64 at 0x100 of shared memory, where no mbarrier was "
                  "made (CTA 0,0,0 thread 0,0,0)"));
    EXPECT_THAT(fault_of("mbarrier.try_wait.parity.shared.b64 %q, [b], 0;"), HasSubstr("where no mbarrier was made"));
    EXPECT_THAT(fault_of("mbarrier.init.shared.b64 [b], 0;"), HasSubstr("than the mbarrier's phase waits for"));
    EXPECT_THAT(fault_of(made + "mbarrier.arrive.shared.b64 %t, [b], 65;"),
                HasSubstr("more than the mbarrier's phase waits for"));
    EXPECT_THAT(fault_of("mbarrier.init.shared.b64 [tile+4], 1;"), HasSubstr("which is not a multiple of 8"));
    EXPECT_THAT(fault_of("mbarrier.init.shared.b64 [tile+1024], 1;"), HasSubstr("of 264 bytes of shared memory"));
    // Nobody arrives any more: the loop that waits is ended.
    EXPECT_THAT(fault_of(made + "mbarrier.arrive.shared.b64 %t, [b]; L: mbarrier.test_wait.shared.b64 %q, [b], %t; "
                                "@!%q bra L;"),
                HasSubstr("waits at an mbarrier whose phase never ends"));
    const std::string copy = "mov.u32 %r3, tile; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
    EXPECT_THAT(fault_of(made + copy + "[%r3], [%p], 24, [b];"),
                HasSubstr("copies 24 bytes, which is not a multiple of"));
    EXPECT_THAT(fault_of(made + copy + "[%r3+8], [%p], 16, [b];"), HasSubstr("which is not a multiple of 16"));
    EXPECT_THAT(fault_of(made + copy + "[%r3], [%p], 512, [b];"), HasSubstr("of 264 bytes of shared memory"));
    EXPECT_THAT(fault_of(made + copy + "[%r3], [%p+512], 16, [b];"), HasSubstr("0 bytes beyond an allocation"));
}

}  // namespace
}  // namespace kymo::gpu::ptx
