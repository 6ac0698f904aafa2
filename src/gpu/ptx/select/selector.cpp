#include "gpu/ptx/select/selector.h"

#include "gpu/ptx/parse/instruction_words.h"
#include "gpu/ptx/round_up.h"
#include "gpu/ptx/select/selector.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
Layout lay_out(const Function& function, std::uint64_t shared_begin) {
    Layout layout;
    layout.shared_bytes = shared_begin;
    const auto place = [](std::uint64_t& end, std::uint64_t align, std::uint64_t bytes) {
        const std::uint64_t at = round_up(end, align);
        end = at + bytes;
        return at;
    };
    if (!function.is_kernel) {
        for (const Parameter& parameter : function.parameters) {
            layout.parameters.push_back(place(layout.parameter_bytes, parameter.align, parameter.bytes));
        }
        for (const Parameter& parameter : function.returns) {
            layout.returns.push_back(place(layout.parameter_bytes, parameter.align, parameter.bytes));
        }
    }
    for (const Variable& variable : function.variables) {
        std::uint64_t* const end = variable.space == StateSpace::kShared      ? &layout.shared_bytes
                                   : variable.space == StateSpace::kLocal     ? &layout.local_bytes
                                   : variable.space == StateSpace::kParameter ? &layout.parameter_bytes
                                                                              : nullptr;
        layout.variables.push_back(end != nullptr ? place(*end, variable.align, variable.bytes) : 0);
    }
    layout.parameter_bytes = round_up(layout.parameter_bytes, 16);
    layout.local_bytes = round_up(layout.local_bytes, 16);
    return layout;
}

Result<Selected> select_all(const Module& module, const Function& function, const Layout& layout,
                            const ModuleLayout& variables) {
    return Selector(module, function, layout, variables).run();
}

Result<Selected> Selector::run() {
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
        instruction_ = &function_.instructions[i];
        draft_ = Draft();
        draft_.instruction = i;
        draft_.op.instruction = i;
        read_words();
        if (instruction_->guard >= 0) {
            draft_.guard = {Slot::Kind::kRegister, false, 1, static_cast<std::uint32_t>(instruction_->guard), 0};
            draft_.op.guarded = instruction_->guard_negated ? 2 : 1;
        }
        if (!one()) {
            if (!error_) {
                refuse();
            }
            return *error_;
        }
        out_.drafts.push_back(draft_);
    }
    return std::move(out_);
}

bool Selector::refuse(const std::string& why) {
    if (!error_) {
        error_ = Error{ErrorKind::kUnsupported,
                       fmt::format("{}: in {}: {} is not supported{}", module_.where(instruction_->place),
                                   function_.name, words_of(module_, *instruction_), why.empty() ? "" : ": " + why),
                       "run the kernel on a GPU and replay its trace (kymo gpu run TRACE)"};
    }
    return false;
}

bool Selector::has(std::string_view word) const {
    return std::any_of(instruction_->modifiers.begin(), instruction_->modifiers.end(),
                       [&](std::uint32_t modifier) { return module_.names[modifier] == word; });
}

void Selector::read_words() {
    name_ = module_.names[instruction_->opcode];
    draft_.opcode = name_;
    types_.clear();
    for (const std::uint32_t modifier : instruction_->modifiers) {
        if (const Type named = type_named(module_.names[modifier]); named != Type::kNone) {
            types_.push_back(named);
        }
    }
    Pick& pick = draft_.pick;
    pick.type = type();
    pick.flush = has("ftz");
    pick.saturate = has("sat") || has("satfinite");
    pick.approximate = has("approx");
    pick.relu = has("relu");
    pick.propagate_nan = has("NaN");
    pick.xor_sign = has("xorsign");
    pick.to_integer = has_any({"rni", "rzi", "rmi", "rpi"});
    pick.rounding = has_any({"rz", "rzi"})   ? Rounding::kZero
                    : has_any({"rm", "rmi"}) ? Rounding::kDown
                    : has_any({"rp", "rpi"}) ? Rounding::kUp
                    : has("rna")             ? Rounding::kAway
                                             : Rounding::kNearest;
    Op& op = draft_.op;
    op.flags = static_cast<std::uint8_t>((pick.flush ? kFlushFlag : 0) | (pick.saturate ? kSaturateFlag : 0) |
                                         (pick.relu ? kReluFlag : 0) | (pick.propagate_nan ? kNanFlag : 0) |
                                         (pick.xor_sign ? kXorSignFlag : 0));
    op.mode = {.rounding = pick.rounding};
}

// Every modifier is a type or one of these: no modifier that changes the result is ignored.
bool Selector::only(Words words) {
    for (const std::uint32_t modifier : instruction_->modifiers) {
        const std::string_view word = module_.names[modifier];
        if (type_named(word) == Type::kNone && std::find(words.begin(), words.end(), word) == words.end()) {
            return refuse();
        }
    }
    return true;
}

bool Selector::finish(Operation operation) {
    draft_.pick.operation = operation;
    draft_.op.run = pick(draft_.pick);
    return draft_.op.run != nullptr || refuse();
}

