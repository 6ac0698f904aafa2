// Calls through pointers: nvcc's function tables and virtual functions, and what is no function.
#include "kernels.h"

#include <gmock/gmock.h>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;

TEST(Pointers, EachLaneCallsItsOwnFunctionAndAllMeetAgain) {
    Device device(kernels("pointers"));
    const auto which = device.array(integers(96, 0, 2, 1));
    const auto out = device.array<int>(96);
    device.run_checked("by_table", {3}, {32}, Parameters().add(which.data()).add(out.data()));
    std::vector<int> wanted;
    for (int i = 0; i < 96; ++i) {
        const int kind = which[static_cast<std::size_t>(i)];
        wanted.push_back((kind == 0 ? i + 7 : kind == 1 ? i * 7 : i - 7) + 1000);
    }
    expect_equal<int>(out, wanted);
}

TEST(Pointers, VirtualFunctions) {
    Device device(kernels("pointers"));
    const auto which = device.array(integers(64, 0, 1, 1));
    const auto in = device.array(numbers(64, 2));
    const auto out = device.array<float>(64);
    device.run_checked("by_object", {1}, {64}, Parameters().add(which.data()).add(in.data()).add(out.data()));
    std::vector<float> wanted;
    for (std::size_t i = 0; i < 64; ++i) {
        wanted.push_back(which[i] != 0 ? in[i] * in[i] : 3.0F * in[i]);
    }
    expect_equal<float>(out, wanted);
}

constexpr const char* kCalls = R"(.version 8.3
.target sm_80
.address_size 64
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %x; ld.param.u32 %x, [a]; add.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }
.entry k(.param .u64 out, .param .u64 off) { .reg .b64 %f, %o, %p; .reg .b32 %t, %m; .reg .pred %q;
 mov.u64 %f, twice; ld.param.u64 %o, [off]; add.u64 %f, %f, %o; mov.u32 %t, %tid.x;
 { .param .b32 a; .param .b32 r; st.param.b32 [a], %t; call (r), %f, (a), p; p: .callprototype (.param .b32 _) _ (.param .b32 _); ld.param.b32 %t, [r]; }
 activemask.b32 %m; setp.ne.u32 %q, %m, -1; @%q trap;
 ld.param.u64 %p, [out]; mad.wide.u32 %p, %t, 2, %p; st.global.u32 [%p], %t; ret; }
.entry other(.param .u64 out, .param .u64 off) { .reg .b64 %f;
 mov.u64 %f, twice;
 { .param .b64 a; call %f, (a), p; p: .callprototype _ (.param .b64 _); } ret; }
)";

TEST(Pointers, WhatIsNoFunctionOrAnotherIsTold) {
    const auto module = parse(kCalls, "k.ptx");
    ASSERT_TRUE(module.ok()) << module.error().what;
    Device device(*module);
    const auto out = device.array<std::uint32_t>(32);
    device.run_checked("k", {1}, {32}, Parameters().add(out.data()).add<std::uint64_t>(0));
    EXPECT_EQ(out[31], 62U);
    EXPECT_THAT(device.fault("k", {1}, {32}, Parameters().add(out.data()).add<std::uint64_t>(4)),
                HasSubstr("k.ptx:7: in k: calls 0x4000000002000004, where no function is (CTA 0,0,0 thread 0,0,0)"));
    EXPECT_THAT(device.fault("k", {1}, {32}, Parameters().add(out.data()).add<std::uint64_t>(1 << 20)),
                HasSubstr("where no function is"));
    EXPECT_THAT(device.fault("other", {1}, {32}, Parameters().add(out.data()).add<std::uint64_t>(0)),
                HasSubstr("calls twice, which has other parameters"));
}

}  // namespace
}  // namespace kymo::gpu::ptx
