#include "gpu/trace/opcode.h"

#include <array>
#include <string>
#include <unordered_map>

namespace kymo::gpu {
namespace {

constexpr Op arithmetic(OpClass op_class) {
    Op op;
    op.op_class = op_class;
    return op;
}

constexpr Op predicate(OpClass op_class) {
    Op op = arithmetic(op_class);
    op.sets_predicate = true;
    return op;
}

constexpr Op select(OpClass op_class) {
    Op op = arithmetic(op_class);
    op.reads_predicate = true;
    return op;
}

constexpr Op jump() {
    Op op = arithmetic(OpClass::kBranch);
    op.reads_predicate = true;
    return op;
}

constexpr Op uniform() {
    Op op = arithmetic(OpClass::kUniform);
    op.uniform = true;
    return op;
}

enum class Access : std::uint8_t { kLoad, kStore, kAtomic, kReduce };

constexpr Op memory(Space space, Access access) {
    Op op = arithmetic(OpClass::kMemory);
    op.space = space;
    op.load = access == Access::kLoad || access == Access::kAtomic;
    op.store = access == Access::kStore;
    op.atomic = access == Access::kAtomic || access == Access::kReduce;
    return op;
}

constexpr Op uniform_constant() {
    Op op = memory(Space::kConstant, Access::kLoad);
    op.uniform = true;
    return op;
}

constexpr Op copy() {
    Op op = memory(Space::kGlobal, Access::kLoad);
    op.copy = true;
    return op;
}

constexpr Op wait_for_copies() {
    Op op = arithmetic(OpClass::kControl);
    op.waits_for_copies = true;
    return op;
}

constexpr Op fence() {
    Op op = arithmetic(OpClass::kControl);
    op.fence = true;
    return op;
}

constexpr Op exit_op() {
    Op op = arithmetic(OpClass::kExit);
    op.reads_predicate = true;
    return op;
}

// Base opcodes of Volta to Hopper, by the names NVIDIA's binary utilities documentation lists.
const std::unordered_map<std::string_view, Op>& table() {
    static const std::unordered_map<std::string_view, Op> ops = {
        {"NOP", arithmetic(OpClass::kNop)},
        // single precision
        {"FADD", arithmetic(OpClass::kFp32)},
        {"FADD32I", arithmetic(OpClass::kFp32)},
        {"FMUL", arithmetic(OpClass::kFp32)},
        {"FMUL32I", arithmetic(OpClass::kFp32)},
        {"FFMA", arithmetic(OpClass::kFp32)},
        {"FFMA32I", arithmetic(OpClass::kFp32)},
        {"FSWZADD", arithmetic(OpClass::kFp32)},
        {"FCHK", predicate(OpClass::kConvert)},
        {"FMNMX", select(OpClass::kInt)},
        {"FSEL", select(OpClass::kInt)},
        {"FSET", arithmetic(OpClass::kInt)},
        {"FSETP", predicate(OpClass::kInt)},
        {"MUFU", arithmetic(OpClass::kSfu)},
        // half precision
        {"HADD2", arithmetic(OpClass::kFp16)},
        {"HADD2_32I", arithmetic(OpClass::kFp16)},
        {"HMUL2", arithmetic(OpClass::kFp16)},
        {"HMUL2_32I", arithmetic(OpClass::kFp16)},
        {"HFMA2", arithmetic(OpClass::kFp16)},
        {"HFMA2_32I", arithmetic(OpClass::kFp16)},
        {"HMNMX2", select(OpClass::kFp16)},
        {"HSET2", arithmetic(OpClass::kFp16)},
        {"HSETP2", predicate(OpClass::kFp16)},
        // double precision
        {"DADD", arithmetic(OpClass::kFp64)},
        {"DMUL", arithmetic(OpClass::kFp64)},
        {"DFMA", arithmetic(OpClass::kFp64)},
        {"DSETP", predicate(OpClass::kFp64)},
        // matrices
        {"HMMA", arithmetic(OpClass::kTensor)},
        {"IMMA", arithmetic(OpClass::kTensor)},
        {"BMMA", arithmetic(OpClass::kTensor)},
        {"DMMA", arithmetic(OpClass::kTensor)},
        {"HGMMA", arithmetic(OpClass::kTensor)},
        {"IGMMA", arithmetic(OpClass::kTensor)},
        {"QGMMA", arithmetic(OpClass::kTensor)},
        {"BGMMA", arithmetic(OpClass::kTensor)},
        // integers and moves
        {"IADD", arithmetic(OpClass::kInt)},
        {"IADD3", arithmetic(OpClass::kInt)},
        {"IADD32I", arithmetic(OpClass::kInt)},
        {"IABS", arithmetic(OpClass::kInt)},
        {"IMNMX", select(OpClass::kInt)},
        {"VIMNMX", select(OpClass::kInt)},
        {"VIADD", arithmetic(OpClass::kInt)},
        {"VIADDMNMX", select(OpClass::kInt)},
        {"VABSDIFF", arithmetic(OpClass::kInt)},
        {"VABSDIFF4", arithmetic(OpClass::kInt)},
        {"ISETP", predicate(OpClass::kInt)},
        {"ISCADD", arithmetic(OpClass::kInt)},
        {"LEA", arithmetic(OpClass::kInt)},
        {"LOP", arithmetic(OpClass::kInt)},
        {"LOP3", arithmetic(OpClass::kInt)},
        {"LOP32I", arithmetic(OpClass::kInt)},
        {"PLOP3", predicate(OpClass::kInt)},
        {"PSETP", predicate(OpClass::kInt)},
        {"P2R", select(OpClass::kInt)},
        {"R2P", predicate(OpClass::kInt)},
        {"SHF", arithmetic(OpClass::kInt)},
        {"SHL", arithmetic(OpClass::kInt)},
        {"SHR", arithmetic(OpClass::kInt)},
        {"BMSK", arithmetic(OpClass::kInt)},
        {"SGXT", arithmetic(OpClass::kInt)},
        {"SEL", select(OpClass::kInt)},
        {"MOV", arithmetic(OpClass::kInt)},
        {"MOV32I", arithmetic(OpClass::kInt)},
        {"PRMT", arithmetic(OpClass::kInt)},
        {"IMAD", arithmetic(OpClass::kIntMul)},
        {"IMAD32I", arithmetic(OpClass::kIntMul)},
        {"IMUL", arithmetic(OpClass::kIntMul)},
        {"IDP", arithmetic(OpClass::kIntMul)},
        {"IDP4A", arithmetic(OpClass::kIntMul)},
        {"XMAD", arithmetic(OpClass::kIntMul)},
        // the quarter-rate pipe
        {"F2I", arithmetic(OpClass::kConvert)},
        {"F2F", arithmetic(OpClass::kConvert)},
        {"F2FP", arithmetic(OpClass::kInt)},
        {"I2F", arithmetic(OpClass::kConvert)},
        {"I2FP", arithmetic(OpClass::kInt)},
        {"I2I", arithmetic(OpClass::kConvert)},
        {"I2IP", arithmetic(OpClass::kConvert)},
        {"FRND", arithmetic(OpClass::kConvert)},
        {"POPC", arithmetic(OpClass::kConvert)},
        {"FLO", arithmetic(OpClass::kConvert)},
        {"BREV", arithmetic(OpClass::kConvert)},
        // the uniform data path
        {"UMOV", uniform()},
        {"UIADD3", uniform()},
        {"UIMAD", uniform()},
        {"UISETP", uniform()},
        {"ULEA", uniform()},
        {"ULOP", uniform()},
        {"ULOP3", uniform()},
        {"USHF", uniform()},
        {"USEL", uniform()},
        {"UPRMT", uniform()},
        {"UP2UR", uniform()},
        {"UPLOP3", uniform()},
        {"UPOPC", uniform()},
        {"UFLO", uniform()},
        {"USGXT", uniform()},
        {"UBMSK", uniform()},
        {"R2UR", uniform()},
        {"VOTEU", uniform()},
        {"S2UR", uniform()},
        {"UCLEA", uniform()},
        // control
        {"BRA", jump()},
        {"BRX", jump()},
        {"JMP", jump()},
        {"JMX", jump()},
        {"BRXU", jump()},
        {"CALL", jump()},
        {"RET", jump()},
        {"BREAK", jump()},
        {"EXIT", exit_op()},
        {"KILL", exit_op()},
        {"BAR", arithmetic(OpClass::kBarrier)},
        {"BSSY", arithmetic(OpClass::kControl)},
        {"BSYNC", select(OpClass::kControl)},
        {"BMOV", arithmetic(OpClass::kControl)},
        {"BPT", arithmetic(OpClass::kControl)},
        {"WARPSYNC", arithmetic(OpClass::kControl)},
        {"NANOSLEEP", arithmetic(OpClass::kControl)},
        {"YIELD", arithmetic(OpClass::kControl)},
        {"DEPBAR", wait_for_copies()},
        {"LDGDEPBAR", arithmetic(OpClass::kControl)},
        {"ERRBAR", fence()},
        {"MEMBAR", fence()},
        {"FENCE", fence()},
        {"CCTL", arithmetic(OpClass::kControl)},
        {"CCTLL", arithmetic(OpClass::kControl)},
        {"VOTE", select(OpClass::kControl)},
        {"MATCH", arithmetic(OpClass::kConvert)},
        {"MOVM", arithmetic(OpClass::kConvert)},
        {"REDUX", arithmetic(OpClass::kConvert)},
        {"S2R", arithmetic(OpClass::kControl)},
        {"CS2R", arithmetic(OpClass::kControl)},
        {"SHFL", arithmetic(OpClass::kConvert)},
        {"ELECT", predicate(OpClass::kControl)},
        {"SYNCS", arithmetic(OpClass::kControl)},
        {"ACQBULK", arithmetic(OpClass::kControl)},
        {"ENDCOLLECTIVE", arithmetic(OpClass::kControl)},
        {"PREEXIT", arithmetic(OpClass::kControl)},
        {"RPCMOV", arithmetic(OpClass::kControl)},
        // memory
        {"LD", memory(Space::kGeneric, Access::kLoad)},
        {"ST", memory(Space::kGeneric, Access::kStore)},
        {"ATOM", memory(Space::kGeneric, Access::kAtomic)},
        {"LDG", memory(Space::kGlobal, Access::kLoad)},
        {"LDGSTS", copy()},
        {"STG", memory(Space::kGlobal, Access::kStore)},
        {"ATOMG", memory(Space::kGlobal, Access::kAtomic)},
        {"RED", memory(Space::kGlobal, Access::kReduce)},
        {"REDG", memory(Space::kGlobal, Access::kReduce)},
        {"LDS", memory(Space::kShared, Access::kLoad)},
        {"LDSM", memory(Space::kShared, Access::kLoad)},
        {"STS", memory(Space::kShared, Access::kStore)},
        {"STSM", memory(Space::kShared, Access::kStore)},
        {"ATOMS", memory(Space::kShared, Access::kAtomic)},
        {"LDL", memory(Space::kLocal, Access::kLoad)},
        {"STL", memory(Space::kLocal, Access::kStore)},
        {"LDC", memory(Space::kConstant, Access::kLoad)},
        {"ULDC", uniform_constant()},
        {"TEX", memory(Space::kTexture, Access::kLoad)},
        {"TLD", memory(Space::kTexture, Access::kLoad)},
        {"TLD4", memory(Space::kTexture, Access::kLoad)},
        {"TXD", memory(Space::kTexture, Access::kLoad)},
        {"SULD", memory(Space::kTexture, Access::kLoad)},
        {"SUST", memory(Space::kTexture, Access::kStore)},
        {"SURED", memory(Space::kTexture, Access::kReduce)},
    };
    return ops;
}

// A lane's bytes by the opcode's suffixes: the last one that names a width counts ("LDG.E.U8.CONSTANT",
// "ATOMG.ADD.F64").
std::uint8_t access_bytes(std::string_view suffixes) {
    std::uint8_t bytes = 4;
    while (!suffixes.empty()) {
        suffixes.remove_prefix(1);
        const std::string_view word = suffixes.substr(0, suffixes.find('.'));
        if (word == "U8" || word == "S8") {
            bytes = 1;
        } else if (word == "U16" || word == "S16") {
            bytes = 2;
        } else if (word == "64" || word == "F64" || word == "U64" || word == "S64") {
            bytes = 8;
        } else if (word == "128" || word == "M88" || word == "MT88") {  // a matrix row of LDSM
            bytes = 16;
        }
        suffixes.remove_prefix(word.size());
    }
    return bytes;
}

bool has_suffix(std::string_view suffixes, std::string_view wanted) {
    for (std::size_t at = suffixes.find(wanted); at != std::string_view::npos; at = suffixes.find(wanted, at + 1)) {
        const std::size_t end = at + wanted.size();
        if (at > 0 && suffixes[at - 1] == '.' && (end == suffixes.size() || suffixes[end] == '.')) {
            return true;
        }
    }
    return false;
}

}  // namespace

const char* name(OpClass op_class) {
    static constexpr std::array<const char*, kOpClasses> kNames = {
        "nop",    "int",     "int_mul", "fp32",    "fp16",    "fp64", "sfu",   "convert",
        "tensor", "uniform", "branch",  "control", "barrier", "exit", "memory"};
    return kNames.at(static_cast<std::size_t>(op_class));
}

Op decode_opcode(std::string_view text) {
    const std::size_t dot = text.find('.');
    const std::string_view base = text.substr(0, dot);
    const std::string_view suffixes = dot == std::string_view::npos ? std::string_view() : text.substr(dot);
    const auto found = table().find(base);
    Op op;
    if (found == table().end()) {
        op.known = false;
        return op;
    }
    op = found->second;
    if (op.space != Space::kNone) {
        op.bytes = access_bytes(suffixes);
        op.wide_result = op.load && op.bytes == 8;
    } else if (op.op_class == OpClass::kFp64 || has_suffix(suffixes, "WIDE")) {
        op.wide_result = true;
    }
    if (base == "HFMA2" && has_suffix(suffixes, "MMA")) {
        op.op_class = OpClass::kFp16;  // the compiler's other way to load an immediate
    }
    if (base == "BAR" && (has_suffix(suffixes, "ARV"))) {
        op.op_class = OpClass::kControl;  // arrives without waiting
    }
    return op;
}

}  // namespace kymo::gpu
