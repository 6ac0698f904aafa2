// Which handler runs a PTX operation of given types: what lanes/*.cpp implement, and how it is requested.
//
// Contract: pure. pick() returns null for an unknown form. The handlers are compiled once for every instruction
// set (namespaces baseline, avx2, avx512); lanes.h chooses.
#pragma once

#include "gpu/ptx/execute/warp.h"
#include "gpu/ptx/parse/module.h"

namespace kymo::gpu::ptx {

enum class Operation : std::uint16_t {
    kNone,
    // arithmetic: d = f(a, b, c)
    kAdd,
    kSub,
    kMul,
    kMulHigh,
    kMulWide,
    kMad,
    kMadHigh,
    kMadWide,
    kMul24,
    kSad,
    kDivide,
    kRemainder,
    kAbsolute,
    kNegate,
    kLeast,
    kGreatest,
    kFma,
    kPopulation,
    kLeadingZeros,
    kFindHigh,
    kReverse,
    kExtract,
    kInsert,
    kMask,
    kExtendSign,
    kFindNth,
    kDotProduct4,
    kDotProduct2,
    kAnd,
    kOr,
    kXor,
    kNot,
    kLogicNot,
    kLogic3,
    kShiftLeft,
    kShiftRight,
    kFunnelLeft,
    kFunnelRight,
    kPermute,
    kAddCarry,
    kAddWithCarry,
    kSubBorrow,
    kSubWithBorrow,
    kMadLowCarry,
    kMadHighCarry,
    kReciprocal,
    kSquareRoot,
    kReciprocalRoot,
    kSine,
    kCosine,
    kLog2,
    kExp2,
    kTanh,
    kCopySign,
    kTestProperty,
    // choice and comparison
    kMove,
    kCompare,
    kCompareSet,
    kSelect,
    kSelectBySign,
    kPredicateMove,
    kPredicateNot,
    kPredicateAnd,
    kPredicateOr,
    kPredicateXor,
    kConvert,
    kConvertPair,
    kConvertTf32,
    kPack,
    kUnpack,  // mov.b32 r, {lo, hi} and back
    // memory
    kLoad,
    kStore,
    kAtomic,
    kReduce,
    kCopyAsync,
    kToGeneric,
    kFromGeneric,
    kIsSpace,
    // the warp together
    kShuffle,
    kVoteAll,
    kVoteAny,
    kVoteUniform,
    kBallot,
    kMatchAny,
    kMatchAll,
    kReduceWarp,
    kActiveMask,
    kElect,
    kMatrixMultiply,
    kMatrixLoad,
    kMatrixStore,
    kMatrixTranspose,
    kRowsLoad,
    kRowsStore,
    kNothing,
    kTrap,
    kClock,
    // mbarriers
    kObjectInit,
    kObjectInvalidate,
    kObjectArrive,
    kObjectExpect,
    kObjectComplete,
    kObjectPending,
    kBulkCopy,
};

enum class Compare : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan };

struct Pick {
    Operation operation = Operation::kNone;
    Type type = Type::kNone;    // of the operation; of the result, where there are two
    Type source = Type::kNone;  // of a conversion's source, of a comparison
    unsigned result_bits = 0;   // registers may be wider than the type: loads, stores, conversions
    unsigned source_bits = 0;
    Compare compare = Compare::kEq;
    AtomicOp atomic = AtomicOp::kAdd;
    StateSpace space = StateSpace::kNone;
    Rounding rounding = Rounding::kNearest;
    bool to_integer = false;  // .rni and its like: the result is a whole number
    bool flush = false;       // .ftz
    bool saturate = false;
    bool approximate = false;
    bool propagate_nan = false;  // min.NaN
    bool relu = false;
    bool xor_sign = false;  // min.xorsign.abs
};

// Op::flags of arithmetic
enum : std::uint8_t {
    kFlushFlag = 1,
    kSaturateFlag = 2,
    kReluFlag = 4,
    kNanFlag = 8,
    kSignFlag = 16,
    kWholeFlag = 32,
    kXorSignFlag = 64
};

Handler pick(const Pick& wanted);

}  // namespace kymo::gpu::ptx
