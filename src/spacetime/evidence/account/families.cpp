#include "spacetime/evidence/account/families.h"

#include "spacetime/profile/own_code.h"

#include <algorithm>
#include <array>

namespace kymo::spacetime {
namespace {

using F = TaxFamily;

// In order. Beginnings of qualified names.
constexpr std::array kPatterns = {
    // Start and end.
    TaxPattern{"MPI_Init", F::kStartEnd},
    TaxPattern{"PMPI_Init", F::kStartEnd},
    TaxPattern{"mpi_init", F::kStartEnd},
    TaxPattern{"MPI_Finalize", F::kStartEnd},
    TaxPattern{"PMPI_Finalize", F::kStartEnd},
    TaxPattern{"mpi_finalize", F::kStartEnd},
    TaxPattern{"Py_Initialize", F::kStartEnd},
    TaxPattern{"Py_Finalize", F::kStartEnd},
    TaxPattern{"pymain_init", F::kStartEnd},
    TaxPattern{"_dl_start", F::kStartEnd},
    TaxPattern{"_dl_init", F::kStartEnd},
    TaxPattern{"_dl_fini", F::kStartEnd},
    TaxPattern{"_dl_runtime_resolve", F::kStartEnd},
    TaxPattern{"_dl_", F::kStartEnd},
    TaxPattern{"dlopen", F::kStartEnd},
    TaxPattern{"__run_exit_handlers", F::kStartEnd},
    TaxPattern{"exit", F::kStartEnd, "libc"},
    // Exceptions. dl_iterate_phdr finds the tables of each frame.
    TaxPattern{"_Unwind_", F::kExceptions},
    TaxPattern{"__cxa_throw", F::kExceptions},
    TaxPattern{"__cxa_rethrow", F::kExceptions},
    TaxPattern{"__cxa_allocate_exception", F::kExceptions},
    TaxPattern{"__cxa_free_exception", F::kExceptions},
    TaxPattern{"__cxa_begin_catch", F::kExceptions},
    TaxPattern{"__cxa_end_catch", F::kExceptions},
    TaxPattern{"__cxa_get_globals", F::kExceptions},
    TaxPattern{"__cxa_get_exception", F::kExceptions},
    TaxPattern{"__gxx_personality", F::kExceptions},
    TaxPattern{"dl_iterate_phdr", F::kExceptions},
    TaxPattern{"_dl_find_object", F::kExceptions},
    TaxPattern{"std::rethrow_exception", F::kExceptions},
    // CPython's.
    TaxPattern{"PyErr_", F::kExceptions},
    TaxPattern{"_PyErr_", F::kExceptions},
    TaxPattern{"PyTraceBack_", F::kExceptions},
    TaxPattern{"_PyTraceBack_", F::kExceptions},
    TaxPattern{"tb_dealloc", F::kExceptions},
    TaxPattern{"tb_create_raw", F::kExceptions},
    TaxPattern{"PyException_", F::kExceptions},
    TaxPattern{"BaseException_", F::kExceptions},
    TaxPattern{"std::exception", F::kExceptions},
    TaxPattern{"std::runtime_error", F::kExceptions},
    TaxPattern{"std::logic_error", F::kExceptions},
    TaxPattern{"std::out_of_range", F::kExceptions},
    TaxPattern{"std::__throw_", F::kExceptions},
    // Of libgcc's named functions most compute what the processor has no instruction for.
    TaxPattern{"__gcc_personality", F::kExceptions},
    TaxPattern{"__register_frame", F::kExceptions},
    TaxPattern{"__deregister_frame", F::kExceptions},
    TaxPattern{"__divti3", F::kDivision},
    TaxPattern{"__modti3", F::kDivision},
    TaxPattern{"__divmodti4", F::kDivision},
    TaxPattern{"__udivti3", F::kDivision},
    TaxPattern{"__umodti3", F::kDivision},
    TaxPattern{"__udivmodti4", F::kDivision},
    TaxPattern{"__", F::kNone, "libgcc_s"},
    TaxPattern{"", F::kExceptions, "libgcc_s"},
    // Regular expressions.
    TaxPattern{"std::regex", F::kRegex},
    TaxPattern{"std::__cxx11::regex", F::kRegex},
    TaxPattern{"std::__cxx11::basic_regex", F::kRegex},
    TaxPattern{"std::__cxx11::sub_match", F::kRegex},
    TaxPattern{"std::__cxx11::match_results", F::kRegex},
    TaxPattern{"std::basic_regex", F::kRegex},
    TaxPattern{"std::__detail::_Executor", F::kRegex},
    TaxPattern{"std::__detail::_Compiler", F::kRegex},
    TaxPattern{"std::__detail::_Scanner", F::kRegex},
    TaxPattern{"std::__detail::_NFA", F::kRegex},
    TaxPattern{"std::__detail::_BracketMatcher", F::kRegex},
    TaxPattern{"std::__detail::_AnyMatcher", F::kRegex},
    TaxPattern{"std::__detail::__regex", F::kRegex},
    TaxPattern{"regexec", F::kRegex},
    TaxPattern{"regcomp", F::kRegex},
    TaxPattern{"re_search", F::kRegex},
    TaxPattern{"pcre", F::kRegex},
    TaxPattern{"", F::kRegex, "libpcre"},
    // Locks of OpenMP, before what else is in its libraries. Their other names are those of debug information.
    TaxPattern{"omp_set_lock", F::kLocking},
    TaxPattern{"omp_unset_lock", F::kLocking},
    TaxPattern{"omp_test_lock", F::kLocking},
    TaxPattern{"omp_set_nest_lock", F::kLocking},
    TaxPattern{"omp_unset_nest_lock", F::kLocking},
    TaxPattern{"omp_test_nest_lock", F::kLocking},
    TaxPattern{"gomp_set_lock", F::kLocking},
    TaxPattern{"gomp_unset_lock", F::kLocking},
    TaxPattern{"gomp_test_lock", F::kLocking},
    TaxPattern{"gomp_set_nest_lock", F::kLocking},
    TaxPattern{"gomp_unset_nest_lock", F::kLocking},
    TaxPattern{"gomp_test_nest_lock", F::kLocking},
    TaxPattern{"GOMP_critical", F::kLocking},
    TaxPattern{"__kmpc_critical", F::kLocking},
    TaxPattern{"__kmpc_end_critical", F::kLocking},
    TaxPattern{"__kmpc_set_lock", F::kLocking},
    TaxPattern{"__kmpc_unset_lock", F::kLocking},
    TaxPattern{"__kmpc_test_lock", F::kLocking},
    // Tasks and teams.
    TaxPattern{"GOMP_task", F::kTasks},
    TaxPattern{"GOMP_parallel", F::kTasks},
    TaxPattern{"GOMP_loop", F::kTasks},
    TaxPattern{"gomp_", F::kTasks},
    TaxPattern{"__kmpc_omp_task", F::kTasks},
    TaxPattern{"__kmp", F::kTasks},
    TaxPattern{"std::async", F::kTasks},
    TaxPattern{"std::__future_base", F::kTasks},
    TaxPattern{"std::promise", F::kTasks},
    TaxPattern{"std::packaged_task", F::kTasks},
    TaxPattern{"std::thread::thread", F::kTasks},
    TaxPattern{"std::thread::_M_start_thread", F::kTasks},
    TaxPattern{"std::jthread", F::kTasks},
    TaxPattern{"pthread_create", F::kTasks},
    TaxPattern{"pthread_join", F::kTasks},
    TaxPattern{"tbb::", F::kTasks},
    TaxPattern{"", F::kTasks, "libgomp"},
    TaxPattern{"", F::kTasks, "libomp"},
    TaxPattern{"", F::kTasks, "libiomp5"},
    TaxPattern{"", F::kTasks, "libtbb."},
    // Messages.
    TaxPattern{"MPI_", F::kMessages},
    TaxPattern{"PMPI_", F::kMessages},
    TaxPattern{"", F::kMessages, "libmpi"},
    TaxPattern{"", F::kMessages, "libopen-pal"},
    TaxPattern{"", F::kMessages, "libopen-rte"},
    TaxPattern{"", F::kMessages, "libpmix"},
    TaxPattern{"", F::kMessages, "libuc"},
    TaxPattern{"", F::kMessages, "mca_"},
    // The interpreter's lock.
    TaxPattern{"take_gil", F::kInterpreterLock},
    TaxPattern{"drop_gil", F::kInterpreterLock},
    TaxPattern{"PyEval_RestoreThread", F::kInterpreterLock},
    TaxPattern{"PyEval_SaveThread", F::kInterpreterLock},
    // Formatting and parsing.
    TaxPattern{"printf", F::kFormatting},
    TaxPattern{"fprintf", F::kFormatting},
    TaxPattern{"sprintf", F::kFormatting},
    TaxPattern{"snprintf", F::kFormatting},
    TaxPattern{"__snprintf", F::kFormatting},
    TaxPattern{"__vsnprintf", F::kFormatting},
    TaxPattern{"vsnprintf", F::kFormatting},
    TaxPattern{"vfprintf", F::kFormatting},
    TaxPattern{"__vfprintf", F::kFormatting},
    TaxPattern{"__printf", F::kFormatting},
    TaxPattern{"__fprintf_chk", F::kFormatting},
    TaxPattern{"__sprintf_chk", F::kFormatting},
    TaxPattern{"__snprintf_chk", F::kFormatting},
    TaxPattern{"sscanf", F::kFormatting},
    TaxPattern{"__isoc99_", F::kFormatting},
    TaxPattern{"strtod", F::kFormatting},
    TaxPattern{"strtol", F::kFormatting},
    TaxPattern{"strtoul", F::kFormatting},
    TaxPattern{"___strto", F::kFormatting},
    TaxPattern{"atoi", F::kFormatting},
    TaxPattern{"atof", F::kFormatting},
    TaxPattern{"std::__cxx11::to_string", F::kFormatting},
    TaxPattern{"std::to_string", F::kFormatting},
    TaxPattern{"std::__detail::__to_chars", F::kFormatting},
    TaxPattern{"std::stoi", F::kFormatting},
    TaxPattern{"std::stol", F::kFormatting},
    TaxPattern{"std::stod", F::kFormatting},
    TaxPattern{"std::__cxx11::sto", F::kFormatting},
    TaxPattern{"__gnu_cxx::__stoa", F::kFormatting},
    TaxPattern{"__gnu_cxx::__to_xstring", F::kFormatting},
    TaxPattern{"std::num_put", F::kFormatting},
    TaxPattern{"std::num_get", F::kFormatting},
    TaxPattern{"std::__ostream_insert", F::kFormatting},
    TaxPattern{"std::ostream::", F::kFormatting},
    TaxPattern{"std::basic_ostream", F::kFormatting},
    TaxPattern{"std::istream::", F::kFormatting},
    TaxPattern{"std::basic_istream", F::kFormatting},
    TaxPattern{"std::operator<< ", F::kFormatting},
    TaxPattern{"std::operator>> ", F::kFormatting},
    TaxPattern{"std::__cxx11::basic_stringbuf", F::kFormatting},
    TaxPattern{"std::__cxx11::basic_stringstream", F::kFormatting},
    TaxPattern{"std::__cxx11::basic_ostringstream", F::kFormatting},
    TaxPattern{"std::__cxx11::basic_istringstream", F::kFormatting},
    TaxPattern{"std::locale", F::kFormatting},
    TaxPattern{"std::use_facet", F::kFormatting},
    TaxPattern{"std::ios_base", F::kFormatting},
    TaxPattern{"std::basic_ios", F::kFormatting},
    TaxPattern{"strftime", F::kFormatting},
    TaxPattern{"fmt::", F::kFormatting},
    TaxPattern{"std::format", F::kFormatting},
    // Input and output.
    TaxPattern{"fread", F::kInputOutput},
    TaxPattern{"fwrite", F::kInputOutput},
    TaxPattern{"fflush", F::kInputOutput},
    TaxPattern{"fputs", F::kInputOutput},
    TaxPattern{"fputc", F::kInputOutput},
    TaxPattern{"fgets", F::kInputOutput},
    TaxPattern{"fgetc", F::kInputOutput},
    TaxPattern{"getc", F::kInputOutput},
    TaxPattern{"putc", F::kInputOutput},
    TaxPattern{"puts", F::kInputOutput},
    TaxPattern{"getline", F::kInputOutput},
    TaxPattern{"getdelim", F::kInputOutput},
    TaxPattern{"fopen", F::kInputOutput},
    TaxPattern{"fclose", F::kInputOutput},
    TaxPattern{"_IO_", F::kInputOutput},
    TaxPattern{"std::basic_filebuf", F::kInputOutput},
    TaxPattern{"std::basic_ofstream", F::kInputOutput},
    TaxPattern{"std::basic_ifstream", F::kInputOutput},
    TaxPattern{"std::basic_fstream", F::kInputOutput},
    TaxPattern{"__gnu_cxx::stdio_", F::kInputOutput},
    TaxPattern{"std::getline", F::kInputOutput},
    TaxPattern{"std::endl", F::kInputOutput},
    TaxPattern{"std::flush", F::kInputOutput},
    // Strings.
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "_M_append"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "_M_mutate"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "_M_create"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "_M_assign"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "_M_replace"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "_M_construct"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "_M_erase"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "append"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "assign"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "reserve"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "resize"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "basic_string"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "operator+="},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "operator="},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "push_back"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "substr"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "insert"},
    TaxPattern{"std::__cxx11::basic_string<", F::kStrings, {}, "replace"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "_M_append"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "_M_mutate"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "_M_create"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "_M_assign"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "_M_replace"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "_M_construct"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "_M_erase"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "append"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "assign"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "reserve"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "resize"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "basic_string"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "operator+="},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "operator="},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "push_back"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "substr"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "insert"},
    TaxPattern{"std::basic_string<", F::kStrings, {}, "replace"},
    TaxPattern{"std::operator+", F::kStrings},
    TaxPattern{"std::__str_concat", F::kStrings},
    TaxPattern{"strdup", F::kStrings},
    TaxPattern{"strcat", F::kStrings},
    TaxPattern{"strncat", F::kStrings},
    // Hash tables.
    TaxPattern{"std::_Hash_bytes", F::kHashing},
    TaxPattern{"std::_Hashtable", F::kHashing},
    TaxPattern{"std::unordered_", F::kHashing},
    TaxPattern{"std::__detail::_Hashtable", F::kHashing},
    TaxPattern{"std::__detail::_Map_base", F::kHashing},
    TaxPattern{"std::__detail::_Insert", F::kHashing},
    TaxPattern{"std::__detail::_Hash_node", F::kHashing},
    TaxPattern{"std::__detail::_Mod_range", F::kHashing},
    TaxPattern{"std::__detail::_Prime_rehash", F::kHashing},
    TaxPattern{"std::hash<", F::kHashing},
    TaxPattern{"hsearch", F::kHashing},
    // References.
    TaxPattern{"std::_Sp_counted", F::kReferenceCounts},
    TaxPattern{"std::__shared_count", F::kReferenceCounts},
    TaxPattern{"std::__shared_ptr<", F::kReferenceCounts, {}, "__shared_ptr"},
    TaxPattern{"std::__shared_ptr<", F::kReferenceCounts, {}, "~"},
    TaxPattern{"std::__shared_ptr<", F::kReferenceCounts, {}, "operator="},
    TaxPattern{"std::shared_ptr<", F::kReferenceCounts, {}, "shared_ptr"},
    TaxPattern{"std::shared_ptr<", F::kReferenceCounts, {}, "~"},
    TaxPattern{"std::shared_ptr<", F::kReferenceCounts, {}, "operator="},
    TaxPattern{"std::__weak", F::kReferenceCounts},
    TaxPattern{"__gnu_cxx::__exchange_and_add", F::kReferenceCounts},
    // Locks.
    TaxPattern{"pthread_mutex_", F::kLocking},
    TaxPattern{"__pthread_mutex_", F::kLocking},
    TaxPattern{"pthread_rwlock_", F::kLocking},
    TaxPattern{"__pthread_rwlock_", F::kLocking},
    TaxPattern{"pthread_spin_", F::kLocking},
    TaxPattern{"mtx_", F::kLocking, "libc"},
    TaxPattern{"pthread_cond_", F::kLocking},
    TaxPattern{"__pthread_cond_", F::kLocking},
    TaxPattern{"pthread_barrier_", F::kLocking},
    TaxPattern{"__lll_lock", F::kLocking},
    TaxPattern{"sem_", F::kLocking},
    TaxPattern{"__new_sem_", F::kLocking},
    TaxPattern{"std::mutex", F::kLocking},
    TaxPattern{"std::lock_guard", F::kLocking},
    TaxPattern{"std::unique_lock", F::kLocking},
    TaxPattern{"std::scoped_lock", F::kLocking},
    TaxPattern{"std::shared_mutex", F::kLocking},
    TaxPattern{"std::shared_lock", F::kLocking},
    TaxPattern{"std::recursive_mutex", F::kLocking},
    TaxPattern{"std::condition_variable", F::kLocking},
    TaxPattern{"__gthread_mutex_", F::kLocking},
    TaxPattern{"std::__atomic_semaphore", F::kLocking},
    // Elements that make room. What inserts at the end moves none, so that the inner functions decide.
    TaxPattern{"std::vector<", F::kNone, {}, "_M_erase_at_end"},
    TaxPattern{"std::vector<", F::kNone, {}, "_M_insert_rval"},
    TaxPattern{"std::vector<", F::kShifting, {}, "erase"},
    TaxPattern{"std::vector<", F::kShifting, {}, "_M_erase"},
    TaxPattern{"std::vector<", F::kShifting, {}, "_M_insert_aux"},
    TaxPattern{"std::deque<", F::kShifting, {}, "erase"},
    TaxPattern{"std::deque<", F::kShifting, {}, "_M_insert_aux"},
    // Going through elements for one of them, or through a text for its end.
    TaxPattern{"std::find", F::kShifting},
    TaxPattern{"std::__find", F::kShifting},
    TaxPattern{"std::count", F::kShifting},
    TaxPattern{"std::__count", F::kShifting},
    TaxPattern{"strlen", F::kShifting},
    TaxPattern{"__strlen", F::kShifting},
    // Copies. A vector's growth copies all that it holds.
    TaxPattern{"memcpy", F::kCopying},
    TaxPattern{"memmove", F::kCopying},
    TaxPattern{"mempcpy", F::kCopying},
    TaxPattern{"__memcpy", F::kCopying},
    TaxPattern{"__memmove", F::kCopying},
    TaxPattern{"__mempcpy", F::kCopying},
    TaxPattern{"memset", F::kFilling},
    TaxPattern{"__memset", F::kFilling},
    TaxPattern{"explicit_bzero", F::kFilling},
    TaxPattern{"std::fill", F::kFilling},
    TaxPattern{"std::__fill", F::kFilling},
    TaxPattern{"strcpy", F::kCopying},
    TaxPattern{"strncpy", F::kCopying},
    TaxPattern{"std::__copy_move", F::kCopying},
    TaxPattern{"std::copy", F::kCopying},
    TaxPattern{"std::uninitialized_copy", F::kCopying},
    TaxPattern{"std::__uninitialized_copy", F::kCopying},
    TaxPattern{"std::__do_uninit_copy", F::kCopying},
    TaxPattern{"std::__relocate_a", F::kCopying},
    TaxPattern{"std::vector<", F::kCopying, {}, "_M_realloc"},
    TaxPattern{"std::vector<", F::kCopying, {}, "_M_default_append"},
    TaxPattern{"std::vector<", F::kCopying, {}, "_M_fill"},
    TaxPattern{"std::vector<", F::kCopying, {}, "_M_range"},
    TaxPattern{"std::vector<", F::kCopying, {}, "_M_insert"},
    TaxPattern{"std::vector<", F::kCopying, {}, "_M_assign"},
    TaxPattern{"std::vector<", F::kCopying, {}, "operator="},
    TaxPattern{"std::vector<", F::kCopying, {}, "vector"},
    TaxPattern{"std::vector<", F::kCopying, {}, "assign"},
    TaxPattern{"std::vector<", F::kCopying, {}, "resize"},
    TaxPattern{"std::deque<", F::kCopying, {}, "_M_reallocate"},
    TaxPattern{"std::deque<", F::kCopying, {}, "operator="},
    TaxPattern{"std::deque<", F::kCopying, {}, "deque"},
    // Memory.
    TaxPattern{"operator new", F::kAllocation},
    TaxPattern{"operator delete", F::kAllocation},
    TaxPattern{"malloc", F::kAllocation},
    TaxPattern{"calloc", F::kAllocation},
    TaxPattern{"realloc", F::kAllocation},
    TaxPattern{"free", F::kAllocation, "libc"},
    TaxPattern{"cfree", F::kAllocation},
    TaxPattern{"__libc_malloc", F::kAllocation},
    TaxPattern{"__libc_calloc", F::kAllocation},
    TaxPattern{"__libc_realloc", F::kAllocation},
    TaxPattern{"__libc_free", F::kAllocation},
    TaxPattern{"_int_malloc", F::kAllocation},
    TaxPattern{"_int_free", F::kAllocation},
    TaxPattern{"_int_realloc", F::kAllocation},
    TaxPattern{"sysmalloc", F::kAllocation},
    TaxPattern{"systrim", F::kAllocation},
    TaxPattern{"unlink_chunk", F::kAllocation},
    TaxPattern{"tcache_", F::kAllocation},
    TaxPattern{"posix_memalign", F::kAllocation},
    TaxPattern{"aligned_alloc", F::kAllocation},
    TaxPattern{"brk", F::kAllocation, "libc"},
    TaxPattern{"sbrk", F::kAllocation, "libc"},
    TaxPattern{"std::allocator<", F::kAllocation, {}, "allocate"},
    TaxPattern{"std::allocator<", F::kAllocation, {}, "deallocate"},
    TaxPattern{"std::allocator_traits<", F::kAllocation, {}, "allocate"},
    TaxPattern{"std::allocator_traits<", F::kAllocation, {}, "deallocate"},
    TaxPattern{"__gnu_cxx::new_allocator<", F::kAllocation, {}, "allocate"},
    TaxPattern{"__gnu_cxx::new_allocator<", F::kAllocation, {}, "deallocate"},
    TaxPattern{"std::__new_allocator<", F::kAllocation, {}, "allocate"},
    TaxPattern{"std::__new_allocator<", F::kAllocation, {}, "deallocate"},
    TaxPattern{"std::_Rb_tree<", F::kAllocation, {}, "_M_create_node"},
    TaxPattern{"std::_Rb_tree<", F::kAllocation, {}, "_M_get_node"},
    TaxPattern{"std::_Rb_tree<", F::kAllocation, {}, "_M_put_node"},
    TaxPattern{"std::_Rb_tree<", F::kAllocation, {}, "_M_drop_node"},
    TaxPattern{"std::_Rb_tree<", F::kAllocation, {}, "_M_erase"},
    TaxPattern{"std::__cxx11::list<", F::kAllocation, {}, "_M_create_node"},
    TaxPattern{"std::__cxx11::_List_base<", F::kAllocation, {}, "_M_clear"},
    TaxPattern{"std::__cxx11::_List_base<", F::kAllocation, {}, "_M_get_node"},
    TaxPattern{"std::make_unique", F::kAllocation},
    TaxPattern{"", F::kAllocation, "libjemalloc"},
    TaxPattern{"", F::kAllocation, "libtcmalloc"},
    TaxPattern{"", F::kAllocation, "libmimalloc"},
    // Clocks.
    TaxPattern{"clock_gettime", F::kClock},
    TaxPattern{"__clock_gettime", F::kClock},
    TaxPattern{"__vdso_clock_gettime", F::kClock},
    TaxPattern{"gettimeofday", F::kClock},
    TaxPattern{"std::chrono::_V2::", F::kClock},
    TaxPattern{"", F::kClock, "[vdso]"},
};

