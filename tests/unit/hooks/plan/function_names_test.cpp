// Names as people write them, against linkage names of GCC, Clang and rustc.
#include "hooks/plan/function_names.h"

#include <gtest/gtest.h>

namespace kymo::hooks {
namespace {

bool asks(const std::string& wanted, const std::string& linkage) {
    return FunctionNames(linkage).are_asked_for_by(wanted, is_glob(wanted));
}

TEST(FunctionNames, OfC) {
    EXPECT_TRUE(asks("main", "main"));
    EXPECT_FALSE(asks("mai", "main"));
    EXPECT_TRUE(asks("ma*", "main"));
    EXPECT_TRUE(asks("ma?n", "main"));
    EXPECT_FALSE(asks("ma?", "main"));
}

TEST(FunctionNames, OfVersionedSymbols) {
    for (const char* const name : {"pow@@GLIBC_2.29", "pow@GLIBC_2.2.5"}) {
        EXPECT_TRUE(asks("pow", name));
        EXPECT_TRUE(asks(name, name));
        EXPECT_TRUE(asks("po*", name));
        EXPECT_EQ(FunctionNames(name).linkage(), "pow");
    }
    EXPECT_FALSE(asks("pow@@GLIBC_2.29", "pow@GLIBC_2.2.5"));
    EXPECT_TRUE(asks("Foo::fun", "_ZN3Foo3funEi@@LIB_1"));
}

TEST(FunctionNames, OfCpp) {
    EXPECT_TRUE(asks("Foo::fun", "_ZN3Foo3funEi"));
    EXPECT_TRUE(asks("_ZN3Foo3funEi", "_ZN3Foo3funEi"));
    EXPECT_TRUE(asks("Foo::fun(int)", "_ZN3Foo3funEi"));
    EXPECT_FALSE(asks("Foo::fun(long)", "_ZN3Foo3funEi"));
    EXPECT_TRUE(asks("*::fun", "_ZN3Foo3funEi"));
    EXPECT_TRUE(asks("Foo::~Foo", "_ZN3FooD1Ev"));
    EXPECT_TRUE(asks("Foo::operator[]", "_ZN3FooixEi"));
    EXPECT_TRUE(asks("Foo::operator()", "_ZN3FooclEi"));
    EXPECT_TRUE(asks("main::{lambda(int)#1}::operator()", "_ZZ4mainENKUliE_clEi"));
}

TEST(FunctionNames, WithTemplateArguments) {
    EXPECT_TRUE(asks("twice<double>", "_Z5twiceIdET_S0_"));
    EXPECT_FALSE(asks("twice<int>", "_Z5twiceIdET_S0_"));
    EXPECT_TRUE(asks("twice<*>", "_Z5twiceIdET_S0_"));
    EXPECT_TRUE(asks("Tp<long, 3>::go", "_ZN2TpIlLi3EE2goEv"));
    EXPECT_TRUE(asks("Tp<*>::go", "_ZN2TpIlLi3EE2goEv"));
}

TEST(FunctionNames, WithAbiTags) {
    EXPECT_TRUE(asks("label", "_Z5labelB5cxx11i"));
    EXPECT_TRUE(asks("label[abi:cxx11]", "_Z5labelB5cxx11i"));
    EXPECT_TRUE(asks("lab*", "_Z5labelB5cxx11i"));
    EXPECT_FALSE(asks("label[abi:cxx12]", "_Z5labelB5cxx11i"));
    EXPECT_FALSE(asks("[l]abel", "_Z5labelB5cxx11i")) << "brackets are letters";
    EXPECT_TRUE(asks("Shop::name", "_ZNK4Shop4nameB5cxx11Ei"));
}

TEST(FunctionNames, AThunkIsNotWhatItLeadsTo) {
    EXPECT_TRUE(asks("Both::v", "_ZN4Both1vEv"));
    EXPECT_FALSE(asks("Both::v", "_ZThn16_N4Both1vEv"));
    EXPECT_FALSE(asks("Both::v", "_ZTv0_n24_N4Both1vEv"));
    EXPECT_FALSE(asks("Both::v", "_ZTch0_h16_N4Both1vEv"));
    EXPECT_TRUE(asks("non-virtual thunk to Both::v", "_ZThn16_N4Both1vEv"));
    EXPECT_EQ(FunctionNames("_ZThn16_N4Both1vEv").source(), "non-virtual thunk to Both::v");
}

TEST(FunctionNames, OfRust) {
    EXPECT_TRUE(asks("shop::price", "_ZN4shop5price17h0123456789abcdefE"));
    EXPECT_TRUE(asks("shop::price", "_RNvCs1234_4shop5price"));
}

}  // namespace
}  // namespace kymo::hooks
