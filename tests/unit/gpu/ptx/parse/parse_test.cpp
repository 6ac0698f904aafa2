// PTX text into a Module: what nvcc writes, and what is told about text that is none.
#include "gpu/ptx/parse/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::gpu::ptx {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kStart = ".version 8.3\n.target sm_80\n.address_size 64\n";

std::shared_ptr<const Module> good(const std::string& text) {
    auto module = parse(kStart + text, "k.ptx");
    EXPECT_TRUE(module.ok()) << (module ? "" : module.error().what);
    return module ? *module : std::make_shared<const Module>();
}

std::string mistake(const std::string& text) {
    const auto module = parse(kStart + text, "k.ptx");
    return module ? "parsed" : module.error().what;
}

// The instructions of a kernel with some registers, from line 6 on.
std::string body(const std::string& text) {
    return ".visible .entry k(.param .u64 p)\n{ .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 "
           "%f<9>;\n" +
           text + "\n}";
}

TEST(Parse, ModuleHeader) {
    const auto module = good(".file 1 \"src/a.cu\"\n.file 2 \"b.h\", 1700000000, 12\n");
    EXPECT_EQ(module->version, 803U);
    EXPECT_EQ(module->target, 80U);
    EXPECT_EQ(module->files.at(1), "src/a.cu");
    EXPECT_EQ(module->files.at(2), "b.h");
}

TEST(Parse, ParametersLieAsLaunchesPassThem) {
    const auto module = good(
        ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .align 8 .b8 c[12], .param .f32 "
        "d)\n"
        ".maxntid 128, 2, 1\n.minnctapersm 3\n{ ret; }");
    const Function* const k = module->function("k");
    ASSERT_NE(k, nullptr);
    std::vector<std::array<std::uint32_t, 3>> places;
    for (const Parameter& parameter : k->parameters) {
        places.push_back({parameter.offset, parameter.bytes, parameter.align});
    }
    EXPECT_THAT(places, testing::ElementsAre(std::array{0U, 1U, 1U}, std::array{8U, 8U, 8U}, std::array{16U, 12U, 8U},
                                             std::array{28U, 4U, 4U}));
    EXPECT_EQ(k->parameter_bytes, 32U);
    EXPECT_EQ(k->most_threads, (Dim3{128, 2, 1}));
    EXPECT_EQ(k->least_ctas, 3U);
}

TEST(Parse, VariablesAndTheirInitialBytes) {
    const auto module = good(
        ".visible .const .align 4 .f32 x[3] = {0f3F800000, 0f40000000};\n"
        ".global .align 8 .b8 y[6] = {1, 2, 255, -1};\n"
        ".global .align 8 .u64 z[2] = {x, generic(y)+4};\n"
        ".global .align 1 .b8 w[2] = {0xFF(y), 0xFF00(y)};\n"
        ".extern .shared .align 16 .b8 dynamic[];\n");
    const Variable* const x = module->variable("x");
    ASSERT_NE(x, nullptr);
    EXPECT_EQ(x->bytes, 12U);
    EXPECT_EQ(x->initial, (std::vector<std::uint8_t>{0, 0, 0x80, 0x3F, 0, 0, 0, 0x40}));
    EXPECT_EQ(module->variable("y")->initial, (std::vector<std::uint8_t>{1, 2, 255, 255}));
    const Variable* const z = module->variable("z");
    ASSERT_EQ(z->relocations.size(), 2U);
    EXPECT_EQ(z->relocations[1].symbol, "y");
    EXPECT_EQ(z->relocations[1].addend, 4);
    EXPECT_EQ(z->relocations[1].offset, 8U);
    EXPECT_TRUE(z->relocations[1].generic);
    EXPECT_EQ(module->variable("w")->relocations[1].shift, 8U);
    EXPECT_EQ(module->variable("dynamic")->bytes, 0U);
    EXPECT_TRUE(module->variable("dynamic")->is_extern);
}

TEST(Parse, InstructionsWithGuardsModifiersAndOperands) {
    const auto module =
        good(body(".loc 1 12 5\n@!%p1 ld.global.nc.v2.f32 {%f1, %f2}, [%rd1+-8];\n"
                  ".loc 1 3 2, function_name $L__info+2, inlined_at 1 14 7\n"
                  "shfl.sync.down.b32 %r1|%p2, %r2, 0x10, 31, -1;\n.loc 2 99 1, function_name $L__info, inlined_at 1 "
                  "15 7\nmov.u32 %r3, %tid.x;\n{ .reg .b32 %r1; add.s32 "
                  "%r1, %r2, 077; }"));
    const auto& list = module->function("k")->instructions;
    const Function& k = *module->function("k");
    ASSERT_EQ(list.size(), 4U);
    EXPECT_EQ(module->names[list[0].opcode], "ld");
    EXPECT_EQ(list[0].modifiers.size(), 4U);
    EXPECT_TRUE(list[0].guard_negated);
    EXPECT_EQ(k.registers[static_cast<std::size_t>(list[0].guard)].name, "%p1");
    EXPECT_EQ(list[0].operands[0].count, 2);
    EXPECT_TRUE(list[0].operands[1].address);
    EXPECT_EQ(list[0].operands[1].offset, -8);
    EXPECT_EQ(list[0].place.source_line, 12U);
    EXPECT_EQ(list[1].place.source_line, 3U);   // inlined from the same file: its own line
    EXPECT_EQ(list[2].place.source_line, 15U);  // from another file: the line that called it
    EXPECT_EQ(list[1].operands[0].kind, Operand::Kind::kVector);
    EXPECT_EQ(list[1].operands[4].value, ~std::uint64_t{0});
    EXPECT_EQ(module->names[list[2].operands[1].number], "%tid.x");
    EXPECT_EQ(list[3].operands[2].value, 63U);
    EXPECT_NE(list[3].operands[0].number, list[1].operands[1].number);  // an inner %r1 is another one
}

