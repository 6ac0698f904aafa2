// Single operations with known answers: what the ISA says, at the edges.
#include "kernels.h"

#include <bit>
#include <cmath>
#include <gmock/gmock.h>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;

// One thread, three 64-bit inputs in %a %b %c (and their lower 32 bits in %x %y %z, 16 in %h %i), the result in %d.
std::string kernel(const std::string& body) {
    return ".version 8.3\n.target sm_90\n.address_size 64\n"
           ".visible .entry k(.param .u64 in, .param .u64 out)\n{ .reg .b64 %a, %b, %c, %d, %t<9>, %pin, %pout; .reg "
           ".b32 %x, %y, %z, %w, "
           "%u<9>; .reg .b16 %h, %i, %j; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .pred %p, %q, %o; .reg .b32 %lane;\n"
           "mov.u32 %lane, %tid.x; ld.param.u64 %pin, [in]; ld.param.u64 %pout, [out]; mov.b64 %d, 0;\n"
           "ld.global.b64 %a, [%pin]; ld.global.b64 %b, [%pin+8]; ld.global.b64 %c, [%pin+16];\n"
           "cvt.u32.u64 %x, %a; cvt.u32.u64 %y, %b; cvt.u32.u64 %z, %c; cvt.u16.u64 %h, %a; cvt.u16.u64 %i, %b;\n" +
           body + "\nmul.wide.u32 %t8, %lane, 8; add.s64 %pout, %pout, %t8; st.global.b64 [%pout], %d; ret; }";
}

// All 32 lanes; they give the first one's result unless the body looks at %tid.
std::vector<std::uint64_t> run(const std::string& body, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    auto module = parse(kernel(body), "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    if (!module) {
        return std::vector<std::uint64_t>(32);
    }
    Device device(*module);
    const auto in = device.array(std::vector<std::uint64_t>{a, b, c});
    const auto out = device.array<std::uint64_t>(32);
    device.run("k", {1}, {32}, Parameters().add(in.data()).add(out.data()));
    return {out.begin(), out.end()};
}

