#include "gpu/ptx/execute/op_facts.h"

#include <algorithm>

namespace kymo::gpu::ptx {
namespace {

// The bytes of one of a matrix's accesses: a register, or one element where those of a register lie apart.
std::uint8_t matrix_bytes(const MatrixForm& form) {
    const unsigned element = kElementBits[static_cast<std::size_t>(form.left)];
    const bool in_line = element >= 32 || (form.role == MatrixForm::Role::kRight) == form.by_columns;
    return static_cast<std::uint8_t>(in_line ? std::max(element, 32U) / 8 : element / 8);
}

}  // namespace

OpFacts facts_of(const Draft& draft, const Module& module, const Instruction& instruction) {
    OpFacts facts;
    facts.operation = draft.pick.operation;
    facts.space = draft.space;
    facts.accesses = draft.accesses;
    const auto has = [&](std::string_view word) {
        return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                           [&](std::uint32_t modifier) { return module.names[modifier] == word; });
    };
    const bool releases = has("release") || has("acq_rel");
    facts.strong = releases || has("volatile") || has("relaxed") || has("acquire");
    facts.fences = releases || draft.opcode == "membar" || draft.opcode == "fence";
    facts.syncs_warp =
        draft.pick.operation == Operation::kNothing && (draft.opcode == "bar" || draft.opcode == "barrier");
    switch (draft.pick.operation) {
        case Operation::kObjectInit:
        case Operation::kObjectArrive:
        case Operation::kObjectExpect:
        case Operation::kObjectComplete:
        case Operation::kBulkCopy:
            facts.is_object = true;
            return facts;
        default:
            break;
    }
    if (!draft.is_memory) {
        return facts;
    }
    const std::uint8_t one = static_cast<std::uint8_t>(bytes(draft.pick.type));
    switch (draft.pick.operation) {
        case Operation::kLoad:
        case Operation::kStore:
            facts.bytes = static_cast<std::uint8_t>(one * draft.op.count);
            facts.loads = draft.pick.operation == Operation::kLoad;
            facts.stores = !facts.loads;
            break;
        case Operation::kAtomic:
        case Operation::kReduce:
            facts.bytes = one;
            facts.loads = facts.stores = facts.strong = true;
            break;
        case Operation::kCopyAsync:
            facts.bytes = draft.op.count;
            facts.loads = facts.is_copy_async = true;
            break;
        case Operation::kRowsLoad:
        case Operation::kRowsStore:
            facts.bytes = 16;
            facts.loads = draft.pick.operation == Operation::kRowsLoad;
            facts.stores = !facts.loads;
            break;
        case Operation::kMatrixLoad:
        case Operation::kMatrixStore:
            facts.bytes = matrix_bytes(draft.matrix);
            facts.loads = draft.pick.operation == Operation::kMatrixLoad;
            facts.stores = !facts.loads;
            break;
        default:
            break;
    }
    if (facts.space == StateSpace::kConstant) {
        facts.bytes = 0;
    }
    return facts;
}

}  // namespace kymo::gpu::ptx
