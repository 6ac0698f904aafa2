#include "program/flow/no_return.h"

#include <algorithm>
#include <array>

namespace kymo::program {
namespace {

constexpr std::array<std::string_view, 42> kNames = {
    "_Exit",
    "_Unwind_Resume",
    "_ZSt10unexpectedv",
    "_ZSt16__throw_bad_castv",
    "_ZSt17__throw_bad_allocv",
    "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
    "_ZSt18__throw_bad_typeidv",
    "_ZSt19__throw_ios_failurePKc",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt19__throw_range_errorPKc",
    "_ZSt20__throw_domain_errorPKc",
    "_ZSt20__throw_future_errori",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_out_of_rangePKc",
    "_ZSt20__throw_system_errori",
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
    "_ZSt21__throw_runtime_errorPKc",
    "_ZSt22__throw_overflow_errorPKc",
    "_ZSt24__throw_invalid_argumentPKc",
    "_ZSt24__throw_out_of_range_fmtPKcz",
    "_ZSt25__throw_bad_function_callv",
    "_ZSt28__throw_bad_array_new_lengthv",
    "_ZSt9terminatev",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_call_terminate",
    "__cxa_pure_virtual",
    "__cxa_rethrow",
    "__cxa_throw",
    "__cxa_throw_bad_array_new_length",
    "__longjmp_chk",
    "__stack_chk_fail",
    "_exit",
    "abort",
    "exit",
    "longjmp",
    "pthread_exit",
    "quick_exit",
    "siglongjmp",
};

}  // namespace

bool can_return(const FlowGraph& graph) {
    return graph.blocks.empty() || graph.entries.empty() ||
           std::any_of(graph.blocks.begin(), graph.blocks.end(), [](const Block& block) {
               return block.reached && (block.leaves || block.how == BlockEnd::kCut);
           });
}

bool is_no_return_name(std::string_view linkage_name) {
    const std::string_view bare = linkage_name.substr(0, linkage_name.find('@'));
    return std::binary_search(kNames.begin(), kNames.end(), bare);
}

}  // namespace kymo::program