bool Selector::one() {
    for (const auto family :
         {&Selector::control, &Selector::arithmetic, &Selector::memory, &Selector::together, &Selector::matrix}) {
        if ((this->*family)()) {
            return true;
        }
        if (error_) {
            return false;
        }
    }
    return refuse();
}

bool Selector::control() {
    if (name_ == "bra") {
        draft_.ending = Ending::kBranch;
        draft_.ends_block = true;
        draft_.target = operand(0).number;
        return only({"uni"});
    }
    if (name_ == "brx") {
        if (operands() != 2 || operand(1).kind != Operand::Kind::kLabel || !from(kA, operand(0), 32)) {
            return refuse();
        }
        draft_.ending = Ending::kTable;
        draft_.ends_block = true;
        draft_.target = operand(1).number;
        return only({"idx", "uni"});
    }
    if (name_ == "ret" || name_ == "exit") {
        draft_.ending = name_ == "ret" && !function_.is_kernel ? Ending::kReturn : Ending::kExit;
        draft_.ends_block = true;
        return only({"uni"});
    }
    if (name_ == "call") {
        return call();
    }
    if (name_ == "bar" || name_ == "barrier") {
        return barrier();
    }
    if (name_ == "trap") {
        return finish(Operation::kTrap);
    }
    static constexpr std::array<std::string_view, 8> kPassedOver = {
        "membar", "fence", "nanosleep", "prefetch", "prefetchu", "pmevent", "discard", "applypriority"};
    if (std::find(kPassedOver.begin(), kPassedOver.end(), name_) != kPassedOver.end()) {
        return finish(Operation::kNothing);  // one thread at a time executes: memory is always in order
    }
    if (name_ == "cp" && has("async") && has_any({"commit_group", "wait_group", "wait_all"})) {
        return finish(Operation::kNothing);  // copies are done when they are issued
    }
    if (name_ == "griddepcontrol") {
        return finish(Operation::kNothing);
    }
    return false;
}

// call (r), f, (a, b); call (r), %rd1, (a, b), prototype;
bool Selector::call() {
    draft_.ending = Ending::kCall;
    draft_.ends_block = true;
    const auto are_parameters = [&](const std::vector<Operand>& list) {
        return std::all_of(list.begin(), list.end(), [&](const Operand& part) {
            return part.kind == Operand::Kind::kVariable && part.number < Operand::kModuleVariable &&
                   function_.variables[part.number].space == StateSpace::kParameter;
        });
    };
    if (!are_parameters(instruction_->arguments) || !are_parameters(instruction_->returned)) {
        return refuse("its arguments are not .param variables");
    }
    if (operand(0).kind == Operand::Kind::kRegister) {
        draft_.target = kPointer;
        return from(kA, operand(0), 64) && only({"uni"});
    }
    if (operand(0).kind != Operand::Kind::kFunction) {
        return refuse("what it calls is not a function");
    }
    draft_.target = operand(0).number;
    const Function& callee = module_.functions[draft_.target];
    const bool built_in = callee.name == "vprintf" || callee.name == "__assertfail";
    if (!callee.is_defined && !built_in) {
        return refuse(callee.name + " is not in the module");
    }
    if (callee.is_kernel) {
        return refuse(callee.name + " is a kernel");
    }
    const auto fits = [&](const std::vector<Operand>& list, const std::vector<Parameter>& formal) {
        return std::equal(list.begin(), list.end(), formal.begin(), formal.end(),
                          [&](const Operand& part, const Parameter& wanted) {
                              return function_.variables[part.number].bytes == wanted.bytes;
                          });
    };
    if (!fits(instruction_->arguments, callee.parameters) || !fits(instruction_->returned, callee.returns)) {
        return refuse("its arguments are not those of " + callee.name);
    }
    return only({"uni"});
}

// bar.sync a; bar.sync a, b; bar.red.popc.u32 d, a, p; barrier.cta.sync a;
bool Selector::barrier() {
    if (has("warp")) {
        return members(operand(0)) && finish(Operation::kNothing);  // a strand's lanes are together already
    }
    if (!only({"sync", "arrive", "red", "aligned", "cta", "popc", "and", "or"})) {
        return false;
    }
    draft_.ending = Ending::kBarrier;
    draft_.ends_block = true;
    draft_.barrier = has("arrive") ? 1 : !has("red") ? 0 : has("and") ? 2 : has("or") ? 3 : 4;
    std::size_t next = 0;
    if (draft_.barrier >= 2) {
        const bool counts = draft_.barrier == 4;
        if (!(counts ? into(kD, operand(0), 32) : predicate_into(kD, operand(0)))) {
            return false;
        }
        next = 1;
        if (!predicate_from(kC, operand(operands() - 1), 1)) {
            return false;
        }
    }
    if (!from(kA, operand(next), 32)) {
        return false;
    }
    const std::size_t left = operands() - next - (draft_.barrier >= 2 ? 1 : 0);
    return left < 2 || from(kB, operand(next + 1), 32);
}

}  // namespace kymo::gpu::ptx
