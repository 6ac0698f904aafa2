// A handler's settings for its operation beyond the operands: a byte, whose meaning depends on the family of
// instructions.
//
// Contract: the selector sets the member of the operation's family, and only that member is read. Plain data of
// one byte (warp.h gives the reason); a member costs as much as the mask or comparison that it replaces.
#pragma once

#include <cstdint>

namespace kymo::gpu::ptx {

enum class Rounding : std::uint8_t { kNearest, kZero, kDown, kUp, kAway };  // kAway: .rna
enum class AtomicOp : std::uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange, kCompareSwap };
enum class Combine : std::uint8_t { kNone, kAnd, kOr, kXor };
enum class Permutation : std::uint8_t {
    kSelector,
    kForward4,
    kBackward4,
    kReplicate8,
    kClampLeft,
    kClampRight,
    kReplicate16
};
enum class Property : std::uint8_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };
enum class Shuffle : std::uint8_t { kUp, kDown, kButterfly, kIndex };
enum class Vote : std::uint8_t { kAll, kAny, kUniform, kBallot };

// Operations with an address in a register: loads, stores, atomics, copies, matrices, mbarriers.
struct AddressMode {
    bool wide : 1;        // the register has 64 bits, not 32
    bool generic : 1;     // mbarriers: a generic address, not one of the shared window
    bool by_parity : 1;   // a wait for an mbarrier: for a parity, not for a token's phase
    bool transposed : 1;  // ldmatrix, stmatrix
};

// add.cc, addc, madc and their like.
struct CarryMode {
    bool takes : 1;
    bool gives : 1;
    bool upper : 1;  // half of the product
};

// dp4a, dp2a
struct DotMode {
    bool signed_a : 1;
    bool signed_b : 1;
    bool upper : 1;  // half of b
};

// mul24, mad24
struct Product24Mode {
    bool adds : 1;   // c
    bool upper : 1;  // bits 16 to 47 of the product
};

union Mode {
    Rounding rounding = Rounding::kNearest;  // arithmetic and conversions of floating point
    AddressMode address;
    CarryMode carry;
    DotMode dot;
    AtomicOp reduction;       // redux
    Combine combine;          // setp, set: with a third predicate
    Permutation permutation;  // prmt
    Property property;        // testp
    Shuffle shuffle;          // shfl
    Vote vote;                // vote
    std::uint8_t table;       // lop3: bit k is the result where a, b, c's bits are k
    std::uint8_t width;       // cvt between whole numbers: the result's bits
    Product24Mode product24;  // mul24, mad24
    bool clamps;              // shf: the amount counts at most 32; otherwise it wraps there
    bool wraps;               // bmsk, szext: place and length wrap at 32; otherwise they clamp
    bool as_shift;            // bfind: how far to shift the bit to the top; otherwise where it is
    bool all;                 // match.all, not match.any
    bool wide;                // a clock of 64 bits
};
static_assert(sizeof(Mode) == 1);

}  // namespace kymo::gpu::ptx
