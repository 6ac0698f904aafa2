#include "gpu/ptx/select/compile.h"

#include "gpu/ptx/round_up.h"
#include "gpu/ptx/schedule/machine.h"
#include "gpu/ptx/select/allocate.h"
#include "gpu/ptx/select/flow.h"
#include "gpu/ptx/select/fold.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace kymo::gpu::ptx {
namespace {

constexpr std::uint32_t kRegisterBytes = 128;                      // 32 lanes of 32 bits
constexpr std::uint32_t kPredicatesAt = 64;                        // place 0 means none
constexpr std::uint64_t kMostCallBytes = std::uint64_t{1} << 20U;  // a lane's, of calls
constexpr std::uint64_t kMostNeeds = std::uint64_t{1} << 33U;

class Compiler {
  public:
    Compiler(const Module& module, const Function& function) : module_(module), function_(function) {
        out_.function = &function;
    }

    Result<Compiled> run(std::uint64_t shared_begin, const ModuleLayout& variables) {
        out_.layout = lay_out(function_, shared_begin);
        auto selected = select_all(module_, function_, out_.layout, variables);
        if (!selected) {
            return selected.error();
        }
        drafts_ = std::move(selected->drafts);
        out_.presets = std::move(selected->presets);
        Flow flow = flow_of(function_, drafts_);
        if (function_.registers.size() * flow.blocks.size() > kMostNeeds ||
            out_.layout.parameter_bytes > kMostCallBytes) {
            return Error{ErrorKind::kUnsupported, function_.name + ": is too large to be executed", ""};
        }
        fold(flow, drafts_, function_.registers.size());
        flow = flow_of(function_, drafts_);  // more branches may lead to exits now
        places_ = allocate(function_, flow, drafts_);
        out_.registers = places_.registers;
        place_presets();
        prologue();
        for (std::uint32_t b = 0; b < flow.end(); ++b) {
            block(flow, b);
        }
        out_.frame_bytes = round_up(frame_, 64);
        std::sort(out_.callees.begin(), out_.callees.end());
        out_.callees.erase(std::unique(out_.callees.begin(), out_.callees.end()), out_.callees.end());
        return std::move(out_);
    }

  private:
    void place_presets() {
        predicates_ = kPredicatesAt;
        // Constant predicates lie behind the others: at most two.
        const std::uint32_t registers_at = round_up(kPredicatesAt + 4 * (places_.predicates + 2), 64);
        registers_at_ = registers_at;
        frame_ = registers_at + kRegisterBytes * (places_.places + 1);
        for (Preset& preset : out_.presets) {
            preset.place = frame_;
            frame_ += preset.bits == 64 ? 2 * kRegisterBytes : kRegisterBytes;
        }
    }

    std::uint32_t constant(const Slot& slot) {
        const auto [at, is_new] = constants_.try_emplace({slot.bits, slot.value}, 0);
        if (is_new) {
            if (slot.bits == 1) {
                at->second = predicates_ + 4 * (places_.predicates + constant_predicates_++);
            } else {
                at->second = frame_;
                frame_ += slot.bits == 64 ? 2 * kRegisterBytes : kRegisterBytes;
            }
            out_.constants.push_back({at->second, slot.bits, slot.value});
        }
        return at->second;
    }

    std::uint32_t place(const Slot& slot) {
        if (slot.kind == Slot::Kind::kNone) {
            return 0;
        }
        if (slot.kind == Slot::Kind::kConstant) {
            return constant(slot);
        }
        if (slot.number >= function_.registers.size()) {
            return out_.presets[slot.number - function_.registers.size()].place;
        }
        const std::uint32_t number = places_.place[slot.number];
        return slot.bits == 1 ? predicates_ + 4 * number : registers_at_ + kRegisterBytes * number;
    }