std::string refusal(const std::string& body) {
    auto module = parse(kernel(body), "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    DeviceMemory memory;
    auto loaded = LoadedModule::load(*module, memory);
    auto launched =
        (*loaded)->launch("k", {{1}, {32}, 0, Parameters().add<std::uint64_t>(0).add<std::uint64_t>(0).bytes()});
    return launched ? "launched" : launched.error().what;
}

struct Case {
    const char* body;
    std::uint64_t a, b, c, wanted;
};

class Operations : public testing::TestWithParam<Case> {};

TEST_P(Operations, GiveWhatTheIsaSays) {
    const Case& one = GetParam();
    for (const std::uint64_t got : run(one.body, one.a, one.b, one.c)) {
        ASSERT_EQ(got, one.wanted) << one.body << std::hex << ": 0x" << got << " for 0x" << one.wanted;
    }
}

constexpr std::uint64_t kOnes = ~std::uint64_t{0};
#define U32(TEXT) TEXT " cvt.u64.u32 %d, %w;"
#define U16(TEXT) TEXT " cvt.u64.u16 %d, %j;"
#define PRED(TEXT) TEXT " selp.b64 %d, 1, 0, %p;"
#define F32(TEXT) "mov.b32 %f1, %x; mov.b32 %f2, %y; mov.b32 %f3, %z; " TEXT " mov.b32 %w, %f4; cvt.u64.u32 %d, %w;"
#define F64(TEXT) "mov.b64 %g1, %a; mov.b64 %g2, %b; mov.b64 %g3, %c; " TEXT " mov.b64 %d, %g4;"

constexpr std::uint64_t f(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
constexpr std::uint64_t g(double value) {
    return std::bit_cast<std::uint64_t>(value);
}
constexpr std::uint64_t kNan = 0x7FFFFFFF;

INSTANTIATE_TEST_SUITE_P(
    Integers, Operations,
    testing::Values(
        Case{U32("add.s32 %w, %x, %y;"), 0xFFFFFFFF, 2, 0, 1},
        Case{U32("add.sat.s32 %w, %x, %y;"), 0x7FFFFFFF, 2, 0, 0x7FFFFFFF},
        Case{U32("sub.sat.s32 %w, %x, %y;"), 0x80000000, 2, 0, 0x80000000},
        Case{U16("add.u16 %j, %h, %i;"), 0xFFFF, 3, 0, 2},
        Case{"mul.lo.u64 %d, %a, %b;", 0x100000001, 0x100000001, 0, 0x200000001},
        Case{"mul.hi.u64 %d, %a, %b;", kOnes, kOnes, 0, kOnes - 1},
        Case{"mul.hi.s64 %d, %a, %b;", kOnes, 5, 0, kOnes},
        Case{U32("mul.hi.s32 %w, %x, %y;"), 0x80000000, 0x80000000, 0, 0x40000000},
        Case{"mul.wide.s32 %d, %x, %y;", 0xFFFFFFFF, 7, 0, kOnes - 6},
        Case{"mul.wide.u32 %d, %x, %y;", 0xFFFFFFFF, 2, 0, 0x1FFFFFFFE},
        Case{"mad.wide.s32 %d, %x, %y, %c;", 0xFFFFFFFF, 7, 10, 3},
        Case{U32("mul.wide.s16 %w, %h, %i;"), 0xFFFF, 3, 0, 0xFFFFFFFD},
        Case{U32("mad.lo.s32 %w, %x, %y, %z;"), 3, 5, 7, 22},
        Case{U32("mul24.lo.s32 %w, %x, %y;"), 0x1FFFFFF, 2, 0, 0xFFFFFFFE},
        Case{U32("mad24.lo.u32 %w, %x, %y, %z;"), 0xFF000003, 4, 5, 17},
        Case{U32("div.s32 %w, %x, %y;"), 0xFFFFFFF9, 2, 0, 0xFFFFFFFD},
        Case{U32("div.u32 %w, %x, %y;"), 7, 0, 0, 0xFFFFFFFF},
        Case{U32("div.s32 %w, %x, %y;"), 0x80000000, 0xFFFFFFFF, 0, 0x80000000},
        Case{U32("rem.s32 %w, %x, %y;"), 0xFFFFFFF9, 4, 0, 0xFFFFFFFD}, Case{"rem.u64 %d, %a, %b;", 17, 5, 0, 2},
        Case{U32("sad.s32 %w, %x, %y, %z;"), 3, 10, 100, 107}, Case{U32("abs.s32 %w, %x;"), 0xFFFFFFFB, 0, 0, 5},
        Case{"neg.s64 %d, %a;", 5, 0, 0, kOnes - 4}, Case{U32("min.s32 %w, %x, %y;"), 0xFFFFFFFF, 1, 0, 0xFFFFFFFF},
        Case{U32("max.u32 %w, %x, %y;"), 0xFFFFFFFF, 1, 0, 0xFFFFFFFF},
        Case{U32("popc.b64 %w, %a;"), 0xF0F0, 0, 0, 8}, Case{U32("clz.b32 %w, %x;"), 0x00010000, 0, 0, 15},
        Case{U32("clz.b64 %w, %a;"), 0, 0, 0, 64}, Case{U32("bfind.u32 %w, %x;"), 0x00010000, 0, 0, 16},
        Case{U32("bfind.s32 %w, %x;"), 0xFFFFFFFE, 0, 0, 0},
        Case{U32("bfind.shiftamt.u32 %w, %x;"), 0x00010000, 0, 0, 15},
        Case{U32("bfind.u32 %w, %x;"), 0, 0, 0, 0xFFFFFFFF}, Case{U32("brev.b32 %w, %x;"), 1, 0, 0, 0x80000000},
        Case{"brev.b64 %d, %a;", 2, 0, 0, 0x4000000000000000},
        Case{U32("bfe.u32 %w, %x, 8, 8;"), 0x12345678, 0, 0, 0x56},
        Case{U32("bfe.s32 %w, %x, 4, 4;"), 0x80, 0, 0, 0xFFFFFFF8},
        Case{U32("bfe.s32 %w, %x, 28, 8;"), 0x80000000, 0, 0, 0xFFFFFFF8},
        Case{"bfe.u64 %d, %a, 32, 64;", 0x1234567800000000, 0, 0, 0x12345678},
        Case{U32("bfi.b32 %w, %x, %y, 8, 8;"), 0xAB, 0x11111111, 0, 0x1111AB11},
        Case{U32("bmsk.clamp.b32 %w, %x, %y;"), 4, 8, 0, 0xFF0},
        Case{U32("lop3.b32 %w, %x, %y, %z, 0x96;"), 0xF0F0, 0xFF00, 0xAAAA, 0xF0F0 ^ 0xFF00 ^ 0xAAAA},
        Case{U32("lop3.b32 %w, %x, %y, %z, 0xCA;"), 0xFF00, 0x1234, 0xABCD, 0x12CD},
        Case{U32("prmt.b32 %w, %x, %y, 0x7531;"), 0x33221100, 0x77665544, 0, 0x77553311},
        Case{U32("prmt.b32 %w, %x, %y, 0x8888;"), 0x80, 0, 0, 0xFFFFFFFF},
        Case{U32("shl.b32 %w, %x, %y;"), 1, 40, 0, 0},
        Case{U32("shr.s32 %w, %x, %y;"), 0x80000000, 99, 0, 0xFFFFFFFF}, Case{"shr.u64 %d, %a, 4;", 0xF0, 0, 0, 0xF},
        Case{U32("shf.l.wrap.b32 %w, %x, %y, %z;"), 0x80000000, 1, 33, 3},
        Case{U32("shf.r.clamp.b32 %w, %x, %y, %z;"), 1, 0xABCD, 32, 0xABCD},
        Case{"add.cc.u32 %u1, %x, %y; addc.u32 %u2, 0, 0; mov.b64 %d, {%u1, %u2};", 0xFFFFFFFF, 2, 0, 0x100000001},
        Case{"sub.cc.u32 %u1, %x, %y; subc.u32 %u2, 5, 0; mov.b64 %d, {%u1, %u2};", 1, 2, 0, 0x4FFFFFFFF},
        Case{"mad.lo.cc.u32 %u1, %x, %y, %z; madc.hi.u32 %u2, %x, %y, 0; mov.b64 %d, {%u1, %u2};", 0xFFFFFFFF,
             0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF00000000},
        Case{U32("dp4a.s32.s32 %w, %x, %y, %z;"), 0x01FF0203, 0x02030405, 10, 10 + 2 - 3 + 8 + 15},
        Case{U32("dp2a.lo.u32.u32 %w, %x, %y, %z;"), 0x00020003, 0x00000504, 1, 1 + 3 * 4 + 2 * 5},
        Case{U32("cnot.b32 %w, %x;"), 0, 0, 0, 1},
        Case{"mov.b32 {%h, %i}, %x; mov.b32 %w, {%i, %h}; cvt.u64.u32 %d, %w;", 0x12345678, 0, 0, 0x56781234},
        Case{PRED("setp.lt.s32 %p, %x, %y;"), 0xFFFFFFFF, 1, 0, 1},
        Case{PRED("setp.lo.u32 %p, %x, %y;"), 0xFFFFFFFF, 1, 0, 0},
        Case{PRED("setp.eq.s32 %q, %x, %y; setp.ne.and.s32 %p|%o, %x, %z, !%q; mov.pred %p, %o;"), 1, 2, 1, 1},
        Case{"set.lt.u32.s32 %w, %x, %y; cvt.s64.s32 %d, %w;", 1, 2, 0, kOnes},
        Case{U32("selp.b32 %w, %x, %y, 0;"), 1, 2, 0, 2},
        Case{U32("slct.s32.s32 %w, %x, %y, %z;"), 1, 2, 0x80000000, 2}));

INSTANTIATE_TEST_SUITE_P(
    Floats, Operations,
    testing::Values(
        Case{F32("add.f32 %f4, %f1, %f2;"), f(1e-45F), f(1e-45F), 0, 2},
        Case{F32("add.ftz.f32 %f4, %f1, %f2;"), f(1e-45F), f(1e-45F), 0, 0},
        Case{F32("add.f32 %f4, %f1, %f2;"), f(INFINITY), f(-INFINITY), 0, kNan},
        Case{F32("mul.sat.f32 %f4, %f1, %f2;"), f(3), f(2), 0, f(1)},
        Case{F32("add.rz.f32 %f4, %f1, %f2;"), f(1), f(0x1.8p-24F), 0, f(1)},
        Case{F32("add.rp.f32 %f4, %f1, %f2;"), f(1), f(0x1p-30F), 0, f(0x1.000002p0F)},
        Case{F32("add.rm.f32 %f4, %f1, %f2;"), f(-1), f(-0x1p-30F), 0, f(-0x1.000002p0F)},
        Case{F32("fma.rn.f32 %f4, %f1, %f2, %f3;"), f(0x1.001p0F), f(0x1.001p0F), f(-1), f(0x1.0008p-11F)},
        Case{F32("mul.f32 %f4, %f1, %f2; sub.f32 %f4, %f4, %f2;"), f(0x1.000002p0F), f(0x1.000002p0F), 0,
             f(0x1p-23F)},
        Case{F32("min.f32 %f4, %f1, %f2;"), kNan, f(2), 0, f(2)},
        Case{F32("min.NaN.f32 %f4, %f1, %f2;"), kNan, f(2), 0, kNan},
        Case{F32("max.f32 %f4, %f1, %f2;"), f(-0.0F), f(0.0F), 0, f(0.0F)},
        Case{F32("abs.f32 %f4, %f1;"), f(-2), 0, 0, f(2)}, Case{F32("neg.f32 %f4, %f1;"), f(0), 0, 0, f(-0.0F)},
        Case{F32("div.rn.f32 %f4, %f1, %f2;"), f(1), f(3), 0, f(1.0F / 3)},
        Case{F32("sqrt.rn.f32 %f4, %f1;"), f(2), 0, 0, f(0x1.6a09e6p0F)},
        Case{F32("rcp.rn.f32 %f4, %f1;"), f(4), 0, 0, f(0.25F)},
        Case{F32("ex2.approx.f32 %f4, %f1;"), f(3), 0, 0, f(8)},
        Case{F32("lg2.approx.f32 %f4, %f1;"), f(8), 0, 0, f(3)},
        Case{F32("copysign.f32 %f4, %f1, %f2;"), f(-1), f(5), 0, f(-5)},
        Case{F64("fma.rn.f64 %g4, %g1, %g2, %g3;"), g(3), g(5), g(7), g(22)},
        Case{F64("div.rz.f64 %g4, %g1, %g2;"), g(2), g(3), 0, g(0x1.5555555555555p-1)},
        Case{F64("sqrt.rn.f64 %g4, %g1;"), g(4), 0, 0, g(2)},
        Case{F64("max.f64 %g4, %g1, %g2;"), g(-3), g(-2), 0, g(-2)},
        Case{PRED("mov.b32 %f1, %x; mov.b32 %f2, %y; setp.ltu.f32 %p, %f1, %f2;"), kNan, f(2), 0, 1},
        Case{PRED("mov.b32 %f1, %x; mov.b32 %f2, %y; setp.ne.f32 %p, %f1, %f2;"), kNan, f(2), 0, 0},
        Case{PRED("mov.b32 %f1, %x; testp.subnormal.f32 %p, %f1;"), 1, 0, 0, 1},
        // conversions
        Case{"mov.b32 %f1, %x; cvt.rzi.s32.f32 %w, %f1; cvt.s64.s32 %d, %w;", f(-2.7F), 0, 0, kOnes - 1},
        Case{U32("mov.b32 %f1, %x; cvt.rni.u32.f32 %w, %f1;"), f(2.5F), 0, 0, 2},
        Case{U32("mov.b32 %f1, %x; cvt.rzi.u32.f32 %w, %f1;"), f(-1), 0, 0, 0},
        Case{U32("mov.b32 %f1, %x; cvt.rzi.s32.f32 %w, %f1;"), f(1e20F), 0, 0, 0x7FFFFFFF},
        Case{U32("mov.b32 %f1, %x; cvt.rzi.s32.f32 %w, %f1;"), kNan, 0, 0, 0},
        Case{F32("cvt.rn.f32.u64 %f4, %a;"), 0x1000001000001, 0, 0, f(0x1.000002p48F)},
        Case{F32("cvt.rz.f32.u32 %f4, %x;"), 0xFFFFFFFF, 0, 0, f(0x1.fffffep31F)},
        Case{F32("cvt.rn.f32.f64 %f4, %g1; cvt.rn.f32.s16 %f4, %h;"), 0xFFFE, 0, 0, f(-2)},
        Case{F64("cvt.f64.f32 %g4, %f1; cvt.rn.f64.s32 %g4, %x;"), 0xFFFFFFFF, 0, 0, g(-1)},
        Case{F32("cvt.rmi.f32.f32 %f4, %f1;"), f(-1.5F), 0, 0, f(-2)},
        Case{F32("cvt.sat.f32.f32 %f4, %f1;"), f(1.5F), 0, 0, f(1)},
        Case{U32("cvt.u32.u8 %w, %x;"), 0x1FF, 0, 0, 0xFF}, Case{U32("cvt.s32.s8 %w, %x;"), 0x80, 0, 0, 0xFFFFFF80},
        Case{U16("cvt.u8.u32 %j, %x;"), 0x1FF, 0, 0, 0xFF}, Case{U32("cvt.sat.u8.s32 %w, %x;"), 0xFFFFFFFF, 0, 0, 0},
        Case{U32("cvt.sat.s16.s32 %w, %x;"), 70000, 0, 0, 0x7FFF},
        Case{"cvt.s64.s16 %d, %h;", 0x8000, 0, 0, 0xFFFFFFFFFFFF8000},
        // halves
        Case{U16("add.f16 %j, %h, %i;"), 0x3C00, 0x3C00, 0, 0x4000},
        Case{U16("mul.f16 %j, %h, %i;"), 0x7BFF, 0x4000, 0, 0x7C00},
        Case{U32("fma.rn.f16x2 %w, %x, %y, %z;"), 0x3C004000, 0x40004200, 0x3C003C00, 0x42004700},
        Case{U16("fma.rn.bf16 %j, %h, %i, %h;"), 0x3F80, 0x4000, 0, 0x4040},
        Case{U16("mov.b32 %f1, %x; cvt.rn.f16.f32 %j, %f1;"), f(0x1.002p0F), 0, 0, 0x3C00},
        Case{U16("mov.b32 %f1, %x; cvt.rn.f16.f32 %j, %f1;"), f(0x1p-25F), 0, 0, 0},
        Case{U16("mov.b32 %f1, %x; cvt.rn.f16.f32 %j, %f1;"), f(0x1.8p-25F), 0, 0, 1},
        Case{U16("mov.b32 %f1, %x; cvt.rz.f16.f32 %j, %f1;"), f(1e6F), 0, 0, 0x7BFF},
        Case{U16("mov.b32 %f1, %x; cvt.rn.bf16.f32 %j, %f1;"), f(0x1.01p0F), 0, 0, 0x3F80},
        Case{F32("cvt.f32.f16 %f4, %h;"), 0x0001, 0, 0, f(0x1p-24F)},
        Case{U32("mov.b32 %f1, %x; mov.b32 %f2, %y; cvt.rn.f16x2.f32 %w, %f1, %f2;"), f(1), f(2), 0, 0x3C004000},
        Case{U16("min.f16 %j, %h, %i;"), 0x7E00, 0x4000, 0, 0x4000},
        Case{U16("cvt.rn.f16.u64 %j, %a;"), 2049, 0, 0, 0x6800},
        Case{U32("mov.b32 %f1, %x; cvt.rna.tf32.f32 %w, %f1;"), f(0x1.001p0F), 0, 0, f(1)},
        Case{U32("mov.b32 %f1, %x; cvt.rn.tf32.f32 %w, %f1;"), f(0x1.002p0F), 0, 0, f(1)},
        Case{U32("mov.b32 %f1, %x; cvt.rna.tf32.f32 %w, %f1;"), f(0x1.002p0F), 0, 0, f(0x1.004p0F)},
        // A product that is added: on either side of the sum.
        Case{"mul.wide.u32 %t0, %x, 257; add.s64 %d, %t0, %b;", 3, 0x100000005, 0, 0x100000308},
        Case{"mul.wide.u32 %t0, %x, 257; add.s64 %d, %b, %t0;", 3, 0x100000005, 0, 0x100000308},
        Case{"mul.wide.s32 %t0, %x, %y; add.s64 %d, %t0, %t0;", 0xFFFFFFFF, 7, 0, kOnes - 13},
        // What the headers of half precision make of comparisons and of conversions to 8 bits.
        Case{U16("set.eq.f16.f16 %j, %h, %i;"), 0x3C00, 0x3C00, 0, 0x3C00},
        Case{U16("set.eq.f16.f16 %j, %h, %i;"), 0x7E00, 0x7E00, 0, 0},
        Case{U16("set.nan.f16.f16 %j, %h, %i;"), 0x7E00, 0x3C00, 0, 0x3C00},
        Case{U16("set.eq.ftz.f16.f16 %j, %h, %i;"), 0x0001, 0x8002, 0, 0x3C00},
        Case{U16("set.eq.f16.f16 %j, %h, %i;"), 0x0001, 0x8002, 0, 0},
        Case{PRED("setp.eq.ftz.f16 %p, %h, %i;"), 0x03FF, 0x0000, 0, 1},
        Case{U16("set.lt.bf16.bf16 %j, %h, %i;"), 0x3F80, 0x4000, 0, 0x3F80},
        Case{U16("set.gt.u16.f16 %j, %h, %i;"), 0x4000, 0x3C00, 0, 0xFFFF},
        Case{U32("set.ge.u32.f16 %w, %h, %i;"), 0x4000, 0x3C00, 0, 0xFFFFFFFF},
        Case{U32("set.lt.f32.f16 %w, %h, %i;"), 0x3C00, 0x4000, 0, f(1)},
        Case{U32("set.eq.f16x2.f16x2 %w, %x, %y;"), 0x3C004000, 0x3C003C00, 0, 0x3C000000},
        Case{U32("set.neu.f16x2.f16x2 %w, %x, %y;"), 0x7E004000, 0x7E004000, 0, 0x3C000000},
        Case{U32("set.le.bf16x2.bf16x2 %w, %x, %y;"), 0x3F804000, 0x40003F80, 0, 0x3F800000},
        Case{U32("set.lt.u32.f16x2 %w, %x, %y;"), 0x3C00BC00, 0x40000000, 0, 0xFFFFFFFF},
        Case{U32("set.lt.u32.bf16x2 %w, %x, %y;"), 0x3F804000, 0x40003F80, 0, 0xFFFF0000},
        Case{U16("{ .reg .b8 %e; cvt.rzi.s8.f16 %e, %h; mov.b16 %j, {%e, 0}; }"), 0xC500, 0, 0, 0xFB},
        Case{U16("{ .reg .b8 %e, %e2; mov.b16 {%e, %e2}, %h; mov.b16 %j, {%e2, %e}; }"), 0x1280, 0, 0, 0x8012},
        Case{U32("{ .reg .b8 %e<4>; mov.b32 {%e0, %e1, %e2, %e3}, %x; mov.b32 %w, {%e3, %e2, %e1, %e0}; }"),
             0x80FF7F01, 0, 0, 0x017FFF80},
        Case{U16("mov.b16 %j, %h; neg.f16 %j, %j;"), 0x3C00, 0, 0, 0xBC00}));

INSTANTIATE_TEST_SUITE_P(
    Together, Operations,
    testing::Values(Case{U32("shfl.sync.idx.b32 %w, %lane, 5, 31, -1;"), 0, 0, 0, 5},
                    Case{U32("redux.sync.add.s32 %w, %lane, -1;"), 0, 0, 0, 496},
                    Case{U32("setp.lt.u32 %p, %lane, 4; vote.sync.ballot.b32 %w, %p, -1;"), 0, 0, 0, 15},
                    Case{PRED("setp.lt.u32 %q, %lane, 40; vote.sync.all.pred %p, %q, -1;"), 0, 0, 0, 1},
                    Case{U32("activemask.b32 %w;"), 0, 0, 0, 0xFFFFFFFF},
                    Case{U32("bar.red.popc.u32 %w, 0, 1;"), 0, 0, 0, 32},
                    Case{PRED("setp.eq.u32 %q, %lane, 3; bar.red.or.pred %p, 0, %q;"), 0, 0, 0, 1},
                    Case{U32("match.all.sync.b32 %w|%p, %x, -1;"), 3, 0, 0, 0xFFFFFFFF}));

TEST(Operations, LanesOfTheirOwn) {
    const auto lanes = run("and.b32 %u1, %lane, 1; match.any.sync.b32 %w, %u1, -1; cvt.u64.u32 %d, %w;", 0, 0, 0);
    const auto up = run(
        "shfl.sync.up.b32 %w|%p, %lane, 3, 0, -1; selp.b32 %u1, 100, 0, %p; add.u32 %w, %w, %u1; cvt.u64.u32 %d, %w;",
        0, 0, 0);
    const auto segments = run("shfl.sync.bfly.b32 %w, %lane, 9, 0x181F, -1; cvt.u64.u32 %d, %w;", 0, 0, 0);
    const auto down = run("shfl.sync.down.b32 %w, %lane, 2, 0x1C1F, -1; cvt.u64.u32 %d, %w;", 0, 0, 0);
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(lanes[lane], lane % 2 == 0 ? 0x55555555U : 0xAAAAAAAAU);
        EXPECT_EQ(up[lane], lane < 3 ? lane : lane - 3 + 100);
        // Segments of eight lanes: a partner beyond the segment's end is none.
        EXPECT_EQ(segments[lane], (lane ^ 9U) <= (lane | 7U) ? lane ^ 9U : lane) << lane;
        EXPECT_EQ(down[lane], lane % 4 < 2 ? lane + 2 : lane) << lane;
    }
}

TEST(Operations, MemoryOfAllWidths) {
    EXPECT_EQ(run("st.global.u8 [%pin], %x; ld.global.s8 %w, [%pin]; cvt.s64.s32 %d, %w;", 0xFE, 0, 0)[0], kOnes - 1);
    EXPECT_EQ(
        run("ld.global.v2.u32 {%u1, %u2}, [%pin]; add.u32 %w, %u1, %u2; cvt.u64.u32 %d, %w;", 0x500000007, 0, 0)[31],
        12U);
    EXPECT_EQ(run("ld.global.v4.u16 {%h, %i, %j, _}, [%pin]; cvt.u64.u16 %d, %j;", 0x0004000300020001, 0, 0)[0], 3U);
    EXPECT_EQ(run(".shared .align 8 .b8 s[256]; .reg .b64 %g0; mov.u64 %t1, s; cvta.shared.u64 %t2, %t1; st.u64 "
                  "[%t2+8], %a; ld.shared.u64 %d, [s+8];",
                  77, 0, 0)[0],
              77U);
    EXPECT_EQ(run(".local .align 8 .b8 l[16]; mov.u64 %t1, l; cvta.local.u64 %t2, %t1; cvt.u64.u32 %t3, %lane; "
                  "st.local.u64 [%t1], %t3; bar.sync 0; ld.u64 %d, [%t2];",
                  0, 0, 0)[9],
              9U);
    EXPECT_EQ(run("atom.global.add.u64 %d, [%pin], 1; bar.sync 0; ld.global.u64 %d, [%pin];", 5, 0, 0)[3], 37U);
    EXPECT_EQ(run("atom.global.cas.b32 %w, [%pin], %x, 9; bar.sync 0; ld.global.u32 %w, [%pin]; cvt.u64.u32 %d, %w;",
                  4, 0, 0)[3],
              9U);
    EXPECT_EQ(run("atom.global.inc.u32 %w, [%pin], 6; bar.sync 0; ld.global.u32 %w, [%pin]; cvt.u64.u32 %d, %w;", 0,
                  0, 0)[3],
              32U % 7);
    EXPECT_EQ(
        run("red.global.max.s32 [%pin], %lane; ld.global.u32 %w, [%pin]; cvt.u64.u32 %d, %w;", 0xFFFFFFFF, 0, 0)[0],
        31U);
    EXPECT_EQ(
        run("mov.f32 %f1, 0f3F000000; red.global.add.f32 [%pin], %f1; ld.global.u32 %w, [%pin]; cvt.u64.u32 %d, %w;",
            f(1), 0, 0)[0],
        f(17));
}

TEST(Operations, PredicatesTablesAndLoopsBringLanesBackTogether) {
    const auto loop = run(
        "mov.u32 %w, 0; mov.u32 %u1, 0;\nL: add.u32 %w, %w, %u1; add.u32 %u1, %u1, 1; setp.le.u32 %p, %u1, %lane; "
        "@%p bra L;\n"
        "activemask.b32 %u2; setp.eq.u32 %q, %u2, -1; @!%q trap; cvt.u64.u32 %d, %w;",
        0, 0, 0);
    const auto table =
        run("and.b32 %u1, %lane, 3; ts: .branchtargets A, B, C, A;\nbrx.idx %u1, ts;\nA: mov.b64 %d, 10; bra E;\nB: "
            "mov.b64 %d, 20; bra E;\n"
            "C: mov.b64 %d, 30;\nE: activemask.b32 %u2; setp.eq.u32 %q, %u2, -1; @!%q trap;",
            0, 0, 0);
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(loop[lane], lane * (lane + 1) / 2);
        EXPECT_EQ(table[lane], lane % 4 == 1 ? 20U : lane % 4 == 2 ? 30U : 10U);
    }
}

