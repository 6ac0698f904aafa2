#include "program/demangle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kymo::program {
namespace {

TEST(Demangle, TurnsItaniumNamesIntoSource) {
    EXPECT_EQ(demangle("_ZN3abc4workEiPKd"), "abc::work(int, double const*)");
    EXPECT_EQ(demangle("_ZN3FooC4Ev"), "Foo::Foo()");
}

TEST(Demangle, LeavesOtherNamesAlone) {
    EXPECT_EQ(demangle("main"), "main");
    EXPECT_EQ(demangle("_Znot a name"), "_Znot a name");
    EXPECT_EQ(demangle(nullptr), "");
    EXPECT_EQ(demangle("_Rnot a name"), "_Rnot a name");
    EXPECT_EQ(demangle("_R"), "_R");
}

// The mangling of Rust since 1.9x by default (RFC 2603).
TEST(Demangle, TurnsRustNamesIntoSource) {
    EXPECT_EQ(demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
    EXPECT_EQ(demangle("_RINvCs1234_7mycrate3foomE"), "mycrate::foo::<u32>");
    EXPECT_EQ(demangle("_RNvMs_Cs1234_7mycrateNtB4_3Bar3run"), "<mycrate::Bar>::run");
    EXPECT_EQ(short_name(demangle("_RNCNvCs1234_7mycrate4main0")), "mycrate::main::{closure#0}");
}

// A name of some hundred characters whose back references make it one of 2 to the power of `depth` pairs.
std::string doubling(std::size_t depth) {
    std::string name = "_Z1fISt4pairIiiE";
    for (std::size_t i = 0; i < depth; ++i) {
        const std::string last = {'S', "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i], '_'};
        name += "S0_I" + last + last + "E";
    }
    return name + "Evv";
}

TEST(Demangle, BoundsWhatANameExpandsTo) {
    EXPECT_THAT(demangle(doubling(2).c_str()), testing::StartsWith("void f<std::pair<int, int>, std::pair<"));
    const std::string name = demangle(doubling(30).c_str());
    EXPECT_LE(name.size(), std::size_t{65} << 10U);
    EXPECT_THAT(name, testing::EndsWith("…"));
    EXPECT_EQ(short_name(name), "void f<…>");
}

TEST(Demangle, DropsTheHashOfOlderRustNames) {
    EXPECT_EQ(demangle("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
    EXPECT_EQ(demangle("_ZN4core3fmt5write17hnothexadecimal__E"), "core::fmt::write::hnothexadecimal__");
}

TEST(Demangle, GivesBackWhatIsTooLong) {
    const std::string name = "_Z" + std::string(100'000, '1');
    EXPECT_LE(demangle(name.c_str()).size(), name.size());
}

TEST(ShortName, DropsParametersReturnTypesAndLongTemplateArguments) {
    EXPECT_EQ(short_name("kernel_a(double*, unsigned long)"), "kernel_a");
    EXPECT_EQ(short_name("main"), "main");
    EXPECT_EQ(short_name("main.(*Tree).Insert"), "main.(*Tree).Insert");
    EXPECT_EQ(short_name("example.org/a/b.(*Tree).Insert.func1"), "example.org/a/b.(*Tree).Insert.func1");
    EXPECT_EQ(short_name("apply(void (*)(int))"), "apply");
    EXPECT_EQ(short_name("void apply<int>(int)"), "apply<int>");
    EXPECT_EQ(short_name("std::vector<int, std::allocator<int> >::push_back(int const&)"),
              "std::vector<…>::push_back");
    EXPECT_EQ(short_name("std::vector<int, std::allocator<int> >::push_back(int const&)", 99),
              "std::vector<int, std::allocator<int> >::push_back");
    EXPECT_EQ(short_name("unsigned long Table<char>::size() const"), "Table<char>::size");
}

TEST(ShortName, KeepsWhatBelongsToTheName) {
    EXPECT_EQ(short_name("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
    EXPECT_EQ(short_name("void (anonymous namespace)::f<int>(int)"), "(anonymous namespace)::f<int>");
    EXPECT_EQ(short_name("run(int)::{lambda(int)#1}::operator()(int) const"), "run::{lambda(int)#1}::operator()");
    EXPECT_EQ(short_name("A::run(int) const::{lambda()#1}::operator()() const"), "A::run::{lambda()#1}::operator()");
    EXPECT_EQ(short_name("operator<<(std::ostream&, int)"), "operator<<");
    EXPECT_EQ(short_name("A::operator<(A const&) const"), "A::operator<");
    EXPECT_EQ(short_name("A::operator()(int)"), "A::operator()");
    EXPECT_EQ(short_name("A::operator->() const"), "A::operator->");
    EXPECT_EQ(short_name("A::operator bool() const"), "A::operator bool");
    EXPECT_EQ(short_name("my_operator(int)"), "my_operator");
    EXPECT_EQ(short_name("memcpy@plt"), "memcpy@plt");
    EXPECT_EQ(short_name("[generated]+0x10"), "[generated]+0x10");
    EXPECT_EQ(short_name("my lib.so+0x10"), "my lib.so+0x10");
}

TEST(ShortName, SurvivesUnbalancedBrackets) {
    for (const char* name : {"", "(", "<", "a<", "a(", "a<b(", ">", ")", "{", "operator", "operator(", "a::operator ",
                             "f(x)::", "f()const::", "f() const::", "decltype (", "decltype (x) f(int)"}) {
        EXPECT_LE(short_name(name).size(), std::string_view(name).size() + 8) << name;
    }
}

TEST(PlainName, TellsParallelRegions) {
    EXPECT_EQ(plain_name("main._omp_fn.0"), "parallel region in main");
    EXPECT_EQ(plain_name(demangle("_Z9CalcForcePd._omp_fn.12")), "parallel region in CalcForce");
    EXPECT_EQ(plain_name("(anonymous namespace)::step(int) [clone ._omp_fn.0] [clone .isra.0]"),
              "parallel region in step");
    EXPECT_EQ(plain_name("step.omp_outlined"), "parallel region in step");
    EXPECT_EQ(plain_name(".omp_outlined..3"), "parallel region");
    EXPECT_EQ(plain_name("GOMP_parallel"), "GOMP_parallel");
}

TEST(PlainName, HasNoUnnamedNamespaces) {
    EXPECT_EQ(plain_name("(anonymous namespace)::step(int)"), "step");
    EXPECT_EQ(plain_name("demo::(anonymous namespace)::Strip::bounce()"), "demo::Strip::bounce");
    EXPECT_EQ(plain_name("outer::(anonymous namespace)::inner::(anonymous namespace)::f()"), "outer::inner::f");
    EXPECT_EQ(plain_name("main"), "main");
    EXPECT_EQ(plain_name(""), "");
}

}  // namespace
}  // namespace kymo::program
