#include "monitor/native.h"
#include "recording/tables/operand_turns.h"

#include <cstring>
#include <gtest/gtest.h>

namespace kymo::monitor {
namespace {

TEST(OperandTurns, AreFewerAndFewer) {
    recording::OperandTurns turns;
    int taken = 0;
    for (int i = 0; i < 512; ++i) {
        taken += turns.take() ? 1 : 0;
    }
    EXPECT_EQ(taken, 256);
    for (int i = 0; i < 1024; ++i) {
        taken += turns.take() ? 1 : 0;
    }
    EXPECT_EQ(taken, 512);
    for (int i = 0; i < 1'000'000; ++i) {
        taken += turns.take() ? 1 : 0;
    }
    EXPECT_LT(taken, 4'000);
}

struct Context {
    ucontext_t context{};
    _libc_fpstate vectors{};

    Context() {
        context.uc_mcontext.fpregs = &vectors;
        vectors.mxcsr = 0x1f82;  // a denormal operand was seen
    }
    template <typename Number>
    void set(int reg, int place, Number number) {
        std::memcpy(reinterpret_cast<char*>(&vectors._xmm[reg]) + place * sizeof number, &number, sizeof number);
    }
};

TEST(DenormalRegisters, AreDoublesAndFloats) {
    Context it;
    it.set(2, 1, 3e-310);
    it.set(3, 0, 1.5);
    it.set(4, 3, 1e-40F);
    it.set(5, 0, -0.0);
    const std::uint64_t found = native::denormal_registers(it.context);
    EXPECT_EQ(found & 0b101100, 1U << 2);
    EXPECT_EQ(found >> 32 & 0b111000, 1U << 4);
}

TEST(DenormalRegisters, AreNoneWhereTheyCostNothing) {
    Context it;
    it.set(2, 1, 3e-310);
    it.vectors.mxcsr = 0x1f80;  // none was computed with
    EXPECT_EQ(native::denormal_registers(it.context), 0U);
    it.vectors.mxcsr = 0x1fc2;  // taken for zero
    EXPECT_EQ(native::denormal_registers(it.context), 0U);
    it.context.uc_mcontext.fpregs = nullptr;
    EXPECT_EQ(native::denormal_registers(it.context), 0U);
}

}  // namespace
}  // namespace kymo::monitor
