// Families of run-time functions by their names, as compilers and libraries give them.
#include "spacetime/evidence/account/families.h"

#include "spacetime/evidence/account/system_calls.h"
#include "spacetime/profile/own_code.h"

#include <gtest/gtest.h>
#include <string_view>
#include <utility>

namespace kymo::spacetime {
namespace {
namespace families {

TEST(QualifiedName, LeavesOutReturnTypeAndParameters) {
    EXPECT_EQ(qualified_name("main"), "main");
    EXPECT_EQ(qualified_name("main.(*Tree).Insert"), "main.(*Tree).Insert");
    EXPECT_EQ(qualified_name("void std::sort<int*>(int*, int*)"), "std::sort<int*>");
    EXPECT_EQ(qualified_name("ns::f(std::vector<int, std::allocator<int> > const&)"), "ns::f");
    EXPECT_EQ(qualified_name("std::pair<int, long> make<int>(int)"), "make<int>");
    EXPECT_EQ(qualified_name("(anonymous namespace)::parse(char const*)"), "(anonymous namespace)::parse");
    EXPECT_EQ(qualified_name("Parser::operator()(int) const"), "Parser::operator()");
    EXPECT_EQ(qualified_name("operator new(unsigned long)"), "operator new");
    EXPECT_EQ(qualified_name("bool operator< <int>(A const&, A const&)"), "operator< <int>");
    EXPECT_EQ(qualified_name("main::{lambda(int)#1}::operator()(int) const"), "main::{lambda(int)#1}::operator()");
    EXPECT_EQ(qualified_name("f(int) [clone .cold]"), "f");
    EXPECT_EQ(qualified_name(""), "");
}

TEST(TaxFamily, IsThatOfTheFirstPattern) {
    using F = TaxFamily;
    const std::pair<std::pair<std::string_view, std::string_view>, F> cases[] = {
        {{"malloc", "libc.so.6"}, F::kAllocation},
        {{"_int_malloc", "libc.so.6"}, F::kAllocation},
        {{"void std::sort<int*>(int*, int*)", "app"}, F::kSorting},
        {{"void std::__introsort_loop<int*, long, Less>(int*, int*, long, Less)", "app"}, F::kSorting},
        {{"std::__cxx11::list<int, std::allocator<int> >::sort()", "app"}, F::kSorting},
        {{"qsort_r", "libc.so.6"}, F::kSorting},
        {{"void std::__introselect<int*, long, Less>(int*, int*, int*, long, Less)", "app"}, F::kNone},
        {{"void std::partial_sort<int*>(int*, int*, int*)", "app"}, F::kNone},
        {{"__GI___libc_free", "libc.so.6"}, F::kAllocation},
        {{"__GI___libc_malloc", "libc.so.6"}, F::kAllocation},
        {{"___pthread_cond_signal", "libc.so.6"}, F::kLocking},
        {{"__GI___pthread_mutex_unlock_usercnt", "libc.so.6"}, F::kLocking},
        {{"__GI___snprintf", "libc.so.6"}, F::kFormatting},
        {{"__GI_____strtod_l_internal", "libc.so.6"}, F::kFormatting},
        {{"____strtod_l_internal", "libc.so.6"}, F::kFormatting},
        {{"operator new(unsigned long)", "libstdc++.so.6"}, F::kAllocation},
        {{"operator delete(void*, unsigned long)", "app"}, F::kAllocation},
        {{"std::__new_allocator<int>::allocate(unsigned long, void const*)", "app"}, F::kAllocation},
        {{"std::allocator_traits<std::allocator<int> >::construct<int>(int*)", "app"}, F::kNone},
        {{"__memmove_avx_unaligned_erms", "libc.so.6"}, F::kCopying},
        {{"void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int*, int&&)", "app"}, F::kCopying},
        {{"std::vector<int, std::allocator<int> >::operator[](unsigned long)", "app"}, F::kNone},
        {{"std::vector<int, std::allocator<int> >::erase(__gnu_cxx::__normal_iterator<int const*, std::vector<int, "
          "std::allocator<int> > >)",
          "app"},
         F::kShifting},
        {{"std::vector<int, std::allocator<int> >::_M_erase_at_end(int*)", "app"}, F::kNone},
        {{"std::vector<int, std::allocator<int> >::_M_insert_aux<int>(int*, int&&)", "app"}, F::kShifting},
        {{"std::vector<int, std::allocator<int> >::_M_insert_rval(int const*, int&&)", "app"}, F::kNone},
        {{"std::vector<int, std::allocator<int> >::insert(int const*, int const&)", "app"}, F::kNone},
        {{"void std::vector<int, std::allocator<int> >::_M_range_insert<int*>(int*, int*, int*)", "app"},
         F::kCopying},
        {{"std::deque<int, std::allocator<int> >::_M_erase_at_begin(int*)", "app"}, F::kNone},
        {{"std::vector<int, std::allocator<int> >::size() const", "app"}, F::kNone},
        {{"_Unwind_RaiseException", "libgcc_s.so.1"}, F::kExceptions},
        {{"libgcc_s.so.1+0x1234", "libgcc_s.so.1"}, F::kExceptions},
        {{"uw_frame_state_for", "libgcc_s.so.1"}, F::kExceptions},
        {{"__popcountdi2", "libgcc_s.so.1"}, F::kNone},
        {{"__multi3", "libgcc_s.so.1"}, F::kNone},
        {{"__udivti3", "libgcc_s.so.1"}, F::kDivision},
        {{"__umodti3", "app"}, F::kDivision},
        {{"__memset_avx512_unaligned_erms", "libc.so.6"}, F::kFilling},
        {{"void std::fill<int*, int>(int*, int*, int const&)", "app"}, F::kFilling},
        {{"__cxa_throw", "libstdc++.so.6"}, F::kExceptions},
        {{"std::__detail::_Executor<char const*, std::allocator<int>, std::regex_traits<char>, true>::_M_dfs(int)",
          "app"},
         F::kRegex},
        {{"vsnprintf", "libc.so.6"}, F::kFormatting},
        {{"std::ostream& std::ostream::_M_insert<double>(double)", "libstdc++.so.6"}, F::kFormatting},
        {{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append(char const*, "
          "unsigned long)",
          "libstdc++.so.6"},
         F::kStrings},
        {{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() const", "app"},
         F::kNone},
        {{"std::_Hash_bytes(void const*, unsigned long, unsigned long)", "libstdc++.so.6"}, F::kHashing},
        {{"GOMP_task", "libgomp.so.1"}, F::kTasks},
        {{"omp_set_lock", "libgomp.so.1"}, F::kLocking},
        {{"omp_test_lock", "libgomp.so.1"}, F::kLocking},
        {{"gomp_unset_lock_30", "libgomp.so.1"}, F::kLocking},
        {{"omp_set_nest_lock", "libomp.so.5"}, F::kLocking},
        {{"__kmpc_critical", "libomp.so.5"}, F::kLocking},
        {{"mtx_trylock", "libc.so.6"}, F::kLocking},
        {{"pthread_mutex_lock", "libc.so.6"}, F::kLocking},
        {{"take_gil", "python3.11"}, F::kInterpreterLock},
        {{"list_contains", "python3.11"}, F::kShifting},
        {{"list_contains", "libpython3.11.so.1.0"}, F::kShifting},
        {{"list_contains", "app"}, F::kNone},
        {{"list_slice", "python3.11"}, F::kCopying},
        {{"PyUnicode_Append", "python3.11"}, F::kStrings},
        {{"sre_ucs1_match", "python3.11"}, F::kRegex},
        {{"_pickle_Pickler_dump", "python3.11"}, F::kSerialising},
        {{"_pickle_loads_impl", "_pickle.cpython-311-x86_64-linux-gnu.so"}, F::kSerialising},
        {{"py_encode_basestring", "_json.cpython-311-x86_64-linux-gnu.so"}, F::kSerialising},
        {{"deepcopy", "[python]"}, F::kCopying},
        {{"deepcopy", "app"}, F::kNone},
        {{"std::unordered_map<int, long>::unordered_map(std::unordered_map<int, long> const&)", "app"}, F::kCopying},
        {{"std::unordered_map<int, long>::unordered_map(unsigned long)", "app"}, F::kHashing},
        {{"std::unordered_map<int, long>::~unordered_map()", "app"}, F::kAllocation},
        {{"std::map<int, long>::map(std::map<int, long> const&)", "app"}, F::kCopying},
        {{"std::map<int, long>::operator=(std::map<int, long> const&)", "app"}, F::kCopying},
        {{"PMPI_Recv", "libmpi.so.40"}, F::kMessages},
        {{"MPI_Init_thread", "libmpi.so.40"}, F::kStartEnd},
        {{"fwrite", "libc.so.6"}, F::kInputOutput},
        {{"std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2>::_M_release()", "app"}, F::kReferenceCounts},
        {{"clock_gettime", "libc.so.6"}, F::kClock},
        {{"sin", "libm.so.6"}, F::kNone},
        {{"", ""}, F::kNone},
    };
    for (const auto& [function, family] : cases) {
        EXPECT_EQ(family_of(function.first, function.second), family) << function.first;
    }
}

TEST(TaxFamily, EachHasAdvice) {
    for (std::size_t i = 0; i < kTaxFamilies; ++i) {
        const TaxInfo& info = kTaxTable[i];
        EXPECT_EQ(static_cast<std::size_t>(info.family), i);
        EXPECT_FALSE(info.key.empty());
        const bool has_advice = info.family != TaxFamily::kNone && info.family != TaxFamily::kStartEnd;
        EXPECT_EQ(!info.direction.empty() && !info.confirm.empty(), has_advice) << info.key;
    }
}

TEST(SystemCalls, AreFoundByAnyOfTheirNames) {
    EXPECT_TRUE(is_system_call(call_name("__libc_write(int, void const*, unsigned long)")));
    EXPECT_TRUE(is_system_call("fstatat64"));
    EXPECT_FALSE(is_system_call("memcpy"));
    EXPECT_FALSE(is_system_call(""));
}

}  // namespace families
}  // namespace
}  // namespace kymo::spacetime
