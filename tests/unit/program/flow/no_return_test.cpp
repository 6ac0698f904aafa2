#include "program/flow/no_return.h"

#include "hex.h"
#include "program/flow/make_flow_graph.h"

#include <gtest/gtest.h>

namespace kymo::program {
namespace {

bool code_can_return(std::string_view text, const std::function<bool(std::uint64_t)>& does_not_return = {}) {
    const auto bytes = hex(text);
    const FunctionCode function{CodeBytes({{0x1000, bytes}}), 0x1000};
    return can_return(make_flow_graph(x86_64_decoder(), function, {}, does_not_return));
}

TEST(NoReturn, IsSeenInTheCode) {
    EXPECT_TRUE(code_can_return("c3"));                // ret
    EXPECT_TRUE(code_can_return("e9 00 10 00 00"));    // jmp elsewhere: a tail call
    EXPECT_TRUE(code_can_return("ff e0"));             // jmp *%rax
    EXPECT_TRUE(code_can_return("e8 00 10 00 00"));    // call, then the end: not known
    EXPECT_FALSE(code_can_return("eb fe"));            // for (;;)
    EXPECT_FALSE(code_can_return("0f 0b"));            // ud2
    EXPECT_FALSE(code_can_return("f4 eb fd c3"));      // hlt in a loop; the ret behind it is not reached
    EXPECT_FALSE(code_can_return("e8 fb 0f 00 00 c3",  // call 0x2000, which does not return; ret
                                 [](std::uint64_t target) { return target == 0x2000; }));
}

TEST(NoReturn, IsKnownByName) {
    EXPECT_TRUE(is_no_return_name("abort"));
    EXPECT_TRUE(is_no_return_name("__stack_chk_fail@plt"));
    EXPECT_TRUE(is_no_return_name("__cxa_throw@@CXXABI_1.3"));
    EXPECT_TRUE(is_no_return_name("_Exit"));
    EXPECT_TRUE(is_no_return_name("siglongjmp"));
    EXPECT_TRUE(is_no_return_name("quick_exit"));
    EXPECT_FALSE(is_no_return_name("atexit"));
    EXPECT_FALSE(is_no_return_name(""));
}

}  // namespace
}  // namespace kymo::program
