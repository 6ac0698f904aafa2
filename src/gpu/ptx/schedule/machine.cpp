#include "gpu/ptx/schedule/machine.h"

#include <algorithm>

namespace kymo::gpu::ptx {
namespace {

using Opcodes = std::vector<std::string>;

Opcodes repeated(const char* opcode, std::size_t count) {
    return Opcodes(count, opcode);
}

Opcodes joined(Opcodes first, const Opcodes& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

bool is_double(Type type) {
    return type == Type::kF64;
}
bool is_half(Type type) {
    return type == Type::kF16 || type == Type::kF16x2 || type == Type::kBf16 || type == Type::kBf16x2;
}

const char* of_float(Type type, const char* single, const char* twice, const char* half) {
    return is_double(type) ? twice : is_half(type) ? half : single;
}

Opcodes division(const Draft& draft) {
    const Type type = draft.pick.type;
    if (is_double(type)) {
        return joined({"MUFU.RCP64H"}, repeated("DFMA", 9));
    }
    if (type == Type::kF32) {
        return draft.pick.approximate ? Opcodes{"MUFU.RCP", "FMUL"}
                                      : joined({"MUFU.RCP", "FCHK"}, joined(repeated("FFMA", 6), {"BRA"}));
    }
    if (bytes(type) == 8) {  // a called routine
        return joined(joined({"I2F.U64.RP", "MUFU.RCP", "IADD3", "F2I.U64.TRUNC"}, repeated("IMAD.WIDE.U32", 12)),
                      joined(repeated("IADD3.X", 14), repeated("ISETP.GE.U32.AND", 4)));
    }
    return {"I2F.RP",      "MUFU.RCP", "IADD3", "F2I.FTZ.U32.TRUNC.NTZ", "IMAD.MOV", "IMAD",  "IMAD.HI.U32",
            "IMAD.HI.U32", "IMAD.MOV", "IMAD",  "ISETP.GT.U32.AND",      "IADD3",    "IADD3", "ISETP.GE.U32.AND",
            "LOP3.LUT",    "IADD3",    "SEL"};
}

Opcodes root(const Draft& draft) {
    const bool inverse = draft.pick.operation == Operation::kReciprocalRoot;
    if (is_double(draft.pick.type)) {
        return joined({"MUFU.RSQ64H"}, repeated("DFMA", inverse ? 6 : 8));
    }
    if (draft.pick.approximate) {
        return inverse ? Opcodes{"MUFU.RSQ"} : Opcodes{"MUFU.RSQ", "FMUL"};
    }
    return joined({"MUFU.RSQ", "IADD3", "ISETP.GT.U32.AND", "BRA", "FMUL", "FMUL"}, repeated("FFMA", 3));
}

Opcodes conversion(const Draft& draft) {
    const Type to = draft.pick.type;
    const Type from = draft.pick.source;
    const auto suffix = [](Type type) {
        std::string word = name(type);
        std::transform(word.begin(), word.end(), word.begin(),
                       [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); });
        return word;
    };
    if (is_float(to) && is_float(from)) {
        return draft.pick.to_integer ? Opcodes{"FRND"}
               : is_half(to)         ? Opcodes{"F2FP"}
               : is_half(from)       ? Opcodes{"HADD2.F32"}
                                     : Opcodes{"F2F." + suffix(to) + "." + suffix(from)};
    }
    if (is_float(to)) {
        return bytes(from) == 4 && to == Type::kF32 ? Opcodes{"I2FP.F32." + suffix(from)}
                                                    : Opcodes{"I2F." + suffix(from)};
    }
    if (is_float(from)) {
        return {"F2I." + suffix(to) + ".TRUNC"};
    }
    // Between whole numbers: wider is the sign's copy, narrower nothing or a mask.
    return bytes(to) == 8 && bytes(from) < 8 ? Opcodes{name(from)[0] == 's' ? "SHF.R.S32.HI" : "IMAD.MOV.U32"}
           : bytes(to) >= 4                  ? Opcodes{}
                                             : Opcodes{"PRMT"};
}

std::string width_suffix(unsigned size, Type type) {
    const bool sign = type == Type::kS8 || type == Type::kS16;
    return size == 1    ? (sign ? ".S8" : ".U8")
           : size == 2  ? (sign ? ".S16" : ".U16")
           : size == 8  ? ".64"
           : size == 16 ? ".128"
                        : "";
}

Opcodes access(const Draft& draft, const std::vector<std::string_view>& modifiers) {
    const auto has = [&](std::string_view word) {
        return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
    };
    const unsigned size = bytes(draft.pick.type) * draft.op.count;
    const bool is_load = draft.pick.operation == Operation::kLoad;
    const std::string width = width_suffix(size, draft.pick.type);
    switch (draft.space) {
        case StateSpace::kGlobal:
            return {(is_load ? "LDG.E" : "STG.E") + width + (has("nc") ? ".CONSTANT" : "")};
        case StateSpace::kConstant:
            return {"LDC" + width};
        case StateSpace::kShared:
            return {(is_load ? "LDS" : "STS") + width};
        case StateSpace::kLocal:
            return {(is_load ? "LDL" : "STL") + width};
        case StateSpace::kParameter:
            return {"MOV"};  // arguments of calls are in registers
        default:
            return {(is_load ? "LD.E" : "ST.E") + width};
    }
}

Opcodes atomic(const Draft& draft) {
    static constexpr std::array<const char*, 10> kNames = {"ADD", "MIN", "MAX", "INC",  "DEC",
                                                           "AND", "OR",  "XOR", "EXCH", "CAS"};
    const std::string what =
        std::string(kNames[static_cast<std::size_t>(draft.pick.atomic)]) + (bytes(draft.pick.type) == 8 ? ".64" : "");
    const bool reduces = draft.pick.operation == Operation::kReduce || !draft.slots[kD].is_register();
    return draft.space == StateSpace::kShared   ? Opcodes{"ATOMS." + what}
           : draft.space == StateSpace::kGlobal ? Opcodes{(reduces ? "RED.E." : "ATOMG.E.") + what}
                                                : Opcodes{"ATOM.E." + what};
}

}  // namespace

Opcodes machine_opcodes(const Draft& draft, const std::vector<std::string_view>& modifiers) {
    const Type type = draft.pick.type;
    const bool wide = bytes(type) == 8;
    const bool with_float = is_float(type);
    const auto twice = [&](const char* opcode, const char* upper) {
        return wide ? Opcodes{opcode, upper} : Opcodes{opcode};
    };
    switch (draft.ending) {
        case Ending::kBranch:
            return {"BRA"};
        case Ending::kTable:
            return {"BRX"};
        case Ending::kExit:
            return {"EXIT"};
        case Ending::kReturn:
            return {"RET.REL.NODEC"};
        case Ending::kCall:
            return {"CALL.REL.NOINC"};
        case Ending::kBarrier:
            return {draft.barrier == 1 ? "BAR.ARV" : draft.barrier == 0 ? "BAR.SYNC" : "BAR.RED"};
        case Ending::kWait:
            return {"SYNCS.PHASECHK.TRANS64.TRYWAIT"};
        case Ending::kFall:
            break;
    }
    switch (draft.pick.operation) {
        case Operation::kAdd:
        case Operation::kSub:
            return with_float ? Opcodes{of_float(type, "FADD", "DADD", "HADD2")} : twice("IADD3", "IADD3.X");
        case Operation::kMul:
            return with_float ? Opcodes{of_float(type, "FMUL", "DMUL", "HMUL2")}
                   : wide     ? Opcodes{"IMAD", "IMAD", "IMAD.WIDE.U32"}
                              : Opcodes{"IMAD"};
        case Operation::kFma:
            return {of_float(type, "FFMA", "DFMA", "HFMA2")};
        case Operation::kMad:
            return wide ? Opcodes{"IMAD", "IMAD", "IMAD.WIDE.U32"} : Opcodes{"IMAD"};
        case Operation::kMulHigh:
        case Operation::kMadHigh:
            return wide ? repeated("IMAD.WIDE.U32", 5) : Opcodes{"IMAD.HI.U32"};
        case Operation::kMulWide:
        case Operation::kMadWide:
            return {bytes(type) == 4 ? "IMAD.WIDE" : "IMAD"};
        case Operation::kMul24:
            return {"SGXT", "SGXT", "IMAD"};
        case Operation::kSad:
            return {"VABSDIFF"};
        case Operation::kDivide:
        case Operation::kRemainder:
            return division(draft);
        case Operation::kAbsolute:
            return with_float ? Opcodes{of_float(type, "FADD", "DADD", "HADD2")} : twice("IABS", "IADD3.X");
        case Operation::kNegate:
            return with_float ? Opcodes{of_float(type, "FADD", "DADD", "HADD2")} : twice("IADD3", "IADD3.X");
        case Operation::kLeast:
        case Operation::kGreatest:
            return is_double(type) ? Opcodes{"DSETP.MIN.AND", "FSEL", "SEL"}
                   : with_float    ? Opcodes{of_float(type, "FMNMX", "", "HMNMX2")}
                   : wide          ? Opcodes{"ISETP.LT.U32.AND", "ISETP.LT.AND.EX", "SEL", "SEL"}
                                   : Opcodes{"IMNMX"};
        case Operation::kPopulation:
            return wide ? Opcodes{"POPC", "POPC", "IADD3"} : Opcodes{"POPC"};
        case Operation::kLeadingZeros:
            return wide ? Opcodes{"FLO.U32", "FLO.U32", "SEL", "IADD3"} : Opcodes{"FLO.U32", "IADD3"};
        case Operation::kFindHigh:
            return wide ? Opcodes{"FLO.U32", "FLO.U32", "SEL"} : Opcodes{"FLO.U32"};
        case Operation::kReverse:
            return twice("BREV", "BREV");
        case Operation::kExtract:
            return wide ? Opcodes{"SHF.R.U64", "SHF.R.U32.HI", "LOP3.LUT", "LOP3.LUT"}
                        : Opcodes{"SHF.R.U32.HI", "SGXT"};
        case Operation::kInsert:
            return wide ? repeated("LOP3.LUT", 6) : Opcodes{"BMSK", "SHF.L.U32", "LOP3.LUT"};
        case Operation::kMask:
        case Operation::kExtendSign:
            return {"BMSK"};
        case Operation::kFindNth:
            return repeated("LOP3.LUT", 32);  // a loop over the bits
        case Operation::kDotProduct4:
        case Operation::kDotProduct2:
            return {"IDP.4A.S8.S8"};
        case Operation::kAnd:
        case Operation::kOr:
        case Operation::kXor:
        case Operation::kNot:
            return twice("LOP3.LUT", "LOP3.LUT");
        case Operation::kLogicNot:
            return twice("ISETP.EQ.AND", "SEL");
        case Operation::kLogic3:
            return {"LOP3.LUT"};
        case Operation::kShiftLeft:
            return wide ? Opcodes{"SHF.L.U32", "SHF.L.U64.HI"} : Opcodes{"SHF.L.U32"};
        case Operation::kShiftRight:
            return wide ? Opcodes{"SHF.R.U64", "SHF.R.S32.HI"} : Opcodes{"SHF.R.S32.HI"};
        case Operation::kFunnelLeft:
            return {"SHF.L.W.U32.HI"};
        case Operation::kFunnelRight:
            return {"SHF.R.W.U32"};
        case Operation::kPermute:
            return {"PRMT"};
        case Operation::kAddCarry:
        case Operation::kAddWithCarry:
        case Operation::kSubBorrow:
        case Operation::kSubWithBorrow:
            return twice("IADD3", "IADD3.X");
        case Operation::kMadLowCarry:
        case Operation::kMadHighCarry:
            return wide ? repeated("IMAD.WIDE.U32.X", 3) : Opcodes{"IMAD.WIDE.U32", "IADD3.X"};
        case Operation::kReciprocal:
            return is_double(type) ? joined({"MUFU.RCP64H"}, repeated("DFMA", 5))
                   : draft.pick.approximate
                       ? Opcodes{"MUFU.RCP"}
                       : Opcodes{"IADD3", "LOP3.LUT", "ISETP.GT.U32.AND", "BRA", "MUFU.RCP", "FFMA", "FADD", "FFMA"};
        case Operation::kSquareRoot:
        case Operation::kReciprocalRoot:
            return root(draft);
        case Operation::kSine:
            return {"FMUL", "MUFU.SIN"};
        case Operation::kCosine:
            return {"FMUL", "MUFU.COS"};
        case Operation::kLog2:
            return {"FSETP.GEU.AND", "FMUL", "MUFU.LG2", "FADD"};
        case Operation::kExp2:
            return {"FSETP.GEU.AND", "FMUL", "MUFU.EX2", "FMUL"};
        case Operation::kTanh:
            return {"MUFU.TANH"};
        case Operation::kCopySign:
            return {"LOP3.LUT"};
        case Operation::kTestProperty:
            return {"LOP3.LUT", "ISETP.EQ.AND"};
        case Operation::kMove:
        case Operation::kToGeneric:
        case Operation::kFromGeneric:
            return draft.slots[kA].is_register() ? twice("MOV", "MOV") : twice("IMAD.MOV.U32", "IMAD.MOV.U32");
        case Operation::kCompare:
            return with_float ? Opcodes{of_float(type, "FSETP.GT.AND", "DSETP.GT.AND", "HSETP2.GT.AND")}
                              : twice("ISETP.GE.AND", "ISETP.GE.AND.EX");
        case Operation::kCompareSet:
            return with_float ? Opcodes{"FSET.BF.GT.AND"} : Opcodes{"ISETP.GE.AND", "SEL"};
        case Operation::kSelect:
        case Operation::kSelectBySign:
            return type == Type::kF32 ? Opcodes{"FSEL"} : twice("SEL", "SEL");
        case Operation::kPredicateMove:
        case Operation::kPredicateNot:
        case Operation::kPredicateAnd:
        case Operation::kPredicateOr:
        case Operation::kPredicateXor:
            return {"PLOP3.LUT"};
        case Operation::kConvert:
            return conversion(draft);
        case Operation::kConvertPair:
            return {"F2FP.PACK_AB"};
        case Operation::kConvertTf32:
            return {"F2F.TF32.F32"};
        case Operation::kPack:
        case Operation::kUnpack:
            return draft.pick.source_bits == 16 ? Opcodes{"PRMT"} : Opcodes{};
        case Operation::kLoad:
        case Operation::kStore:
            return access(draft, modifiers);
        case Operation::kAtomic:
        case Operation::kReduce:
            return atomic(draft);
        case Operation::kCopyAsync:
            return {"LDGSTS.E" + width_suffix(draft.op.count, Type::kB32)};
        case Operation::kIsSpace:
            return {"ISETP.GE.U32.AND"};
        case Operation::kShuffle:
            return {"SHFL.DOWN"};
        case Operation::kVoteAll:
        case Operation::kVoteAny:
        case Operation::kVoteUniform:
        case Operation::kBallot:
            return {"VOTE.ANY"};
        case Operation::kMatchAny:
        case Operation::kMatchAll:
            return {"MATCH.ANY"};
        case Operation::kReduceWarp:
            return {"REDUX.SUM"};
        case Operation::kActiveMask:
            return {"VOTE.ANY"};
        case Operation::kElect:
            return {"ELECT"};
        case Operation::kClock:
            return {"CS2R.32"};
        case Operation::kTrap:
            return {"BPT.TRAP"};
        case Operation::kNothing:
            return draft.opcode == "membar" || draft.opcode == "fence"  ? Opcodes{"MEMBAR.SC.GPU"}
                   : draft.opcode == "bar" || draft.opcode == "barrier" ? Opcodes{"WARPSYNC"}
                   : draft.opcode == "cp"                               ? Opcodes{"LDGDEPBAR"}
                   : draft.opcode == "nanosleep"                        ? Opcodes{"NANOSLEEP"}
                                                                        : Opcodes{};
        case Operation::kObjectInit:
            return {"SYNCS.EXCH.64"};
        case Operation::kObjectInvalidate:
        case Operation::kObjectArrive:
        case Operation::kObjectExpect:
        case Operation::kObjectComplete:
            return {"SYNCS.ARRIVE.TRANS64"};
        case Operation::kObjectPending:
            return {"LOP3.LUT"};
        case Operation::kBulkCopy:
            return {(draft.op.flags & 1U) != 0 ? "STG.E.128" : "LDGSTS.E.128"};
        case Operation::kMatrixMultiply:
        case Operation::kMatrixLoad:
        case Operation::kMatrixStore:
        case Operation::kMatrixTranspose:
        case Operation::kRowsLoad:
        case Operation::kRowsStore:
            return matrix_opcodes(draft);
        case Operation::kNone:
            break;
    }
    return {};
}

}  // namespace kymo::gpu::ptx
