#include "program/plt_names.h"

#include <elf.h>
#include <gtest/gtest.h>

namespace kymo::program {
namespace {

TEST(PltSlot, OfX86IsRelativeToTheNextInstruction) {
    // 1020: ff 25 e2 2f 00 00   jmp *0x2fe2(%rip)   → 0x1026 + 0x2fe2 = 0x4008
    const std::uint8_t plain[16] = {0xff, 0x25, 0xe2, 0x2f, 0, 0, 0x68};
    EXPECT_EQ(plt_slot(EM_X86_64, plain, 0x1020), 0x4008U);
    // 1060: f3 0f 1e fa endbr64; f2 ff 25 6d 2f 00 00 bnd jmp *0x2f6d(%rip)   → 0x106b + 0x2f6d = 0x3fd8
    const std::uint8_t guarded[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x6d, 0x2f, 0, 0};
    EXPECT_EQ(plt_slot(EM_X86_64, guarded, 0x1060), 0x3fd8U);
}

TEST(PltSlot, OfAarch64IsAPageAndAnOffset) {
    // 5f0: 90000110 adrp x16, 20000; f9400611 ldr x17, [x16, #8]   → 0x20008
    const std::uint8_t code[16] = {0x10, 0x01, 0x00, 0x90, 0x11, 0x06, 0x40, 0xf9};
    EXPECT_EQ(plt_slot(EM_AARCH64, code, 0x5f0), 0x20008U);
}

TEST(PltSlot, OfRiscvIsRelativeToItsFirstInstruction) {
    // 267c0: 00100e17 auipc t3, 0x100; d50e3e03 ld t3, -688(t3); jalr t1, t3; nop   → 0x1267c0 − 0x2b0 = 0x126510
    const std::uint8_t code[16] = {0x17, 0x0e, 0x10, 0x00, 0x03, 0x3e, 0x0e, 0xd5,
                                   0x67, 0x03, 0x0e, 0x00, 0x13, 0x00, 0x00, 0x00};
    EXPECT_EQ(plt_slot(EM_RISCV, code, 0x267c0), 0x126510U);
}

TEST(PltSlot, OfLoongarchIsRelativeToItsFirstInstruction) {
    // 1000: 1c00010f pcaddu12i r15, 8; 28c061ef ld.d r15, r15, 24; 4c0001ed jirl r13, r15, 0; nop   → 0x9000 + 24
    const std::uint8_t code[16] = {0x0f, 0x01, 0x00, 0x1c, 0xef, 0x61, 0xc0, 0x28,
                                   0xed, 0x01, 0x00, 0x4c, 0x00, 0x00, 0x40, 0x03};
    EXPECT_EQ(plt_slot(258, code, 0x1000), 0x9018U);
}

TEST(PltSlot, ThroughARegisterThatWasOverwrittenIsNone) {
    // adrp x16, 20000; mov x16, x0 (aa0003f0); ldr x17, [x16, #8]
    const std::uint8_t code[12] = {0x10, 0x01, 0x00, 0x90, 0xf0, 0x03, 0x00, 0xaa, 0x11, 0x06, 0x40, 0xf9};
    EXPECT_EQ(plt_slot(EM_AARCH64, code, 0x5f0), std::nullopt);
}

TEST(PltSlot, OfOtherCodeIsNone) {
    const std::uint8_t code[16] = {0x90, 0x90};
    EXPECT_EQ(plt_slot(EM_X86_64, code, 0), std::nullopt);
    EXPECT_EQ(plt_slot(EM_AARCH64, code, 0), std::nullopt);
    EXPECT_EQ(plt_slot(EM_RISCV, code, 0), std::nullopt);
    for (std::size_t size = 0; size < 6; ++size) {
        const std::uint8_t jump[6] = {0xff, 0x25, 1, 2, 3, 4};
        EXPECT_EQ(plt_slot(EM_X86_64, std::span(jump).first(size), 0), std::nullopt);
    }
}

}  // namespace
}  // namespace kymo::program
