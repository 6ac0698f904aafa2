#include "gpu/ptx/select.h"

#include "gpu/ptx/instruction_words.h"
#include "gpu/ptx/selector.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace kymo::gpu::ptx {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
    return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

}  // namespace

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
    pick.approximate = has("approx") || has("full");
    pick.relu = has("relu");
    pick.propagate_nan = has("NaN");
    pick.to_integer = has_any({"rni", "rzi", "rmi", "rpi"});
    pick.rounding = has_any({"rz", "rzi"})   ? Rounding::kZero
                    : has_any({"rm", "rmi"}) ? Rounding::kDown
                    : has_any({"rp", "rpi"}) ? Rounding::kUp
                    : has("rna")             ? Rounding::kAway
                                             : Rounding::kNearest;
    Op& op = draft_.op;
    op.flags = static_cast<std::uint8_t>((pick.flush ? kFlushFlag : 0) | (pick.saturate ? kSaturateFlag : 0) |
                                         (pick.relu ? kReluFlag : 0) | (pick.propagate_nan ? kNanFlag : 0));
    op.mode = static_cast<std::uint8_t>(pick.rounding);
}

// Every modifier is a type or one of these: nothing that changes what is computed is passed over.
bool Selector::only(Words words) {
    for (const std::uint32_t modifier : instruction_->modifiers) {
        const std::string_view word = module_.names[modifier];
        if (type_named(word) == Type::kNone && std::find(words.begin(), words.end(), word) == words.end()) {
            return refuse();
        }
    }
    return true;
}

const Operand& Selector::operand(std::size_t which) const {
    static const Operand kAbsent;
    return which < instruction_->operands.size() ? instruction_->operands[which] : kAbsent;
}

unsigned Selector::bits_of(const Operand& wanted) const {
    if (wanted.kind != Operand::Kind::kRegister) {
        return 0;
    }
    const Type held = function_.registers[wanted.number].type;
    return held == Type::kPredicate ? 1 : std::max(16U, 8 * bytes(held));
}

bool Selector::into(std::uint8_t place, const Operand& wanted, unsigned bits) {
    if (wanted.kind == Operand::Kind::kSink) {
        return true;
    }
    if (bits_of(wanted) != bits) {
        return refuse(fmt::format("its result is not a register of {} bits", bits));
    }
    draft_.slots[place] = {Slot::Kind::kRegister, true, static_cast<std::uint8_t>(bits), wanted.number, 0};
    return true;
}

std::uint32_t Selector::preset(const Preset& wanted) {
    const std::string key = fmt::format("{} {} {} {} {} {} {}", static_cast<int>(wanted.kind), wanted.bits,
                                        wanted.bytes, wanted.is_signed, wanted.offset, wanted.special, wanted.addend);
    const auto next = static_cast<std::uint32_t>(function_.registers.size() + out_.presets.size());
    const auto [at, is_new] = presets_.try_emplace(key, next);
    if (is_new) {
        out_.presets.push_back(wanted);
    }
    return at->second;
}

bool Selector::special(const Operand& wanted, unsigned bits, Slot& slot) {
    static constexpr std::array<std::string_view, 24> kKnown = {"%tid.x",
                                                                "%tid.y",
                                                                "%tid.z",
                                                                "%ntid.x",
                                                                "%ntid.y",
                                                                "%ntid.z",
                                                                "%ctaid.x",
                                                                "%ctaid.y",
                                                                "%ctaid.z",
                                                                "%nctaid.x",
                                                                "%nctaid.y",
                                                                "%nctaid.z",
                                                                "%laneid",
                                                                "%warpid",
                                                                "%nwarpid",
                                                                "%smid",
                                                                "%nsmid",
                                                                "%lanemask_eq",
                                                                "%lanemask_le",
                                                                "%lanemask_lt",
                                                                "%lanemask_ge",
                                                                "%lanemask_gt",
                                                                "%dynamic_smem_size",
                                                                "%total_smem_size"};
    const std::string_view word = module_.names[wanted.number];
    const auto known = std::find(kKnown.begin(), kKnown.end(), word);
    if (known == kKnown.end()) {
        return refuse(fmt::format("{} is not known", word));
    }
    Preset made;
    made.kind = Preset::Kind::kSpecial;
    made.bits = static_cast<std::uint8_t>(bits);
    made.special = *known;
    slot = {Slot::Kind::kRegister, false, static_cast<std::uint8_t>(bits), preset(made), 0};
    return true;
}

