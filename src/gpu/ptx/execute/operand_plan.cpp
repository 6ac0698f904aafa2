#include "gpu/ptx/execute/operand_plan.h"

#include "gpu/ptx/execute/guards.h"
#include "gpu/trace/operand_values.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

std::string name_of(const Compiled& code, const RegisterUse& use) {
    const auto& registers = code.function->registers;
    if (use.number < registers.size()) {
        return registers[use.number].name;
    }
    const Preset& preset = code.presets[use.number - registers.size()];
    return preset.kind == Preset::Kind::kSpecial ? std::string(preset.special)
                                                 : fmt::format("[param+{}]", preset.offset);
}

std::uint64_t value_of(const Warp& warp, const RegisterUse& use, unsigned lane) {
    if (use.bits == 1) {
        return predicate(warp, use.place) >> lane & 1U;
    }
    std::uint64_t value = 0;
    const std::size_t bytes = use.bits / 8U;
    std::memcpy(&value, warp.frame + use.place + bytes * lane, bytes);
    return value;
}

// A missing operand repeats the first one: once is enough.
bool stood_before(const Compiled& code, UseRange uses, std::uint32_t use) {
    return std::any_of(code.uses.begin() + uses.first, code.uses.begin() + use, [&](const RegisterUse& one) {
        return one.number == code.uses[use].number && one.writes == code.uses[use].writes;
    });
}

}  // namespace

UseRange uses_of(const Compiled& code, const Block& block, const MachineInstruction& machine) {
    return machine.op == kEndingOp ? block.uses : machine.op == kNoOp ? UseRange{} : code.facts[machine.op].uses;
}

OperandPlan plan_operands(std::span<const Compiled* const> functions, std::span<const std::uint32_t> program_begin) {
    OperandPlan plan;
    plan.numbers.resize(functions.size());
    for (std::size_t f = 0; f < functions.size(); ++f) {
        if (functions[f] == nullptr) {
            continue;
        }
        const Compiled& code = *functions[f];
        plan.numbers[f].assign(code.uses.size(), OperandPlan::kNone);
        for (const Block& block : code.blocks) {
            for (std::uint32_t m = block.machine_first; m < block.machine_end; ++m) {
                const MachineInstruction& machine = code.machine[m];
                const bool is_ending = machine.op == kEndingOp;
                // Without a log, the lanes that its guard enables are not known.
                const bool is_unlogged = machine.log == kNoLog && machine.op != kNoOp &&
                                         (is_ending ? block.guarded : code.ops[machine.op].guarded) != 0;
                if (machine.is_bulk || is_unlogged) {
                    continue;
                }
                const UseRange uses = uses_of(code, block, machine);
                for (std::uint32_t use = uses.first; use < uses.first + uses.count; ++use) {
                    const RegisterUse& one = code.uses[use];
                    if (one.number == RegisterUse::kConstant || one.slot == kGuardSlot || (is_ending && one.writes) ||
                        stood_before(code, uses, use)) {
                        continue;
                    }
                    plan.numbers[f][use] = static_cast<std::uint32_t>(plan.operands.size());
                    plan.operands.push_back(
                        {program_begin[f] + machine.index, name_of(code, one), one.bits, one.writes});
                }
            }
        }
    }
    plan.program = operand_program(plan.operands);
    return plan;
}

void HeldOperands::look(const Warp& warp, const Compiled& code, UseRange uses, bool writes, std::uint32_t lanes) {
    values_.resize(std::max(values_.size(), code.uses.size()));
    for (std::uint32_t use = uses.first; use < uses.first + uses.count; ++use) {
        const RegisterUse& one = code.uses[use];
        if (one.writes == writes && one.number != RegisterUse::kConstant) {
            each_lane(lanes, [&](unsigned lane) { values_[use][lane] = value_of(warp, one, lane); });
        }
    }
}

void HeldOperands::join(const HeldOperands& from, std::uint32_t lanes) {
    values_.resize(std::max(values_.size(), from.values_.size()));
    for (std::size_t use = 0; use < from.values_.size(); ++use) {
        each_lane(lanes, [&](unsigned lane) { values_[use][lane] = from.values_[use][lane]; });
    }
}

}  // namespace kymo::gpu::ptx
