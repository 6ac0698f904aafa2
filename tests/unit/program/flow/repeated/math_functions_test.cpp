// Functions of mathematics by all of their names, and what a call of one does.
#include "program/flow/repeated/math_functions.h"

#include "program/flow/calls_x86_64.h"

#include <gtest/gtest.h>
#include <string_view>

namespace kymo::program {
namespace {

TEST(MathFunction, IsKnownByEachOfItsNames) {
    for (const std::string_view symbol : {"pow", "powf", "pow@plt", "pow@GLIBC_2.29", "__pow_fma",
                                          "__ieee754_pow_sse2", "__powf_fma", "__pow_finite", "__ieee754_pow_fma4"}) {
        EXPECT_EQ(math_function(symbol), "pow") << symbol;
    }
    EXPECT_EQ(math_function("__sincos_fma"), "sincos");
    EXPECT_EQ(math_function("erf"), "erf") << "not the float form of another one";
    EXPECT_EQ(math_function("erff"), "erf");
    for (const std::string_view symbol :
         {"", "f", "__", "power", "powl", "printf", "exp_table", "__math_oflow", "app::pow"}) {
        EXPECT_EQ(math_function(symbol), "") << symbol;
        EXPECT_EQ(math_effects(symbol), nullptr) << symbol;
    }
}

TEST(MathFunction, DependsOnItsArgumentsAlone) {
    const FunctionEffects* const two = math_effects("atan2f@plt");
    ASSERT_NE(two, nullptr);
    EXPECT_TRUE(two->is_pure);
    EXPECT_FALSE(two->reads_memory);
    EXPECT_EQ(two->arguments, 0U);
    EXPECT_EQ(two->vector_arguments, 3U);
    EXPECT_EQ(two->results_by, 0U);
    EXPECT_EQ(two->writes & kKept, 0U);
    const FunctionEffects* const by_pointers = math_effects("sincos");
    ASSERT_NE(by_pointers, nullptr);
    EXPECT_EQ(by_pointers->vector_arguments, 1U);
    EXPECT_EQ(by_pointers->results_by, kResultPointers);
}

}  // namespace
}  // namespace kymo::program
