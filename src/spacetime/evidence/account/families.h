// Run-time tax: what the libraries of the language and the system cost beneath the program's own code, by family; and
// families of slow instructions of that code itself (program/flow/slow_work.h).
//
// One line of the table a pattern, so that a missing one is a line to add. A function's family is that of
// the first pattern that its qualified name (own_code.h) or its module begins with. Names of the C library's inner
// functions are mostly stripped; then the caller's name decides, which is in the table as well.
#pragma once

#include "program/flow/slow_work.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kymo::spacetime {

enum class TaxFamily : std::uint8_t {
    kNone,
    kAllocation,
    kCopying,
    kShifting,
    kFilling,
    kSorting,
    kExceptions,
    kStrings,
    kFormatting,
    kSerialising,
    kRegex,
    kHashing,
    kTasks,
    kLocking,
    kReferenceCounts,
    kInterpreterLock,
    kMessages,
    kInputOutput,
    kClock,
    kDivision,  // from here on: of instructions
    kAtomics,
    kSerialSum,
    kNotVectorised,
    kScalarLoop,
    kStridedAccess,
    kDenormals,
    kFalseSharing,
    kBranches,
    kPointerChasing,
    kRepeated,
    kStartEnd,  // start and end of the run-time libraries themselves: no tax on anything, and nothing to change
};
inline constexpr std::size_t kTaxFamilies = 31;

struct TaxInfo {
    TaxFamily family;
    std::string_view key;        // in JSON and as a finding's kind
    std::string_view words;      // "allocating memory"
    std::string_view direction;  // what to change; one sentence without a full stop
    std::string_view confirm;    // the experiment
    double saves = 1;            // the part of its time that the change saves, taken for the usual case
};

struct TaxPattern {
    std::string_view begin;  // of the qualified name; empty: any function of the module
    TaxFamily family;
    std::string_view module = {};  // beginning of the load image's file name; empty: any
    std::string_view method = {};  // beginning of the name's last part; empty: any. A container's accessors, inlined
                                   // into a loop, are the loop's work
};

