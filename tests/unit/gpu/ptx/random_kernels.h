// Random kernels, and what each lane of them computes, one lane at a time: for tests of the executor alone.
//
// A kernel has registers of 16, 32 and 64 bits, some of them for a few statements only, and predicates, arithmetic on
// and between them, products of twice their width and sums of these, conversions, guarded instructions, branches and
// loops that lanes take differently, calls of functions (also of one that calls itself), and between statements in
// which all lanes take part, votes and shuffles, of all lanes and of two groups that a predicate makes, together or
// each on its side of a branch. At its end each lane stores all registers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace kymo::gpu::ptx::random_kernels {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kOfEach = 3;        // registers of each width that are stored at the end
inline constexpr unsigned kTemporaries = 60;  // further ones, each used in one body of statements alone
inline constexpr unsigned kPredicates = 3;
inline constexpr unsigned kWords = 3 * kOfEach + 1;  // a lane's results: its registers and, as bits, its predicates

// What a lane has; values of narrow registers have no bits above their width.
struct Lane {
    std::array<std::array<std::uint64_t, kOfEach + kTemporaries>, 3> value{};  // by width: 16, 32, 64
    std::array<bool, kPredicates> predicate{};
};

// A register or a constant.
struct Term {
    unsigned width = 0;  // 0: 16 bits, 1: 32, 2: 64
    int number = -1;     // -1: a constant
    std::uint64_t constant = 0;
};

struct Statement;
using Body = std::vector<Statement>;

struct Statement {
    enum class Kind {
        kOperation,
        kConvert,
        kCompare,
        kSelect,
        kIf,
        kLoop,
        kCall,
        kVote,
        kShuffle,
        kMembers,
        kProduct
    };
    Kind kind = Kind::kOperation;
    unsigned operation = 0;  // of its kind's
    bool is_signed = false;
    Term to;
    Term a;
    Term b;
    Term c;
    unsigned predicate = 0;  // that is tested or set
    bool is_negated = false;
    bool is_guarded = false;  // an operation under the predicate
    unsigned function = 0;    // called
    std::uint32_t trips = 0;  // of a loop, beyond what the lanes have
    Body body;                // of a loop; where the predicate holds
    Body other;               // where it does not
};

struct Kernel {
    std::vector<Body>
        functions;  // each of (b32 a, b64 b) that gives b64: register 0 of 32 and of 64 bits, and the latter
    Body body;
};

Kernel make(std::uint64_t seed);
std::string text_of(const Kernel& kernel);
// What lanes store, kWords each.
std::vector<std::uint64_t> results_of(const Kernel& kernel);

}  // namespace kymo::gpu::ptx::random_kernels
