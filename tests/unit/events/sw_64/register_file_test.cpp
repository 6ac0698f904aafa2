// Values by hand, from what register_file.h says of the registers.
#include "events/sw_64/register_file.h"

#include <gtest/gtest.h>

namespace kymo::events::sw_64 {
namespace {

constexpr std::uint8_t kClocks = 0x30;
constexpr std::uint8_t kFetches = 0x53;

TEST(Sw64Registers, CountWhatTheyAreProgrammedFor) {
    RegisterFile registers;
    registers.write_control(0, kClocks | kCounting | kCountsUser | kCountsKernel);
    registers.write_control(1, kFetches | kCounting | kCountsUser);
    registers.write_control(2, kClocks | kCounting | kCountsKernel);
    registers.write_control(3, kClocks | kCountsUser | kCountsKernel);  // not counting
    registers.count(kClocks, Mode::kUser, 10);
    registers.count(kClocks, Mode::kKernel, 4);
    registers.count(kFetches, Mode::kUser, 3);
    registers.count(kFetches, Mode::kKernel, 100);
    EXPECT_EQ(registers.value(0), 14U);
    EXPECT_EQ(registers.value(1), 3U);
    EXPECT_EQ(registers.value(2), 4U);
    EXPECT_EQ(registers.value(3), 0U);
    EXPECT_EQ(registers.int_stat(), 0U);
    registers.write_control(0, ~std::uint64_t{0});
    EXPECT_EQ(registers.control(0), 0x103ffU);
}

TEST(Sw64Registers, RaiseTheInterruptWhereASetOverflows) {
    RegisterFile registers;
    registers.write_control(4, kClocks | kCounting | kCountsUser);
    registers.write_value(4, 0xffff'ffff'ffff'fff6);  // 2⁶⁴ − 10
    registers.write_int_en(1U << 4U);
    EXPECT_EQ(registers.until_interrupt(kClocks, Mode::kUser), 10U);
    EXPECT_EQ(registers.until_interrupt(kClocks, Mode::kKernel), ~std::uint64_t{0});
    registers.count(kClocks, Mode::kUser, 9);
    EXPECT_EQ(registers.value(4), ~std::uint64_t{0});
    EXPECT_FALSE(registers.is_raised());
    registers.count(kClocks, Mode::kUser, 1);
    EXPECT_EQ(registers.value(4), 0U);
    EXPECT_EQ(registers.int_stat(), 0x10U);
    EXPECT_EQ(registers.pc_int(), 0x401U);  // raised, by set 4
    registers.write_int_clr(0xf);
    EXPECT_TRUE(registers.is_raised());
    registers.write_int_clr(0x10);
    EXPECT_EQ(registers.int_stat(), 0U);
    EXPECT_EQ(registers.pc_int(), 0U);
}

TEST(Sw64Registers, KeepAnOverflowThatMayNotInterrupt) {
    RegisterFile registers;
    for (const unsigned set : {1U, 3U}) {
        registers.write_control(set, kFetches | kCounting | kCountsKernel);
        registers.write_value(set, ~std::uint64_t{0});
    }
    registers.count(kFetches, Mode::kKernel, 2);
    EXPECT_EQ(registers.int_stat(), 0b01010U);
    EXPECT_EQ(registers.pc_int(), 0U);
    registers.write_int_en(~std::uint64_t{0});
    EXPECT_EQ(registers.int_en(), 0b11111U);
    EXPECT_EQ(registers.pc_int(), 0x101U);  // set 1 is the first
    registers.write_int_en(0b01000);
    EXPECT_EQ(registers.pc_int(), 0x301U);
}

}  // namespace
}  // namespace kymo::events::sw_64