TEST(Operations, WhatIsNotKnownIsRefusedByNameAndLine) {
    EXPECT_THAT(refusal("\nadd.banana.s32 %w, %x, %y;"),
                HasSubstr("k.ptx:10: in k: add.banana.s32 is not supported"));
    EXPECT_THAT(refusal("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f1, %f2}];"),
                HasSubstr("tex.2d.v4.f32.f32 is not supported"));
    for (const char* words :
         {"wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned", "barrier.cluster.arrive.aligned",
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "suld.b.2d.b32.trap", "vadd.s32.s32.s32",
          "mapa.shared::cluster.u32", "mbarrier.banana.b64", "mbarrier.arrive.banana.b64", "cvt.rn.e4m3x2.f32",
          "cvt.rz.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e4m3x2.bf16x2"}) {
        EXPECT_THAT(refusal(std::string("\n") + words + " %w, %x, %y;"),
                    HasSubstr(std::string("k.ptx:10: in k: ") + words + " is not supported"));
    }
    EXPECT_THAT(refusal("mov.u32 %w, %envreg3;"), HasSubstr("%envreg3 is not known"));
    EXPECT_THAT(refusal("add.s32 %w, %x, %a;"), HasSubstr("an operand is not a register of 32 bits"));
}

}  // namespace
}  // namespace kymo::gpu::ptx
