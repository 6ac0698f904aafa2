// What stands before a return instruction, as an assembler writes it.
#include "unwind/x86_64/epilogue.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kymo::unwind::x86_64 {
namespace {

using Base = Epilogue::Base;

// "base offset pops…"
std::string told(const std::vector<std::uint8_t>& code) {
    const std::size_t end = find_return(code, 0);
    if (end == code.size()) {
        return "no return";
    }
    const Epilogue found = EpilogueReader(code, end).read();
    std::string text = found.base == Base::kStackPointer ? "rsp"
                       : found.base == Base::kLoaded     ? "load"
                       : found.base == Base::kRegister   ? "r" + std::to_string(found.number)
                                                         : "leave";
    text += found.offset != 0 ? "+" + std::to_string(found.offset) : "";
    for (std::uint32_t i = 0; i < found.pops; ++i) {
        text += " pop" + std::to_string(found.popped[i]);
    }
    return text;
}

TEST(Epilogue, MovesOfTheStackPointer) {
    EXPECT_EQ(told({0xC3}), "rsp");
    EXPECT_EQ(told({0xF3, 0xC3}), "rsp");
    EXPECT_EQ(told({0x48, 0x83, 0xC4, 0x48, 0xC3}), "rsp+72");                              // add $72, %rsp
    EXPECT_EQ(told({0x48, 0x81, 0xC4, 0xC8, 0, 0, 0, 0xC3}), "rsp+200");                    // add $200, %rsp
    EXPECT_EQ(told({0x48, 0x8D, 0x64, 0x24, 0x18, 0xC3}), "rsp+24");                        // lea 24(%rsp), %rsp
    EXPECT_EQ(told({0x48, 0x8D, 0xA4, 0x24, 0x00, 1, 0, 0, 0xC3}), "rsp+256");              // lea 256(%rsp), %rsp
    EXPECT_EQ(told({0x48, 0x8B, 0x64, 0x24, 0x40, 0xC3}), "load+64");                       // mov 64(%rsp), %rsp
    EXPECT_EQ(told({0x48, 0x8B, 0xA4, 0x24, 0x00, 1, 0, 0, 0x5B, 0xC3}), "load+256 pop3");  // mov 256(%rsp), %rsp
    EXPECT_EQ(told({0x48, 0x8B, 0x24, 0x24, 0xC3}), "load");                                // mov (%rsp), %rsp
    EXPECT_EQ(told({0x4C, 0x89, 0xCC, 0xC3}), "r9");                                        // mov %r9, %rsp
    EXPECT_EQ(told({0x49, 0x8B, 0xE1, 0xC3}), "r9");
    EXPECT_EQ(told({0x48, 0x89, 0xEC, 0x5D, 0xC3}), "r6 pop6");  // mov %rbp, %rsp; pop %rbp
    EXPECT_EQ(told({0xC9, 0xC3}), "leave");
}

TEST(Epilogue, Pops) {
    // pop %r13; pop %r12; pop %r15; pop %r14; pop %rbp; pop %rbx; vzeroupper; ret, as x86inc writes them
    EXPECT_EQ(told({0x48, 0x83, 0xC4, 0x20, 0x41, 0x5D, 0x41, 0x5C, 0x41, 0x5F, 0x41, 0x5E, 0x5D, 0x5B, 0xC5, 0xF8,
                    0x77, 0xC3}),
              "rsp+32 pop13 pop12 pop15 pop14 pop6 pop3");
    EXPECT_EQ(told({0x58, 0xC3}), "rsp") << "no register that is handed back";
    EXPECT_EQ(told({0x41, 0x5B, 0xC3}), "rsp") << "r11";
}

TEST(Epilogue, WhatIsNoEpilogue) {
    EXPECT_EQ(told({}), "no return");
    EXPECT_EQ(told({0x90, 0x90}), "no return");
    EXPECT_EQ(told({0x48, 0x83, 0xC4, 0xF8, 0xC3}), "rsp") << "add $-8";
    EXPECT_EQ(told({0x48, 0x83, 0xC4, 0x41, 0xC3}), "rsp") << "not whole words";
    EXPECT_EQ(told({0x48, 0x81, 0xC4, 0, 0, 1, 0, 0xC3}), "rsp") << "too much";
    EXPECT_EQ(told({0x81, 0xC4, 0xC8, 0, 0, 0, 0xC3}), "rsp") << "cut off in front";
    EXPECT_EQ(told(std::vector<std::uint8_t>(100, 0x5B)), "no return");
    std::vector<std::uint8_t> many(100, 0x5B);
    many.push_back(0xC3);
    EXPECT_EQ(told(many), "rsp pop3 pop3 pop3 pop3 pop3 pop3 pop3 pop3") << "no more than there is room for";
}

}  // namespace
}  // namespace kymo::unwind::x86_64