TEST(Parse, LabelsOfInnerBracesAreTheirOwn) {
    const auto module = good(body("{ L: bra L; }\n{ L: bra M; }\nbra M;\nM: ret;"));
    const Function& k = *module->function("k");
    EXPECT_EQ(k.labels[k.instructions[0].operands[0].number].instruction, 0U);
    EXPECT_EQ(k.labels[k.instructions[1].operands[0].number].instruction, 3U);
    EXPECT_EQ(k.labels[k.instructions[2].operands[0].number].instruction, 3U);
}

TEST(Parse, CallsAndTables) {
    const auto module =
        good(".func (.param .b32 r) f(.param .b64 a, .param .b32 b);\n" +
             body("{ .param .b32 x; .param .b64 y; .param .b32 z; call.uni (z), f, (y, x); }\n"
                  "T: .branchtargets A, B;\nbrx.idx %r1, T;\nA: trap;\nB: exit;\n"
                  "P: .callprototype (.param .b32 _) _ (.param .b64 _);\ncall (%r1), %rd1, (%rd2), P;"));
    const Function& k = *module->function("k");
    EXPECT_EQ(k.instructions[0].returned.size(), 1U);
    EXPECT_EQ(k.instructions[0].arguments.size(), 2U);
    EXPECT_EQ(k.instructions[0].operands[0].kind, Operand::Kind::kFunction);
    const Label& table = k.labels[k.instructions[1].operands[1].number];
    ASSERT_EQ(table.targets.size(), 2U);
    EXPECT_EQ(k.labels[table.targets[1]].instruction, 3U);
}

TEST(Parse, MistakesSayWhereAndWhatWasExpected) {
    EXPECT_EQ(mistake(body("add.s32 %r1, %r2 %r3;")), "k.ptx:6:18: expected ';', found '%r3'");
    EXPECT_EQ(mistake(body("@%r1 ret;")), "k.ptx:6:2: expected a predicate, found '%r1'");
    EXPECT_EQ(mistake(body("bra NOWHERE;")), "k.ptx:6:5: there is no label NOWHERE");
    EXPECT_EQ(mistake(body("L: ret;\nL: ret;")), "k.ptx:7:1: expected a new label (L is there already), found 'L'");
    EXPECT_EQ(mistake(body("mov.f32 %f1, 0f3F80;")), "k.ptx:6:14: expected a number as 0f3F800000, found '0f3F80'");
    EXPECT_EQ(mistake(".banana x;"), "k.ptx:4:1: expected a directive that this reads, found '.banana'");
    EXPECT_THAT(mistake(".global .align 3 .b8 x;"), HasSubstr("power of two"));
    EXPECT_THAT(mistake(".global .b32 x[4294967296];"), HasSubstr("at most 4294967296 bytes"));
    EXPECT_THAT(mistake(".visible .entry k() { ret;"), StartsWith("k.ptx:4:27: expected '}', found the end"));
    EXPECT_THAT(mistake(".func f() { ret; }\n.func f() { ret; }"), HasSubstr("f is defined twice"));
    const auto old = parse(".version 5.0\n", "k.ptx");
    ASSERT_FALSE(old.ok());
    EXPECT_THAT(old.error().what, HasSubstr("PTX 5.0 is too old"));
    EXPECT_THAT(parse("", "k.ptx").error().what, HasSubstr("expected .version, found the end"));
    EXPECT_THAT(parse(".version 8.0\n", "k.ptx").error().what, HasSubstr("expected .target"));
}

TEST(Parse, WhatNvccWrites) {
    for (const char* const file : {"linear_algebra", "cooperative", "irregular"}) {
        const auto module = parse_file(std::string(KYMO_GPU_KERNELS) + "/" + file + ".ptx");
        ASSERT_TRUE(module.ok()) << module.error().what;
        EXPECT_GT((*module)->functions.size(), 5U);
    }
    const auto module = *parse_file(KYMO_GPU_KERNELS "/linear_algebra.ptx");
    const Function* const k = module->function("vector_add");
    ASSERT_NE(k, nullptr);
    EXPECT_EQ(k->parameter_bytes, 28U);
    EXPECT_EQ(module->where(k->instructions.back().place), "linear_algebra.cu:7");
    EXPECT_FALSE(parse_file(KYMO_GPU_KERNELS "/none.ptx").ok());
}

}  // namespace
}  // namespace kymo::gpu::ptx
