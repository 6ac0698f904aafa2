// The caller that a chain of frame pointers lacks behind a function that moves to another stack.
#include "import/paths/switched_stacks.h"

#include <array>
#include <gtest/gtest.h>
#include <link.h>

#if defined(__x86_64__)

// kymo_test_switches stands for what moves to another stack.
asm(R"(
    .text
    .macro kymo_begin name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    .endm
    .macro kymo_end name
    .cfi_endproc
    .size \name, . - \name
    .endm

    kymo_begin kymo_test_switches
    nop
    ret
    kymo_end kymo_test_switches

    kymo_begin kymo_test_calls_once
    mov $0xe8e8e8e8, %eax
    call kymo_test_switches
kymo_test_once_called: .globl kymo_test_once_called
    ret
    kymo_end kymo_test_calls_once

    kymo_begin kymo_test_calls_twice
    call kymo_test_switches
    call kymo_test_switches
    ret
    kymo_end kymo_test_calls_twice

    kymo_begin kymo_test_calls_none
    call kymo_test_calls_once
    ret
    kymo_end kymo_test_calls_none

    kymo_begin kymo_test_outer
    call kymo_test_calls_once
kymo_test_after_once: .globl kymo_test_after_once
    call kymo_test_calls_twice
kymo_test_after_twice: .globl kymo_test_after_twice
    call kymo_test_calls_none
kymo_test_after_none: .globl kymo_test_after_none
    call kymo_test_once_called
kymo_test_after_inside: .globl kymo_test_after_inside
    call *%rax
kymo_test_after_register: .globl kymo_test_after_register
    ret
    kymo_end kymo_test_outer
    .purgem kymo_begin
    .purgem kymo_end
)");

extern "C" const char kymo_test_switches, kymo_test_once_called, kymo_test_calls_twice, kymo_test_outer,
    kymo_test_after_once, kymo_test_after_twice, kymo_test_after_none, kymo_test_after_inside,
    kymo_test_after_register;

namespace kymo::import {
namespace {

std::uint64_t offset_of(const char& place) {
    std::uint64_t bias = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            *static_cast<std::uint64_t*>(to) = info->dlpi_addr;
            return 1;  // the program is the first
        },
        &bias);
    return reinterpret_cast<std::uint64_t>(&place) - bias;
}

TEST(SwitchedStacks, HaveTheCallerThatACallNames) {
    const auto own = MappedFile::open("/proc/self/exe");
    ASSERT_NE(own, nullptr);
    const std::uint64_t switching = offset_of(kymo_test_switches) + 1;
    const auto before = [&](const char& after) {
        return caller_between(*own, switching, offset_of(after) - 1).offset;
    };
    const auto is_denied = [&](const char& after) {
        return caller_between(*own, switching, offset_of(after) - 1).is_denied;
    };
    EXPECT_EQ(before(kymo_test_after_once), offset_of(kymo_test_once_called) - 1);
    EXPECT_EQ(before(kymo_test_after_twice), offset_of(kymo_test_calls_twice));  // which of both is not known
    EXPECT_EQ(before(kymo_test_after_none), std::nullopt);
    EXPECT_TRUE(is_denied(kymo_test_after_none));
    EXPECT_FALSE(is_denied(kymo_test_after_once));
    EXPECT_FALSE(is_denied(kymo_test_after_register));
    EXPECT_EQ(before(kymo_test_after_inside), std::nullopt);  // what is called is no function's first byte
    EXPECT_EQ(before(kymo_test_after_register), std::nullopt);
    EXPECT_EQ(before(kymo_test_outer), std::nullopt);
    EXPECT_EQ(caller_between(*own, switching, ~std::uint64_t{0}).offset, std::nullopt);
    EXPECT_EQ(caller_between(*own, 0, offset_of(kymo_test_after_once) - 1).offset, std::nullopt);
    EXPECT_FALSE(is_outermost(*own, switching));
}

TEST(SwitchedStacks, AreBehindAsManyRecordsAsThereAre) {
    constexpr std::uint64_t kStack = 0x1000;
    // Records at 0x1010, 0x1020 and 0x1038, whose frame lies elsewhere; one at 0x1028 that leads back.
    std::array<std::uint64_t, 8> stack{};
    stack[2] = 0x1020;
    stack[4] = 0x1038;
    stack[5] = 0x1010;
    stack[7] = 0x90000;
    const auto view =
        unwind::MemoryView::copied(kStack, {reinterpret_cast<const std::uint8_t*>(stack.data()), sizeof stack});
    EXPECT_EQ(records_between(view, 0x1010, 0x90000), 3U);
    EXPECT_EQ(records_between(view, 0x1038, 0x90000), 1U);
    EXPECT_EQ(records_between(view, 0x1010, 0x1010), 0U);
    EXPECT_EQ(records_between(view, 0x90000, 0x90000), 0U);
    EXPECT_EQ(records_between(view, 0x1028, 0x90000), std::nullopt);
    EXPECT_EQ(records_between(view, 0x1010, 0x80000), std::nullopt);
    EXPECT_EQ(records_between(view, 0x1039, 0x90000), std::nullopt);
}

}  // namespace
}  // namespace kymo::import

#endif
