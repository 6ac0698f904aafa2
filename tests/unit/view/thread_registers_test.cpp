#include "view/threads/created_with.h"
#include "view/threads/registers.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kymo::view {
namespace {

constexpr std::uint16_t kAarch64 = 183;

// MXCSR 0x7b80 (rounds towards zero, overflow is not masked), x87 control word 0x37f, xmm1 with its lowest
// byte 1 and its highest byte 0xf0.
std::string floating_bytes() {
    std::string bytes("\x80\x7b\0\0\x7f\x03\0\0", 8);
    bytes.resize(8 + 16 * 16);
    bytes[8 + 16] = 1;
    bytes[8 + 31] = static_cast<char>(0xf0);
    return bytes;
}

TEST(Registers, HaveTheNamesOfTheirDwarfNumbers) {
    EXPECT_EQ(register_name(kMachineX86_64, 1), "rdx");
    EXPECT_EQ(register_name(kMachineX86_64, 3), "rbx");
    EXPECT_EQ(register_name(kMachineX86_64, 15), "r15");
    EXPECT_EQ(register_name(kMachineX86_64, 17), "r17");
    EXPECT_EQ(register_name(kAarch64, 3), "r3");
}

TEST(Registers, FloatingStateIsReadByItsFields) {
    const auto state = floating_state(kMachineX86_64, floating_bytes());
    ASSERT_TRUE(state);
    EXPECT_EQ(state->mxcsr, 0x7b80U);
    EXPECT_EQ(state->x87_control, 0x37fU);
    EXPECT_EQ(state->rounding(), "zero");
    EXPECT_EQ(state->unmasked_exceptions(), std::vector<std::string_view>{"overflow"});
    EXPECT_FALSE(state->flushes_to_zero());
    EXPECT_FALSE(state->denormals_are_zero());
    EXPECT_EQ(vector_text(state->vectors.at(1)), "0xf0000000000000000000000000000001");
}

TEST(Registers, FloatingStateOfOtherMachinesOrCutOffIsNotKnown) {
    EXPECT_FALSE(floating_state(kAarch64, floating_bytes()));
    EXPECT_FALSE(floating_state(kMachineX86_64, floating_bytes().substr(1)));
    EXPECT_FALSE(floating_state(kMachineX86_64, ""));
}

TEST(Registers, SignalsHaveTheirNames) {
    const std::uint64_t mask = 1ULL << 11U | 1ULL << 16U | 1ULL << 32U | 1ULL << 33U | 1ULL << 63U;
    EXPECT_EQ(signal_names(mask),
              (std::vector<std::string>{"SIGUSR2", "SIGCHLD", "signal 33", "SIGRTMIN", "SIGRTMIN+30"}));
    EXPECT_TRUE(signal_names(0).empty());
}

recording::Stream made_row() {
    static constexpr std::uint64_t kRegisters[] = {10, 11, 12, 99};
    recording::Stream row;
    row.registers = kRegisters;
    row.stack_pointer = 7000;
    return row;
}

TEST(CreatedWith, IsTheCallersWhereThatIsKnown) {
    static constexpr std::uint64_t kCallers[] = {3, 0, 12, 512};
    recording::Stream row = made_row();
    row.caller_registers = kCallers;
    row.caller_pc = 4711;
    row.caller_stack_pointer = 8000;
    const auto state = spacetime::created_with(row, kMachineX86_64);
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->is_callers);
    EXPECT_EQ(state->program_counter, 4711U);
    const auto known = known_registers(*state);
    ASSERT_EQ(known.size(), 16U);
    EXPECT_EQ(known[3], 0U);
    EXPECT_EQ(known[7], 8000U);
    EXPECT_EQ(known[12], 512U);
    EXPECT_EQ(std::count(known.begin(), known.end(), std::nullopt), 13);
}

TEST(CreatedWith, OfEarlierMonitorsIsTheMonitors) {
    const auto state = spacetime::created_with(made_row(), kAarch64);
    ASSERT_TRUE(state);
    EXPECT_FALSE(state->is_callers);
    EXPECT_EQ(state->program_counter, 99U);
    EXPECT_EQ(state->stack_pointer, 7000U);
    EXPECT_EQ(known_registers(*state), (std::vector<std::optional<std::uint64_t>>{10, 11, 12}));
    EXPECT_FALSE(spacetime::created_with(recording::Stream{}, kMachineX86_64));
}

}  // namespace
}  // namespace kymo::view
