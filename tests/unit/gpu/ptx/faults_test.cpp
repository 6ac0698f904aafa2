// What a kernel must not do is told with its line, CTA and thread; nothing crashes.
#include "kernels.h"

#include <gmock/gmock.h>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Module> module_of(const std::string& text) {
    std::string whole(".version 8.3\n.target sm_80\n.address_size 64\n");
    whole += text;
    auto module = parse(whole, "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? std::string() : module.error().what);
    return module ? *module : std::make_shared<const Module>();
}

TEST(Faults, OutOfBoundsNamesLineCtaAndThread) {
    Device device(kernels("linear_algebra"));
    const auto a = device.array<float>(100);
    const auto b = device.array<float>(128);
    const auto c = device.array<float>(128);
    const std::string what =
        device.fault("vector_add", {2}, {64}, Parameters().add(a.data()).add(b.data()).add(c.data()).add(128));
    EXPECT_THAT(what, HasSubstr("linear_algebra.cu:5: in vector_add: ld.global.f32 reads 4 bytes at 0x"));
    EXPECT_THAT(what, HasSubstr("0 bytes beyond an allocation of 400 bytes"));
    EXPECT_THAT(what, HasSubstr("(CTA 1,0,0 thread 36,0,0)"));
}

TEST(Faults, MisalignedSharedLocalTrapAndDivergentBarrier) {
    Device device(
        module_of(".entry odd(.param .u64 p) { .reg .b64 %a; .reg .b32 %r; ld.param.u64 %a, [p]; ld.global.u32 %r, "
                  "[%a+2]; ret; }\n"
                  ".entry shared() { .shared .b32 s[8]; .reg .b32 %t, %a; mov.u32 %t, %tid.x; mov.u32 %a, s; shl.b32 "
                  "%t, %t, 2; add.u32 %a, %a, %t; st.shared.u32 [%a], %t; ret; }\n"
                  ".entry trapped() { .reg .b32 %t; .reg .pred %p; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 7; @%p "
                  "trap; ret; }\n"
                  ".entry stuck() { .reg .b32 %t; .reg .pred %p; mov.u32 %t, %tid.x; setp.lt.u32 %p, %t, 32; @%p bra "
                  "A; bar.sync 1; bra B; A: bar.sync 2; B: ret; }\n"
                  ".entry null() { .reg .b64 %a; mov.u64 %a, 16; st.global.u64 [%a], %a; ret; }\n"));
    const auto memory = device.array<int>(8);
    EXPECT_THAT(device.fault("odd", {1}, {1}, Parameters().add(memory.data())),
                HasSubstr("which is not a multiple of 4 (CTA 0,0,0 thread 0,0,0)"));
    EXPECT_THAT(
        device.fault("shared", {1}, {32}, {}),
        HasSubstr("st.shared.u32 writes 4 bytes at 0x20 of 32 bytes of shared memory (CTA 0,0,0 thread 8,0,0)"));
    EXPECT_THAT(device.fault("trapped", {3}, {8, 2}, {}), HasSubstr("trap (CTA 0,0,0 thread 7,0,0)"));
    EXPECT_THAT(device.fault("stuck", {1}, {64}, {}), HasSubstr("waits at barrier"));
    EXPECT_THAT(device.fault("null", {1}, {1}, {}), HasSubstr("st.global.u64 writes 8 bytes at 0x10"));
}

TEST(Faults, LaunchesThatCannotBe) {
    Device device(
        module_of(".entry k(.param .u64 p) .maxntid 128 { ret; }\n.entry big() { .shared .b8 s[300000]; ret; }"));
    const auto bytes = Parameters().add<std::uint64_t>(0);
    EXPECT_THAT(device.fault("none", {1}, {1}, bytes), HasSubstr("k.ptx: there is no kernel none"));
    EXPECT_THAT(device.fault("k", {1}, {256}, bytes),
                HasSubstr("a CTA of 256×1×1 threads cannot be launched: 128 at most"));
    EXPECT_THAT(device.fault("k", {0}, {1}, bytes), HasSubstr("no grid of 0×1×1"));
    EXPECT_THAT(device.fault("k", {1}, {1}, {}), HasSubstr("0 bytes of parameters are given, 8 needed"));
    EXPECT_THAT(device.fault("big", {1}, {1}, {}), HasSubstr("300000 bytes of shared memory"));
}

TEST(Faults, ALoopWithoutEndIsEnded) {
    Device device(module_of(".entry k() { .reg .b32 %i; mov.u32 %i, 0; L: add.u32 %i, %i, 1; bra L; }"));
    ExecuteOptions options;
    options.most_warp_instructions = 100'000;
    auto execution = device.module().launch("k", {{1}, {32}, 0, {}}, options);
    ASSERT_TRUE(execution.ok());
    const auto cta = (*execution)->next_cta();
    ASSERT_FALSE(cta.ok());
    EXPECT_THAT(cta.error().what, HasSubstr("without coming to its end"));
    EXPECT_EQ((*execution)->fault(), Fault::kStuck);
    Device other(module_of(".entry k() { L: bra L; }"));
    EXPECT_THAT(other.fault("k", {1}, {32}, {}), HasSubstr("lanes 0xffffffff of warp 0 loop forever"));
}

TEST(Faults, PrintAndAssert) {
    const auto module = module_of(
        ".global .align 1 .b8 text[20] = {37, 100, 32, 37, 46, 49, 102, 32, 37, 115, 10, 0};\n.global .align 1 .b8 "
        "word[4] = {104, 105, 0};\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);\n"
        ".entry k() { .local .align 8 .b8 l[24]; .reg .b64 %a<9>; .reg .b32 %t; .reg .f64 %d;\n"
        "mov.u64 %a1, l; cvta.local.u64 %a2, %a1; mov.u32 %t, %tid.x; st.local.u32 [%a1], %t; mov.f64 %d, "
        "0d3FF8000000000000; st.local.f64 [%a1+8], %d;\n"
        "mov.u64 %a3, word; st.local.u64 [%a1+16], %a3; mov.u64 %a4, text;\n"
        "{ .param .b64 p0; .param .b64 p1; .param .b32 q; st.param.b64 [p0], %a4; st.param.b64 [p1], %a2; call.uni "
        "(q), vprintf, (p0, p1); }\n ret; }\n"
        ".entry fails() { .reg .b64 %a; mov.u64 %a, word; { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param "
        ".b64 p3; .param .b64 p4;\n"
        "st.param.b64 [p0], %a; st.param.b64 [p1], %a; st.param.b32 [p2], 42; call.uni __assertfail, (p0, p1, p2, "
        "p3, p4); } ret; }\n");
    Device device(module);
    std::string printed;
    ExecuteOptions options;
    options.print = [&](std::string_view text) { printed += text; };
    auto execution = device.module().launch("k", {{1}, {2}, 0, {}}, options);
    ASSERT_TRUE(execution.ok()) << execution.error().what;
    ASSERT_TRUE((*execution)->finish().ok());
    EXPECT_EQ(printed, "0 1.5 hi\n1 1.5 hi\n");
    EXPECT_THAT(device.fault("fails", {1}, {1}, {}), HasSubstr("assertion 'hi' failed at hi:42"));
}

}  // namespace
}  // namespace kymo::gpu::ptx