    // Registers as the models name them: R1 is the stack's.
    void name_registers(const Draft& draft, StaticInstruction& instruction, bool reads, bool writes, bool before) {
        const auto number_of = [&](const Slot& slot) -> unsigned {
            return slot.is_register() && slot.bits != 1 && slot.number < function_.registers.size()
                       ? std::min(places_.number[slot.number] + 2, 254U)
                       : 255U;
        };
        for (const Slot& slot : draft.slots) {
            if (slot.kind == Slot::Kind::kNone || slot.bits == 1) {
                continue;
            }
            Registers& list = slot.writes ? instruction.destinations : instruction.sources;
            const unsigned number = number_of(slot);
            // Each register once: a missing operand repeats the operation's first one.
            const bool listed = std::find(list.number.begin(), list.number.begin() + list.count, number) !=
                                list.number.begin() + list.count;
            if ((slot.writes ? writes : reads) && !listed) {
                list.add(number);
            }
            if (slot.writes && before) {
                instruction.sources.add(number_of(slot));
            }
        }
    }

    std::uint32_t add_machine(std::string opcode, const Place& place, std::uint16_t log, bool has_addresses) {
        StaticInstruction instruction;
        instruction.pc = out_.program.size() * 16;
        instruction.line = place.source_line;
        instruction.op = decode_opcode(opcode);
        instruction.opcode = std::move(opcode);
        instruction.width = has_addresses ? instruction.op.bytes : 0;
        const auto index = static_cast<std::uint32_t>(out_.program.size());
        out_.program.push_back(std::move(instruction));
        out_.machine.push_back({index, log, has_addresses, false, kNoOp});
        return index;
    }

    // What every kernel begins with: the stack's beginning, and special registers where they are first used.
    void prologue() {
        if (!function_.is_kernel || function_.instructions.empty()) {
            return;
        }
        const std::uint32_t at =
            add_machine(module_.target >= 90 ? "LDC" : "MOV", function_.instructions[0].place, kNoLog, false);
        out_.program[at].destinations.add(1);
    }

    // Special registers are read once, where ptxas reads them: before their first use.
    void read_special(const Draft& draft) {
        for (const Slot& slot : draft.slots) {
            if (!slot.is_register() || slot.number < function_.registers.size()) {
                continue;
            }
            const std::size_t number = slot.number - function_.registers.size();
            const Preset& preset = out_.presets[number];
            const bool is_register = preset.special.starts_with("%tid") || preset.special.starts_with("%ctaid") ||
                                     preset.special.starts_with("%lane") || preset.special.starts_with("%warp") ||
                                     preset.special.starts_with("%smid");
            read_.resize(out_.presets.size(), 0);
            if (!is_register || read_[number] != 0) {
                continue;
            }
            read_[number] = 1;
            const std::uint32_t at = add_machine("S2R", place_of(draft), kNoLog, false);
            out_.program[at].destinations.add(special_register(number));
        }
    }

    unsigned special_register(std::size_t number) const {
        return std::min<unsigned>(places_.registers + 2 + static_cast<unsigned>(number), 254U);
    }

    const Place& place_of(const Draft& draft) const { return function_.instructions[draft.instruction].place; }

    void machine_of(const Draft& draft, std::uint16_t log) {
        std::vector<std::string_view> modifiers;
        for (const std::uint32_t modifier : function_.instructions[draft.instruction].modifiers) {
            modifiers.push_back(module_.names[modifier]);
        }
        const std::vector<std::string> opcodes = machine_opcodes(draft, modifiers);
        if (opcodes.empty()) {
            return;
        }
        read_special(draft);
        if (draft.is_memory && draft.space != StateSpace::kShared && draft.space != StateSpace::kLocal &&
            !described_) {
            described_ = true;
            add_machine("ULDC.64", place_of(draft), kNoLog, false);  // what global accesses need
        }
        for (std::size_t i = 0; i < opcodes.size(); ++i) {
            const bool is_bulk = draft.pick.operation == Operation::kBulkCopy;
            // Beyond the log's end an access is traced without its addresses.
            const bool memory = draft.is_memory && log != kNoLog && (opcodes.size() == draft.accesses || is_bulk);
            const auto own_log = static_cast<std::uint16_t>(log == kNoLog || draft.accesses == 1 ? log : log + i);
            const std::uint32_t at = add_machine(opcodes[i], place_of(draft), own_log, memory);
            out_.machine.back().is_bulk = is_bulk;
            const bool one_by_one = draft.accesses > 1 && !is_bulk;
            name_registers(draft, out_.program[at], i == 0 || one_by_one, true, i > 0 && !one_by_one);
            if (i == 0) {
                for (const Slot& slot : draft.slots) {
                    if (slot.is_register() && slot.number >= function_.registers.size()) {
                        const std::size_t number = slot.number - function_.registers.size();
                        if (number < read_.size() && read_[number] != 0) {
                            out_.program[at].sources.add(special_register(number));
                        }
                    }
                }
            }
        }
    }