// By number of the family.
inline constexpr std::array<TaxInfo, kTaxFamilies> kTaxTable = {{
    {TaxFamily::kNone, "none", "", "", ""},
    {TaxFamily::kAllocation, "small-allocations", "allocating and freeing memory",
     "keep the memory and use it again: reserve once, take objects from a pool, or keep them on the stack",
     "preload another allocator (LD_PRELOAD=libjemalloc.so.2): where the time falls, allocation is the cause"},
    {TaxFamily::kCopying, "copying", "copying",
     "pass by reference or move instead of copying; reserve the final size before filling",
     "take the copy out of the loop, once, and measure again"},
    {TaxFamily::kShifting, "quadratic", "going through elements, or moving them, for one of them",
     "each of these calls goes through all elements, or moves all behind one: find with a hash table, or in a sorted "
     "array (std::lower_bound); insert and erase at the end, or mark elements and erase them together "
     "(std::erase_if); keep the length of a text beside it; keep the elements that something will be due for in "
     "order "
     "(a heap, a list by time), and look at the first alone. Where these are the chains of a hash table, they are "
     "too "
     "long: a hash that mixes all of the key, or more buckets",
     "halve the number of elements: the time of these calls must fall to a quarter"},
    {TaxFamily::kFilling, "clearing-memory", "filling memory with one value",
     "clear only what was written since: keep a list of those places, or mark each entry with the number of the "
     "round "
     "that wrote it; leave out clearing what is written before it is read",
     "clear a tenth of it for one run, even if the result is then wrong: the time must fall"},
    {TaxFamily::kSorting, "sorting", "sorting, comparisons included",
     "sort less: once, behind all changes, and not for each of them; keep the order where few elements change "
     "(insert "
     "in place, a heap); where the first few or the middle are enough, std::nth_element or std::partial_sort; "
     "compare "
     "keys that are at hand in the elements themselves",
     "leave out the sorting for one run, even if the result is then wrong: the time must fall", 0.8},
    {TaxFamily::kExceptions, "exceptions-as-control-flow", "throwing and catching exceptions",
     "return a status (std::optional, an error code) where failing is usual; throw only where it is rare",
     "count throws (catch point in a debugger, or ltrace on __cxa_throw), then replace the most frequent one"},
    {TaxFamily::kStrings, "string-building", "building strings",
     "append to one string that was reserved, or use string views; do not build one where a comparison will do",
     "build the string once before the loop and measure again"},
    {TaxFamily::kFormatting, "formatting", "formatting and parsing text",
     "format only what is shown; std::to_chars and std::from_chars do without locales and streams",
     "leave out the formatting (write a constant) and measure again"},
    {TaxFamily::kSerialising, "serialising", "turning objects into bytes and back (pickle, JSON, archives)",
     "send or store less: what does not change once, not with every message; an index or a name instead of the "
     "object; "
     "numbers as arrays (array, numpy, shared memory)",
     "send a small constant instead, even if the result is then wrong, and measure again"},
    {TaxFamily::kRegex, "regular-expressions", "regular expressions",
     "compile the expression once, outside the loop; search for plain text where there is no pattern",
     "make the expression static const and measure again"},
    {TaxFamily::kHashing, "hashing", "hash tables",
     "reserve buckets, look a key up once, or use a sorted vector or an index where keys are dense",
     "reserve the table's final size before filling, and measure again"},
    {TaxFamily::kTasks, "fine-grained-tasks", "the run time's handling of tasks and teams",
     "make tasks larger: many items each, at least some 10 µs of work; one parallel region around the loop",
     "double the work of a task (a grain size, a cut-off) and measure again"},
    {TaxFamily::kLocking, "locking-overhead", "taking and releasing locks",
     "lock once around several items, or give each thread data of its own that is joined at the end",
     "take the lock once for ten items and measure again"},
    {TaxFamily::kReferenceCounts, "reference-counting", "counting references",
     "pass shared pointers by reference, or hand out plain references where the owner outlives them",
     "pass by const reference in the hot call and measure again"},
    {TaxFamily::kInterpreterLock, "interpreter-lock", "the interpreter's lock",
     "use processes instead of threads for work in the interpreter",
     "run the same work with one thread: if it takes as long, the lock is the cause"},
    {TaxFamily::kMessages, "message-overhead", "the message library's own work",
     "send fewer, larger messages; overlap them with work", "send two messages as one and measure again"},
    {TaxFamily::kInputOutput, "io-overhead", "the input and output library",
     "use larger buffers; do not flush after each line (std::endl)",
     "set a larger buffer (setvbuf) and measure again"},
    {TaxFamily::kClock, "reading-clocks", "reading the clock", "read the clock once a batch",
     "take the clock reading out of the loop and measure again"},
    {TaxFamily::kDivision, "division-bound", "dividing",
     "multiply by the reciprocal, computed once outside the loop; use a shift or a mask where the divisor is a power "
     "of two, a subtraction where a remainder only wraps around",
     "replace the division by a multiplication for one run: the time must fall even if the result is then wrong",
     0.7},
    {TaxFamily::kAtomics, "atomic-contention", "changing memory by atomic instructions",
     "let each thread change a variable of its own, a cache line apart from the others', and join them at the end; "
     "change a shared one once a batch",
     "give each thread a variable of its own for one run: the time must fall"},
    {TaxFamily::kSerialSum, "latency-chain",
     "adding to one number, or multiplying it, each time after the step before",
     "keep several sums by turns (four, or one for each place of a vector) and add them up at the end, or allow the "
     "compiler to: -fassociative-math, or #pragma omp simd reduction; the last digits of the result may change; of a "
     "polynomial, compute the even and the odd powers apart",
     "add the even elements to one sum and the odd ones to another: the loop must take half as long", 0.6},
    {TaxFamily::kNotVectorised, "not-vectorised", "computing one number at a time in loops that vectors could do",
     "let the compiler use vectors: -O3 -march=native; restrict or #pragma omp simd where arrays do not overlap; for "
     "sums -fassociative-math, or several sums by turns",
     "compile with -O3 -march=native -fopt-info-vec-missed (GCC; -Rpass-missed=loop-vectorize for Clang): it says "
     "what "
     "keeps the loop from vectors",
     0.5},
    {TaxFamily::kScalarLoop, "scalar-loop", "computing one number at a time, as fast as memory may allow",
     "if the data is in a cache, let the compiler use vectors: -O3 -march=native", "compile with -O3 -march=native"},
    {TaxFamily::kStridedAccess, "strided-access", "reading or writing memory with a stride of a cache line and more",
     "exchange the loops so that the innermost one goes through memory in order; keep what is read together in one "
     "array of its own; work in blocks that fit the cache",
     "exchange the loops, or read from a compact copy, and measure again"},
    {TaxFamily::kDenormals, "denormals", "computing with denormal numbers, too small for the usual form",
     "let them be zero: set flush-to-zero and denormals-are-zero in each thread that computes "
     "(_MM_SET_FLUSH_ZERO_MODE, "
     "_MM_SET_DENORMALS_ZERO_MODE; -ffast-math sets them at the program's start), or stop where values fall below "
     "what matters",
     "set flush-to-zero and denormals-are-zero at the start of each thread, for one run: the time must fall", 0.9},
    {TaxFamily::kFalseSharing, "false-sharing",
     "using memory next to what another thread changes, in one cache line with it",
     "keep what different threads change a cache line apart: alignas(64), padding, or variables of the thread's own "
     "that are joined at the end",
     "align each thread's part to 128 bytes for one run: the time must fall", 0.8},
    {TaxFamily::kBranches, "unpredictable-branches", "code that waits for branches that were predicted wrongly",
     "replace the branch by arithmetic (a conditional move, a table, a mask), or order the data so that the branch "
     "goes one "
     "way for long: sort by its condition, handle both cases in loops of their own",
     "sort the data by the branch's condition for one run: the same work must take less time", 0.5},
    {TaxFamily::kPointerChasing, "latency-chain", "following pointers, one load after the other",
     "keep the elements in an array and go through it in order; follow several chains by turns; make the nodes "
     "smaller and allocate them together",
     "copy the chain's data into an array, go through that, and measure again"},
    {TaxFamily::kRepeated, "repeated-work", "computing again what was computed before",
     "compute it once before the loop and keep the result; of a recurrence, keep each result in a table by its "
     "arguments (memoisation), or fill the table from the smallest on",
     "keep the result of the last arguments in a variable for one run: the time must fall", 0.9},
    {TaxFamily::kStartEnd, "start-and-end", "start and end of run-time libraries", "", ""},
}};

constexpr const TaxInfo& info_of(TaxFamily family) {
    return kTaxTable[static_cast<std::size_t>(family)];
}

constexpr bool is_of_instructions(TaxFamily family) {
    return family >= TaxFamily::kDivision && family <= TaxFamily::kRepeated;
}

// Of instructions that are slow for what they work on (operands/slow_operands.h).
constexpr bool is_of_operands(TaxFamily family) {
    return family == TaxFamily::kDenormals || family == TaxFamily::kFalseSharing;
}

// Of instructions that ran late, as branch stacks show (operands/late_code.h).
constexpr bool is_of_branches(TaxFamily family) {
    return family == TaxFamily::kBranches;
}

TaxFamily family_of(program::SlowWork work);
// `function` as in the source, with parameters; `module`: the load image's file name. Pure; one comparison a pattern.
TaxFamily family_of(std::string_view function, std::string_view module);

}  // namespace kymo::spacetime