// The address of a variable, in its own space: known now, or when the kernel starts.
bool Selector::address_of(const Operand& wanted, unsigned bits, Slot& slot) {
    Preset made;
    made.bits = static_cast<std::uint8_t>(bits);
    made.addend = wanted.offset;
    const bool own = wanted.number < Operand::kModuleVariable;
    const Variable* variable = nullptr;
    std::uint64_t begin = 0;
    if (wanted.kind == Operand::Kind::kParameter) {
        if (!function_.is_kernel) {
            return refuse("the address of a device function's parameter");
        }
        made.special = "%parameters";
        made.addend += function_.parameters[wanted.number].offset;
    } else {
        const std::uint32_t number = own ? wanted.number : wanted.number - Operand::kModuleVariable;
        variable = own ? &function_.variables[number] : &module_.variables[number];
        begin = own ? layout_.variables[number] : variables_.variables[number];
        if (variable->space == StateSpace::kParameter) {
            return refuse("the address of a parameter");
        }
        if (variable->space == StateSpace::kShared && variable->bytes == 0) {
            made.special = "%dynamic_shared";
        } else if (variable->space == StateSpace::kLocal) {
            made.special = "%local";
            made.addend += static_cast<std::int64_t>(begin);
        }
    }
    if (!made.special.empty()) {
        slot = {Slot::Kind::kRegister, false, made.bits, preset(made), 0};
        return true;
    }
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    slot = {Slot::Kind::kConstant, false, made.bits, 0, (begin + static_cast<std::uint64_t>(wanted.offset)) & mask};
    return variable->space == StateSpace::kShared || (own ? false : begin != 0) ||
           refuse(variable->name + " has no address here");
}

bool Selector::from(std::uint8_t place, const Operand& wanted, unsigned bits) {
    Slot& slot = draft_.slots[place];
    const auto narrow = static_cast<std::uint8_t>(bits);
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    switch (wanted.kind) {
        case Operand::Kind::kRegister:
            if (bits_of(wanted) != bits) {
                return refuse(fmt::format("an operand is not a register of {} bits", bits));
            }
            slot = {Slot::Kind::kRegister, false, narrow, wanted.number, 0};
            return true;
        case Operand::Kind::kInteger:
            slot = {Slot::Kind::kConstant, false, narrow, 0, wanted.value & mask};
            if (draft_.pick.type == Type::kF32 || draft_.pick.type == Type::kF64) {
                return refuse("a whole number stands for a floating-point one");
            }
            return true;
        case Operand::Kind::kFloat32:
            slot = {Slot::Kind::kConstant, false, narrow, 0,
                    bits == 64 ? std::bit_cast<std::uint64_t>(static_cast<double>(
                                     std::bit_cast<float>(static_cast<std::uint32_t>(wanted.value))))
                               : wanted.value};
            return true;
        case Operand::Kind::kFloat:
            slot = {Slot::Kind::kConstant, false, narrow, 0,
                    bits == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(wanted.value)))
                               : wanted.value};
            return true;
        case Operand::Kind::kSpecial:
            return special(wanted, bits, slot);
        case Operand::Kind::kFunction:
            slot = {Slot::Kind::kConstant, false, narrow, 0, kFunctionWindow + kFunctionStride * wanted.number};
            return bits == 64 || refuse("an address of a function in fewer than 64 bits");
        case Operand::Kind::kVariable:
        case Operand::Kind::kParameter:
            return address_of(wanted, bits, slot);
        default:
            return refuse("an operand is missing or of an unknown kind");
    }
}

bool Selector::predicate_into(std::uint8_t place, const Operand& wanted) {
    return into(place, wanted, 1);
}

bool Selector::predicate_from(std::uint8_t place, const Operand& wanted, std::uint8_t negated_flag) {
    if (wanted.kind == Operand::Kind::kInteger) {
        draft_.slots[place] = {Slot::Kind::kConstant, false, 1, 0, wanted.value != 0 ? kAllLanes : 0U};
        return true;
    }
    if (bits_of(wanted) != 1) {
        return refuse("an operand is not a predicate");
    }
    draft_.slots[place] = {Slot::Kind::kRegister, false, 1, wanted.number, 0};
    draft_.op.flags = static_cast<std::uint8_t>(draft_.op.flags | (wanted.negated ? negated_flag : 0));
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
    if (name_ == "cp" && has("async") && !has("bulk") && has_any({"commit_group", "wait_group", "wait_all"})) {
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
        return refuse("what it calls is no function");
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
        return finish(Operation::kNothing);  // a warp's lanes are where they are together already
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