    void block(const Flow& flow, std::uint32_t number) {
        const FlowBlock& from = flow.blocks[number];
        Block block;
        block.first = static_cast<std::uint32_t>(out_.ops.size());
        block.machine_first = number == 0 ? 0 : static_cast<std::uint32_t>(out_.machine.size());
        const auto target = [&](std::uint32_t of) { return of == flow.end() ? kNoBlock : of; };
        block.next = target(number + 1);
        block.meet = target(from.meet);
        std::uint16_t logs = 0;
        for (std::uint32_t i = from.first; i < from.end; ++i) {
            const Draft& draft = drafts_[i];
            if (draft.is_gone) {
                continue;
            }
            std::uint16_t log = kNoLog;
            const bool leaves = draft.ending == Ending::kBranch || draft.ending == Ending::kExit ||
                                draft.ending == Ending::kReturn || draft.ending == Ending::kTable;
            if ((draft.op.guarded != 0 || draft.is_memory || leaves) && logs + draft.accesses < kNoLog) {
                log = logs;
                logs = static_cast<std::uint16_t>(logs + draft.accesses);
            }
            const std::size_t machine_before = out_.machine.size();
            machine_of(draft, log);
            if (out_.machine.size() != machine_before) {
                out_.machine.back().op =
                    draft.ending == Ending::kFall ? static_cast<std::uint32_t>(out_.ops.size()) : kEndingOp;
            }
            if (draft.ending == Ending::kFall) {
                operation(draft, log);
            } else {
                ending(flow, draft, log, block);
            }
        }
        block.end = static_cast<std::uint32_t>(out_.ops.size());
        block.machine_end = static_cast<std::uint32_t>(out_.machine.size());
        out_.logs = std::max<std::uint32_t>(out_.logs, logs);
        out_.blocks.push_back(block);
    }

    void operation(const Draft& draft, std::uint16_t log) {
        Op op = draft.op;
        op.d = place(draft.slots[kD]);
        op.a = place(draft.slots[kA]);
        op.b = place(draft.slots[kB]);
        op.c = place(draft.slots[kC]);
        for (unsigned i = 0; i < 4; ++i) {
            if (draft.slots[kMore0 + i].kind != Slot::Kind::kNone) {
                op.more[i] = place(draft.slots[kMore0 + i]);
            }
        }
        if (draft.matrix.m != 0) {
            op.immediate = static_cast<std::int64_t>(out_.lists.size());
            out_.lists.resize(out_.lists.size() + kMatrixWords);
            std::memcpy(&out_.lists[out_.lists.size() - kMatrixWords], &draft.matrix, sizeof draft.matrix);
            for (std::size_t i = kSlots; i < draft.slots.size(); ++i) {
                out_.lists.push_back(place(draft.slots[i]));
            }
        }
        op.guard = place(draft.guard);
        op.log = log;
        if (draft.is_memory) {
            op.cache = static_cast<std::uint16_t>(out_.caches);
            out_.caches = std::min<std::uint32_t>(out_.caches + 1, 0xFFFF);
        }
        out_.ops.push_back(op);
        OpFacts facts = facts_of(draft, module_, function_.instructions[draft.instruction]);
        facts.uses = uses_of(draft);
        out_.facts.push_back(facts);
    }

