// Loads, stores, atomics, addresses, and what a warp does together.
#include "gpu/ptx/select/selector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <unordered_map>

namespace kymo::gpu::ptx {
namespace {

// What says how an access is cached or ordered: with one thread at a time, nothing.
#define KYMO_MEMORY_WORDS                                                                                          \
    "global", "shared", "local", "const", "param", "shared::cta", "param::entry", "param::func", "v2", "v4", "ca", \
        "cg", "cs", "cv", "lu", "wb", "wt", "nc", "volatile", "weak", "relaxed", "acquire", "release", "acq_rel",  \
        "cta", "gpu", "sys", "cluster", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",              \
        "L1::evict_last", "L1::no_allocate", "L2::evict_normal", "L2::evict_first", "L2::evict_last", "L2::64B",   \
        "L2::128B", "L2::256B", "noftz", "unified"

}  // namespace

// [register + offset], [variable + offset] or [number], as what op.a and op.immediate hold.
bool Selector::address(const Operand& wanted, StateSpace space) {
    Op& op = draft_.op;
    draft_.space = space;
    draft_.is_memory = true;
    op.immediate = wanted.offset;
    const bool narrow = space == StateSpace::kShared || space == StateSpace::kLocal;
    const unsigned bits = wanted.kind == Operand::Kind::kRegister ? bits_of(wanted) : 64;
    if (bits == 32 && !narrow) {
        return refuse("an address of 32 bits");
    }
    if (bits != 32 && bits != 64) {
        return refuse("an address that is none");
    }
    if (wanted.kind == Operand::Kind::kInteger) {
        draft_.slots[kA] = {Slot::Kind::kConstant, false, 64, 0, wanted.value};
    } else {
        Operand plain = wanted;
        if (wanted.kind != Operand::Kind::kRegister) {
            op.immediate = 0;  // the offset is in the address
        }
        plain.address = false;
        const Type kept = draft_.pick.type;
        draft_.pick.type = Type::kB64;
        const bool good = from(kA, plain, bits);
        draft_.pick.type = kept;
        if (!good) {
            return false;
        }
    }
    draft_.pick.space = space;
    op.flags = static_cast<std::uint8_t>(name_ == "st" || name_ == "red" || name_ == "atom" ? 1 : 0);
    op.mode = {.address = {}};
    op.mode.address.wide = bits == 64;
    return true;
}

// {a, b}: registers of one width, for a load into d and more[0…2], for a store from b and more[0…2].
bool Selector::vector_places(const Operand& list, unsigned bits, bool writes) {
    const std::array<std::uint8_t, 4> places = {writes ? std::uint8_t{kD} : std::uint8_t{kB}, kMore0, kMore1, kMore2};
    if (list.kind != Operand::Kind::kVector) {
        draft_.op.count = 1;
        return writes ? into(places[0], list, bits) : from(places[0], list, bits);
    }
    if (list.count > 4) {
        return refuse();
    }
    draft_.op.count = list.count;
    for (std::uint8_t k = 0; k < list.count; ++k) {
        const Operand& part = function_.elements[list.number + k];
        if (!(writes ? into(places[k], part, bits) : from(places[k], part, bits))) {
            return false;
        }
    }
    return true;
}

// A parameter by name. Of a kernel: the same for all lanes, known when it starts. Of a device function, or passed to
// one: a place of its own for each lane.
bool Selector::parameter_access(bool is_load) {
    const Operand& where = operand(is_load ? 1 : 0);
    const Operand& what = operand(is_load ? 0 : 1);
    if (where.kind == Operand::Kind::kParameter && function_.is_kernel) {
        const Parameter& parameter = function_.parameters[where.number];
        const unsigned size = bytes(type());
        const std::size_t count = what.kind == Operand::Kind::kVector ? what.count : 1;
        if (!is_load || where.offset < 0 ||
            static_cast<std::uint64_t>(where.offset) + size * count > parameter.bytes) {
            return refuse("outside of the parameter");
        }
        if (count == 1) {
            Preset made;
            made.kind = Preset::Kind::kParameter;
            made.bits = static_cast<std::uint8_t>(bits_of(what));
            made.bytes = static_cast<std::uint8_t>(size);
            made.offset = parameter.offset + static_cast<std::uint32_t>(where.offset);
            made.is_signed = is_signed(type());
            if (made.bits < 8 * size || !into(kD, what, made.bits)) {
                return refuse();
            }
            draft_.slots[kA] = {Slot::Kind::kRegister, false, made.bits, preset(made), 0};
            draft_.pick.type = made.bits == 16 ? Type::kB16 : made.bits == 32 ? Type::kB32 : Type::kB64;
            return finish(Operation::kMove);
        }
        // Several at once: from the parameters' own memory.
        return address(where, StateSpace::kGlobal) && vector_places(what, 8 * size, true) &&
               (draft_.pick.result_bits = 8 * size, draft_.is_memory = false, finish(Operation::kLoad));
    }
    std::uint64_t at = 0;
    if (where.kind == Operand::Kind::kParameter) {
        at = where.number >= Operand::kReturned ? layout_.returns[where.number - Operand::kReturned]
                                                : layout_.parameters[where.number];
    } else if (where.kind == Operand::Kind::kVariable && where.number < Operand::kModuleVariable) {
        at = layout_.variables[where.number];
    } else {
        return refuse("a parameter by address");
    }
    const unsigned size = bytes(type());
    const std::uint64_t begin = at + static_cast<std::uint64_t>(where.offset);
    const std::size_t count = what.kind == Operand::Kind::kVector ? what.count : 1;
    if (where.offset < 0 || begin + size * count > layout_.parameter_bytes) {
        return refuse("outside of the parameter");
    }
    draft_.op.immediate = static_cast<std::int64_t>(begin);
    draft_.pick.space = StateSpace::kParameter;
    draft_.space = StateSpace::kParameter;
    const unsigned bits = what.kind == Operand::Kind::kRegister ? bits_of(what) : std::max(16U, 8 * size);
    draft_.pick.result_bits = bits;
    return vector_places(what, bits, is_load) && finish(is_load ? Operation::kLoad : Operation::kStore);
}

bool Selector::load_or_store(bool is_load) {
    if (types_.size() != 1 || operands() != 2 || !only({KYMO_MEMORY_WORDS})) {
        return refuse();
    }
    if (has_any({"param", "param::entry", "param::func"}) &&
        operand(is_load ? 1 : 0).kind != Operand::Kind::kRegister) {
        return parameter_access(is_load);
    }
    const StateSpace space = has("global")                        ? StateSpace::kGlobal
                             : has_any({"shared", "shared::cta"}) ? StateSpace::kShared
                             : has("local")                       ? StateSpace::kLocal
                             : has("const")                       ? StateSpace::kConstant
                             : has_any({"param", "param::entry"}) ? StateSpace::kGlobal
                                                                  : StateSpace::kNone;
    const Operand& where = operand(is_load ? 1 : 0);
    const Operand& what = operand(is_load ? 0 : 1);
    if (!where.address || !address(where, space)) {
        return refuse();
    }
    const unsigned size = 8 * bytes(type());
    const Operand& first = what.kind == Operand::Kind::kVector ? function_.elements[what.number] : what;
    unsigned bits = first.kind == Operand::Kind::kRegister ? bits_of(first) : std::max(16U, size);
    if (what.kind == Operand::Kind::kVector) {  // a sink may come first
        for (std::uint8_t k = 0; k < what.count; ++k) {
            if (const unsigned held = bits_of(function_.elements[what.number + k]); held != 0) {
                bits = held;
            }
        }
    }
    draft_.pick.result_bits = bits;
    const bool wide = what.kind == Operand::Kind::kVector && what.count * bytes(type()) > 16;
    return !wide && vector_places(what, bits, is_load) && finish(is_load ? Operation::kLoad : Operation::kStore);
}

// atom.global.add.u32 d, [a], b; atom.cas.b32 d, [a], b, c; red.global.add.f32 [a], b;
bool Selector::atomic(bool wants_old) {
    static const std::unordered_map<std::string_view, AtomicOp> names = {
        {"add", AtomicOp::kAdd},        {"min", AtomicOp::kMin}, {"max", AtomicOp::kMax},
        {"inc", AtomicOp::kInc},        {"dec", AtomicOp::kDec}, {"and", AtomicOp::kAnd},
        {"or", AtomicOp::kOr},          {"xor", AtomicOp::kXor}, {"exch", AtomicOp::kExchange},
        {"cas", AtomicOp::kCompareSwap}};
    bool found = false;
    for (const std::uint32_t modifier : instruction_->modifiers) {
        if (const auto known = names.find(module_.names[modifier]); known != names.end()) {
            draft_.pick.atomic = known->second;
            found = true;
        }
    }
    const bool swaps = draft_.pick.atomic == AtomicOp::kCompareSwap;
    const std::size_t first = wants_old ? 1 : 0;
    if (!found || types_.size() != 1 || operands() != first + (swaps ? 3 : 2) ||
        !only({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas", KYMO_MEMORY_WORDS})) {
        return refuse();
    }
    const StateSpace space = has("global")                        ? StateSpace::kGlobal
                             : has_any({"shared", "shared::cta"}) ? StateSpace::kShared
                                                                  : StateSpace::kNone;
    const unsigned bits = 8 * bytes(type());
    if (!operand(first).address || !address(operand(first), space) || !from(kB, operand(first + 1), bits) ||
        !from(kC, operand(first + (swaps ? 2 : 1)), bits) || (wants_old && !into(kD, operand(0), bits))) {
        return refuse();
    }
    return finish(wants_old ? Operation::kAtomic : Operation::kReduce);
}

// cvta.to.global.u64 d, a (from generic), cvta.shared.u64 d, a (to generic), isspacep.shared p, a.
bool Selector::convert_address() {
    const bool is_local = has("local");
    const bool is_shared = has_any({"shared", "shared::cta"});
    const std::int64_t window = static_cast<std::int64_t>(is_shared ? kSharedWindow : is_local ? kLocalWindow : 0);
    draft_.op.immediate = window;
    if (!only({"to", "global", "shared", "shared::cta", "local", "const", "param", "param::entry"})) {
        return false;
    }
    if (name_ == "isspacep") {
        if (!has_any({"global", "shared", "shared::cta", "local"})) {
            return refuse();
        }
        return predicate_into(kD, operand(0)) && from(kA, operand(1), 64) && finish(Operation::kIsSpace);
    }
    if (!into(kD, operand(0), 64) || !from(kA, operand(1), 64)) {
        return false;
    }
    if (window == 0) {
        return finish(Operation::kMove);
    }
    return finish(has("to") ? Operation::kFromGeneric : Operation::kToGeneric);
}

// cp.async.cg.shared.global [a], [b], 16 {, taken};
bool Selector::copy_async() {
    if (operands() < 3 || operand(2).kind != Operand::Kind::kInteger || operand(2).value > 16 ||
        !std::has_single_bit(operand(2).value) || operand(1).kind != Operand::Kind::kRegister) {
        return refuse();
    }
    if (!address(operand(0), StateSpace::kShared) || !from(kB, operand(1), 64)) {
        return false;
    }
    if (operand(1).offset != static_cast<std::int32_t>(operand(1).offset)) {
        return refuse();
    }
    draft_.op.more[0] = static_cast<std::uint32_t>(operand(1).offset);
    draft_.op.count = static_cast<std::uint8_t>(operand(2).value);
    draft_.space = StateSpace::kGlobal;  // what the trace has its addresses of
    return (operands() < 4 || from(kC, operand(3), 32)) && finish(Operation::kCopyAsync);
}

bool Selector::memory() {
    if (name_ == "ld" || name_ == "ldu" || name_ == "st") {
        return load_or_store(name_ != "st");
    }
    if (name_ == "atom" || name_ == "red") {
        return atomic(name_ == "atom");
    }
    if (name_ == "cvta" || name_ == "isspacep") {
        return convert_address();
    }
    if (name_ == "cp" && has("async")) {
        return has("bulk") ? copy_bulk() : has("mbarrier") ? copies_arrive() : copy_async();
    }
    if (name_ == "mbarrier") {
        return barrier_object();
    }
    return false;
}

// The member mask; none where it is the constant that names all lanes.
bool Selector::members(const Operand& operand) {
    if (!from(kMore3, operand, 32)) {
        return false;
    }
    Slot& slot = draft_.slots[kMore3];
    if (slot.kind == Slot::Kind::kConstant && static_cast<std::uint32_t>(slot.value) == kAllLanes) {
        slot = Slot();
    }
    return true;
}

bool Selector::together() {
    Op& op = draft_.op;
    if (name_ == "shfl") {  // shfl.sync.down.b32 d|p, a, b, c, mask
        if (!has("sync") || operands() != 5 || type() != Type::kB32) {
            return refuse();
        }
        op.mode = {.shuffle = has("up")     ? Shuffle::kUp
                              : has("down") ? Shuffle::kDown
                              : has("bfly") ? Shuffle::kButterfly
                                            : Shuffle::kIndex};
        const Operand& result = operand(0);
        const bool pair = result.kind == Operand::Kind::kVector;
        return only({"sync", "up", "down", "bfly", "idx"}) &&
               into(kD, pair ? function_.elements[result.number] : result, 32) &&
               (!pair || predicate_into(kMore0, function_.elements[result.number + 1])) && from(kA, operand(1), 32) &&
               from(kB, operand(2), 32) && from(kC, operand(3), 32) && members(operand(4)) &&
               finish(Operation::kShuffle);
    }
    if (name_ == "vote") {
        op.flags = 0;
        const Vote vote = has("all")   ? Vote::kAll
                          : has("any") ? Vote::kAny
                          : has("uni") ? Vote::kUniform
                                       : Vote::kBallot;
        const bool is_ballot = vote == Vote::kBallot;
        op.mode = {.vote = vote};
        return has("sync") && only({"sync", "all", "any", "uni", "ballot"}) && operands() == 3 &&
               (is_ballot ? into(kD, operand(0), 32) : predicate_into(kD, operand(0))) &&
               predicate_from(kA, operand(1), 1) && members(operand(2)) &&
               finish(is_ballot ? Operation::kBallot : Operation::kVoteAll);
    }
    if (name_ == "match") {
        op.mode = {.all = has("all")};
        const Operand& result = operand(0);
        const bool pair = result.kind == Operand::Kind::kVector;
        return has("sync") && only({"sync", "any", "all"}) && operands() == 3 &&
               into(kD, pair ? function_.elements[result.number] : result, 32) &&
               (!pair || predicate_into(kMore0, function_.elements[result.number + 1])) &&
               from(kA, operand(1), 8 * bytes(type())) && members(operand(2)) && finish(Operation::kMatchAny);
    }
    if (name_ == "redux") {
        static constexpr std::array<std::pair<std::string_view, AtomicOp>, 6> kNames = {{{"add", AtomicOp::kAdd},
                                                                                         {"min", AtomicOp::kMin},
                                                                                         {"max", AtomicOp::kMax},
                                                                                         {"and", AtomicOp::kAnd},
                                                                                         {"or", AtomicOp::kOr},
                                                                                         {"xor", AtomicOp::kXor}}};
        op.mode = {.reduction = AtomicOp::kAdd};
        for (const auto& [word, operation] : kNames) {
            op.mode.reduction = has(word) ? operation : op.mode.reduction;
        }
        return has("sync") && only({"sync", "add", "min", "max", "and", "or", "xor"}) && operands() == 3 &&
               into(kD, operand(0), 32) && from(kA, operand(1), 32) && members(operand(2)) &&
               finish(Operation::kReduceWarp);
    }
    if (name_ == "activemask") {
        return into(kD, operand(0), 32) && finish(Operation::kActiveMask);
    }
    if (name_ == "elect") {
        const Operand& result = operand(0);
        return has("sync") && result.kind == Operand::Kind::kVector &&
               into(kD, function_.elements[result.number], 32) &&
               predicate_into(kMore0, function_.elements[result.number + 1]) && members(operand(1)) &&
               finish(Operation::kElect);
    }
    return false;
}

}  // namespace kymo::gpu::ptx
