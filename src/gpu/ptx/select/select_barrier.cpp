// mbarriers: barriers that are objects in shared memory; and the copies that arrive at them.
#include "gpu/ptx/select/selector.h"

namespace kymo::gpu::ptx {
namespace {

// Order and scope: with one thread at a time, nothing. A CTA is a cluster of its own.
#define KYMO_OBJECT_WORDS \
    "shared", "shared::cta", "shared::cluster", "relaxed", "acquire", "release", "cta", "cluster", "gpu", "sys"

}  // namespace

// [register + offset] or [variable] in shared memory.
bool Selector::object_address(const Operand& wanted) {
    const bool in_shared = has_any({"shared", "shared::cta", "shared::cluster"});
    if (!wanted.address || !address(wanted, in_shared ? StateSpace::kShared : StateSpace::kNone)) {
        return refuse();
    }
    Op& op = draft_.op;
    draft_.is_memory = false;  // the trace has no addresses of it
    draft_.space = StateSpace::kShared;
    op.mode.address.generic = !in_shared;
    op.flags = 1;
    return true;
}

// mbarrier.arrive.expect_tx.shared.b64 state, [a], bytes; mbarrier.arrive_drop.shared.b64 _, [a], count;
bool Selector::object_arrive() {
    const bool drops = has("arrive_drop");
    const bool expects = has("expect_tx");
    if (!only({"arrive", "arrive_drop", "expect_tx", "noComplete", KYMO_OBJECT_WORDS}) || operands() < 1) {
        return false;
    }
    // Without a result the address comes first.
    const std::size_t first = operand(0).address ? 0 : 1;
    if ((first == 1 && !into(kD, operand(0), 64)) || !object_address(operand(first)) || operands() > first + 2 ||
        (expects && operands() != first + 2)) {
        return refuse();
    }
    draft_.op.count = drops ? 2 : 1;
    return (operands() == first + 1 || from(expects ? kC : kB, operand(first + 1), 32)) &&
           finish(Operation::kObjectArrive);
}

// mbarrier.try_wait.parity.shared.b64 p, [a], parity; mbarrier.test_wait.shared.b64 p, [a], state;
bool Selector::object_wait() {
    const bool by_parity = has("parity");
    if (!only({"test_wait", "try_wait", "parity", KYMO_OBJECT_WORDS}) || operands() < 3 || operands() > 4 ||
        !predicate_into(kD, operand(0)) || !object_address(operand(1)) ||
        !from(kB, operand(2), by_parity ? 32 : 64)) {
        return refuse();
    }
    draft_.ending = Ending::kWait;
    draft_.ends_block = true;
    draft_.op.mode.address.by_parity = by_parity;
    return true;
}

bool Selector::barrier_object() {
    if (has_any({"arrive", "arrive_drop"})) {
        return object_arrive();
    }
    if (has_any({"test_wait", "try_wait"})) {
        return object_wait();
    }
    if (has("pending_count")) {
        return only({"pending_count"}) && operands() == 2 && into(kD, operand(0), 32) && from(kA, operand(1), 64) &&
               finish(Operation::kObjectPending);
    }
    if (!only({"init", "inval", "expect_tx", "complete_tx", KYMO_OBJECT_WORDS}) || !object_address(operand(0))) {
        return refuse();
    }
    if (has("inval")) {
        return operands() == 1 && finish(Operation::kObjectInvalidate);
    }
    const Operation what = has("init")          ? Operation::kObjectInit
                           : has("expect_tx")   ? Operation::kObjectExpect
                           : has("complete_tx") ? Operation::kObjectComplete
                                                : Operation::kNone;
    return what != Operation::kNone && operands() == 2 && from(kB, operand(1), 32) && finish(what);
}

// cp.async.mbarrier.arrive.noinc.shared.b64 [a]: what was copied has arrived already.
bool Selector::copies_arrive() {
    if (!only({"async", "mbarrier", "arrive", "noinc", "shared", "shared::cta"}) || operands() != 1 ||
        !object_address(operand(0))) {
        return refuse();
    }
    draft_.op.count = has("noinc") ? 1 : 3;
    return finish(Operation::kObjectArrive);
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [b], size, [object] {, policy};
// cp.async.bulk.global.shared::cta.bulk_group [a], [b], size {, policy};
bool Selector::copy_bulk() {
    if (has("prefetch") && has("L2")) {
        return only({"async", "bulk", "prefetch", "L2", "global", "L2::cache_hint"}) && finish(Operation::kNothing);
    }
    const bool outward = has("bulk_group");
    const bool hinted = has("L2::cache_hint");
    if (!only({"async", "bulk", "shared::cluster", "shared::cta", "global", "mbarrier::complete_tx::bytes",
               "bulk_group", "L2::cache_hint"}) ||
        !has("global") || outward == has("mbarrier::complete_tx::bytes") ||
        operands() != (outward ? 3U : 4U) + (hinted ? 1U : 0U)) {
        return refuse();
    }
    const Operand& own = operand(outward ? 1 : 0);
    const Operand& other = operand(outward ? 0 : 1);
    if (!own.address || !address(own, StateSpace::kShared) || other.kind != Operand::Kind::kRegister ||
        other.offset != static_cast<std::int32_t>(other.offset) || !from(kB, other, 64) ||
        !from(kC, operand(2), 32)) {
        return refuse();
    }
    Op& op = draft_.op;
    op.more[0] = static_cast<std::uint32_t>(other.offset);
    op.flags = outward ? 1 : 0;
    draft_.space = StateSpace::kGlobal;  // what the trace has its addresses of
    draft_.accesses = 2;
    if (!outward) {
        Operand object = operand(3);
        if (object.offset != 0 && object.kind == Operand::Kind::kRegister) {
            return refuse("an offset in its mbarrier's address");
        }
        object.address = false;
        if (!from(kD, object, 32)) {
            return false;
        }
    }
    return finish(Operation::kBulkCopy);
}

}  // namespace kymo::gpu::ptx