// "std::vector<a::b>::push_back": "push_back".
std::string_view last_part(std::string_view name) {
    std::size_t depth = 0;
    for (std::size_t at = name.size(); at-- > 0;) {
        if (name[at] == '>' && !name.substr(0, at).ends_with("operator-") &&
            !name.substr(0, at).ends_with("operator")) {
            ++depth;
        } else if (name[at] == '<' && depth > 0) {
            --depth;
        } else if (name[at] == ':' && depth == 0) {
            return name.substr(at + 1);
        }
    }
    return name;
}

}  // namespace

TaxFamily family_of(program::SlowWork work) {
    switch (work) {
        case program::SlowWork::kDivision:
            return TaxFamily::kDivision;
        case program::SlowWork::kAtomic:
            return TaxFamily::kAtomics;
        case program::SlowWork::kSerialSum:
            return TaxFamily::kSerialSum;
        case program::SlowWork::kScalarWork:
            return TaxFamily::kNotVectorised;
        case program::SlowWork::kScalarLoop:
            return TaxFamily::kScalarLoop;
        case program::SlowWork::kStridedLoad:
            return TaxFamily::kStridedAccess;
        case program::SlowWork::kChainedLoad:
            return TaxFamily::kPointerChasing;
        case program::SlowWork::kSearch:
            return TaxFamily::kShifting;
        case program::SlowWork::kSearchByCall:
        case program::SlowWork::kNone:
            break;
    }
    return TaxFamily::kNone;
}

TaxFamily family_of(std::string_view function, std::string_view module) {
    std::string_view name = qualified_name(function);
    // The C library's other names for its own use: "__GI___libc_free", "___pthread_cond_signal".
    name.remove_prefix(name.starts_with("__GI_") ? 5 : 0);
    name.remove_prefix(name.starts_with("___") ? 1 : 0);
    const std::string_view method = last_part(name);
    const auto found = std::find_if(kPatterns.begin(), kPatterns.end(), [&](const TaxPattern& pattern) {
        return module.starts_with(pattern.module) && name.starts_with(pattern.begin) &&
               method.starts_with(pattern.method);
    });
    return found == kPatterns.end() ? TaxFamily::kNone : found->family;
}

}  // namespace kymo::spacetime