    UseRange uses_of(const Draft& draft) {
        const auto first = static_cast<std::uint32_t>(out_.uses.size());
        const auto add = [&](const Slot& slot, std::uint8_t which) {
            if (slot.kind != Slot::Kind::kNone) {
                const std::uint32_t number = slot.is_register() ? slot.number : RegisterUse::kConstant;
                out_.uses.push_back({number, place(slot), slot.bits, which, slot.writes});
            }
        };
        for (std::size_t i = 0; i < draft.slots.size(); ++i) {
            add(draft.slots[i], static_cast<std::uint8_t>(i));
        }
        add(draft.guard, kGuardSlot);
        return {first, static_cast<std::uint32_t>(out_.uses.size()) - first};
    }

    void ending(const Flow& flow, const Draft& draft, std::uint16_t log, Block& block) {
        block.ending = draft.ending;
        block.guarded = draft.op.guarded;
        block.guard = place(draft.guard);
        block.barrier = draft.barrier;
        block.flags = draft.op.flags;
        block.ending_log = log;
        block.instruction = draft.instruction;
        block.a = place(draft.slots[kA]);
        block.b = place(draft.slots[kB]);
        block.c = place(draft.slots[kC]);
        block.d = place(draft.slots[kD]);
        block.offset = draft.op.immediate;
        block.uses = uses_of(draft);
        const auto target = [&](std::uint32_t label) {
            const std::uint32_t of = flow.block_of_label[label];
            return of == flow.end() ? kNoBlock : of;
        };
        if (draft.ending == Ending::kWait) {
            block.object = draft.op.mode.address;
        } else if (draft.ending == Ending::kBranch) {
            block.taken = target(draft.target);
        } else if (draft.ending == Ending::kTable) {
            block.taken = static_cast<std::uint32_t>(out_.tables.size());
            const auto& targets = function_.labels[draft.target].targets;
            out_.tables.push_back(static_cast<std::uint32_t>(targets.size()));
            for (const std::uint32_t label : targets) {
                out_.tables.push_back(target(label));
            }
        } else if (draft.ending == Ending::kCall) {
            call(draft, block);
        }
    }

    void call(const Draft& draft, Block& block) {
        block.taken = draft.target;
        if (draft.target == kPointer) {
            out_.calls_pointers = true;
        } else {
            out_.callees.push_back(draft.target);
        }
        const Instruction& instruction = function_.instructions[draft.instruction];
        block.arguments = passed(instruction.arguments);
        block.returned = passed(instruction.returned);
    }

    std::uint32_t passed(const std::vector<Operand>& list) {
        std::vector<Passed> made;
        made.reserve(list.size());
        for (const Operand& operand : list) {
            made.push_back({static_cast<std::uint32_t>(out_.layout.variables[operand.number]),
                            static_cast<std::uint32_t>(function_.variables[operand.number].bytes)});
        }
        out_.passes.push_back(std::move(made));
        return static_cast<std::uint32_t>(out_.passes.size() - 1);
    }

    const Module& module_;
    const Function& function_;
    Compiled out_;
    std::vector<Draft> drafts_;
    Places places_;
    std::map<std::pair<std::uint8_t, std::uint64_t>, std::uint32_t> constants_;
    std::vector<std::uint8_t> read_;  // special registers that were read into a register
    std::uint32_t predicates_ = 0;
    std::uint32_t registers_at_ = 0;
    std::uint32_t constant_predicates_ = 0;
    std::uint32_t frame_ = 0;
    bool described_ = false;
};

}  // namespace

Result<Compiled> compile(const Module& module, const Function& function, std::uint64_t shared_begin,
                         const ModuleLayout& variables) {
    return Compiler(module, function).run(shared_begin, variables);
}

}  // namespace kymo::gpu::ptx
