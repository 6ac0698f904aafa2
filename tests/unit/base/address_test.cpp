#include "base/address.h"

#include <gtest/gtest.h>
#include <type_traits>

namespace kymo {
namespace {

TEST(Address, ReturnAddressIsLookedUpOneByteEarlier) {
    // A call as the last instruction of a function that never returns: the return address is the next function.
    const CodeAddress behind_call = CodeAddress::return_address(0x401000);
    EXPECT_TRUE(behind_call.is_return());
    EXPECT_EQ(behind_call.value(), 0x401000U);
    EXPECT_EQ(behind_call.lookup(), 0x400FFFU);
}

TEST(Address, ProgramCounterIsLookedUpAsItIs) {
    const CodeAddress first_instruction = CodeAddress::program_counter(0x401000);
    EXPECT_FALSE(first_instruction.is_return());
    EXPECT_EQ(first_instruction.lookup(), 0x401000U);
    EXPECT_NE(first_instruction, CodeAddress::return_address(0x401000));
}

TEST(Address, KindsDoNotConvert) {
    static_assert(!std::is_convertible_v<ProcessAddress, ImageOffset>);
    static_assert(!std::is_convertible_v<std::uint64_t, ProcessAddress>);
    static_assert(!std::is_convertible_v<ImageOffset, std::uint64_t>);
    EXPECT_EQ(raw(ProcessAddress{0x7FFF12345678}), 0x7FFF12345678U);
    EXPECT_EQ(raw(ImageOffset{0x1234}), 0x1234U);
}

}  // namespace
}  // namespace kymo
