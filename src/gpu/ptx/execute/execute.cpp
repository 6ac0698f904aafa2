#include "gpu/ptx/execute/execute.h"

#include "gpu/ptx/execute/make_execution.h"
#include "gpu/ptx/round_up.h"
#include "gpu/ptx/schedule/machine_schedule.h"
#include "gpu/ptx/select/compile.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace kymo::gpu::ptx {
struct LoadedModule::Parts {
    std::shared_ptr<const Module> module;
    DeviceMemory* memory = nullptr;
    ModuleLayout layout;
    std::vector<std::uint64_t> allocated;
    std::vector<std::uint64_t> shared_begin;                       // of each device function's own shared variables
    std::map<std::uint32_t, std::unique_ptr<Compiled>> compiled;   // by number in Module::functions
    std::map<std::uint32_t, std::unique_ptr<Schedule>> schedules;  // the same

    ~Parts() {
        for (const std::uint64_t address : allocated) {
            memory->free(address);
        }
    }

    Result<void> place_variables();
    Result<void> initial_values();
    Result<const Compiled*> code(std::uint32_t number);
    // A kernel and everything it can call.
    Result<std::vector<std::uint32_t>> reachable(std::uint32_t kernel);
    std::vector<std::uint32_t> pointed_at() const;
    Result<std::uint32_t> kernel_number(std::string_view name) const;
};

namespace {

// Of shared memory whose size comes with the launch.
std::uint64_t dynamic_alignment(const std::vector<Variable>& variables) {
    std::uint64_t align = 1;
    for (const Variable& variable : variables) {
        const bool is_dynamic = variable.space == StateSpace::kShared && variable.bytes == 0;
        align = std::max<std::uint64_t>(align, is_dynamic ? variable.align : 1);
    }
    return align;
}

}  // namespace

Result<void> LoadedModule::Parts::place_variables() {
    for (const Variable& variable : module->variables) {
        std::uint64_t at = 0;
        if (variable.space == StateSpace::kShared) {
            at = round_up(layout.shared_bytes, std::max(variable.align, 1U));
            layout.shared_bytes = at + variable.bytes;
        } else if (variable.bytes != 0 && !(variable.is_extern && variable.initial.empty())) {
            auto place = memory->allocate(variable.bytes);
            if (!place) {
                return place.error();
            }
            at = *place;
            allocated.push_back(at);
            std::copy(variable.initial.begin(), variable.initial.end(), reinterpret_cast<std::uint8_t*>(at));
        }
        layout.variables.push_back(at);
    }
    for (const Function& function : module->functions) {
        shared_begin.push_back(layout.shared_bytes);
        if (!function.is_kernel) {
            layout.shared_bytes = lay_out(function, layout.shared_bytes).shared_bytes;
        }
    }
    for (std::size_t i = 0; i < module->functions.size(); ++i) {
        if (module->functions[i].is_kernel) {
            shared_begin[i] = layout.shared_bytes;
        }
    }
    return {};
}

// Addresses inside initial values.
Result<void> LoadedModule::Parts::initial_values() {
    for (std::size_t i = 0; i < module->variables.size(); ++i) {
        for (const Relocation& relocation : module->variables[i].relocations) {
            const Variable* const to = module->variable(relocation.symbol);
            const Function* const function = to == nullptr ? module->function(relocation.symbol) : nullptr;
            const std::uint64_t address =
                to != nullptr ? layout.variables[static_cast<std::size_t>(to - module->variables.data())]
                : function != nullptr
                    ? kFunctionWindow +
                          kFunctionStride * static_cast<std::uint64_t>(function - module->functions.data())
                    : 0;
            if (address == 0 || layout.variables[i] == 0 ||
                relocation.offset + relocation.bytes > module->variables[i].bytes) {
                return Error{ErrorKind::kUnsupported,
                             fmt::format("{}: {} holds the address of {}, which has none here", module->name,
                                         module->variables[i].name, relocation.symbol),
                             "link the modules into one (nvcc without -rdc=true)"};
            }
            const std::uint64_t value = (address + static_cast<std::uint64_t>(relocation.addend)) >> relocation.shift;
            std::memcpy(reinterpret_cast<void*>(layout.variables[i] + relocation.offset), &value,
                        std::min<std::size_t>(relocation.bytes, sizeof value));
        }
    }
    return {};
}

Result<const Compiled*> LoadedModule::Parts::code(std::uint32_t number) {
    auto& known = compiled[number];
    if (!known) {
        auto made = compile(*module, module->functions[number], shared_begin[number], layout);
        if (!made) {
            compiled.erase(number);
            return made.error();
        }
        known = std::make_unique<Compiled>(std::move(*made));
    }
    return known.get();
}

Result<std::vector<std::uint32_t>> LoadedModule::Parts::reachable(std::uint32_t kernel) {
    std::vector<std::uint32_t> numbers{kernel};
    const auto add = [&](const std::vector<std::uint32_t>& callees) {
        for (const std::uint32_t callee : callees) {
            if (module->functions[callee].is_defined &&
                std::find(numbers.begin(), numbers.end(), callee) == numbers.end()) {
                numbers.push_back(callee);
            }
        }
    };
    for (std::size_t next = 0; next < numbers.size();) {  // it grows meanwhile
        const auto number = numbers[next++];
        if (!module->functions[number].is_defined) {
            continue;
        }
        const auto found = code(number);
        if (!found) {
            return found.error();
        }
        add((*found)->callees);
        if ((*found)->calls_pointers) {
            add(pointed_at());
        }
    }
    return numbers;
}

// Functions that a pointer may hold: named as an operand, or in a variable's initial value.
std::vector<std::uint32_t> LoadedModule::Parts::pointed_at() const {
    std::vector<std::uint32_t> numbers;
    for (const Variable& variable : module->variables) {
        for (const Relocation& relocation : variable.relocations) {
            if (const Function* const function = module->function(relocation.symbol);
                function != nullptr && !function->is_kernel) {
                numbers.push_back(static_cast<std::uint32_t>(function - module->functions.data()));
            }
        }
    }
    for (const Function& function : module->functions) {
        for (const Instruction& instruction : function.instructions) {
            if (module->names[instruction.opcode] == "call") {
                continue;
            }
            for (const Operand& operand : instruction.operands) {
                if (operand.kind == Operand::Kind::kFunction && !module->functions[operand.number].is_kernel) {
                    numbers.push_back(operand.number);
                }
            }
        }
    }
    return numbers;
}

Result<std::uint32_t> LoadedModule::Parts::kernel_number(std::string_view name) const {
    std::string kernels;
    for (std::uint32_t i = 0; i < module->functions.size(); ++i) {
        const Function& function = module->functions[i];
        if (function.is_kernel && function.name == name) {
            return i;
        }
        if (function.is_kernel && kernels.size() < 400) {
            kernels += (kernels.empty() ? "" : ", ") + function.name;
        }
    }
    return Error{ErrorKind::kNotFound, fmt::format("{}: there is no kernel {}", module->name, name),
                 kernels.empty() ? "the module has no kernels" : "its kernels: " + kernels};
}

LoadedModule::LoadedModule(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LoadedModule::~LoadedModule() = default;

Result<std::unique_ptr<LoadedModule>> LoadedModule::load(std::shared_ptr<const Module> module, DeviceMemory& memory) {
    auto parts = std::make_unique<Parts>();
    parts->module = std::move(module);
    parts->memory = &memory;
    if (auto placed = parts->place_variables(); !placed) {
        return placed.error();
    }
    if (auto set = parts->initial_values(); !set) {
        return set.error();
    }
    return std::unique_ptr<LoadedModule>(new LoadedModule(std::move(parts)));
}

const Module& LoadedModule::module() const {
    return *parts_->module;
}

std::optional<LoadedModule::Symbol> LoadedModule::symbol(std::string_view name) const {
    const Variable* const found = parts_->module->variable(name);
    if (found == nullptr || found->space == StateSpace::kShared) {
        return std::nullopt;
    }
    const auto number = static_cast<std::size_t>(found - parts_->module->variables.data());
    return Symbol{parts_->layout.variables[number], found->bytes};
}

Result<KernelFacts> LoadedModule::facts(std::string_view kernel) {
    const auto number = parts_->kernel_number(kernel);
    if (!number) {
        return number.error();
    }
    const auto numbers = parts_->reachable(*number);
    if (!numbers) {
        return numbers.error();
    }
    KernelFacts facts;
    std::uint64_t local = 0;
    constexpr std::uint32_t kBeside = 4;  // the stack's beginning, and what special registers need
    for (const std::uint32_t part : *numbers) {
        const Compiled& code = **parts_->code(part);
        facts.registers = std::max(facts.registers, code.registers + kBeside);
        local += code.layout.local_bytes;
    }
    const Function& function = parts_->module->functions[*number];
    facts.registers =
        std::min(std::max(facts.registers, 8U), function.most_registers != 0 ? function.most_registers : 255U);
    // The launch's part lies behind the static ones, aligned for all that is declared of it.
    std::uint64_t align = dynamic_alignment(parts_->module->variables);
    for (const std::uint32_t part : *numbers) {
        align = std::max(align, dynamic_alignment(parts_->module->functions[part].variables));
    }
    const std::uint64_t shared = round_up((*parts_->code(*number))->layout.shared_bytes, align);
    if (local > kMostLocal || shared > kMostShared) {
        return Error{
            ErrorKind::kUsage,
            fmt::format("{}: {} bytes of {} memory: {} at most", function.name, local > kMostLocal ? local : shared,
                        local > kMostLocal ? "a thread's local" : "shared",
                        local > kMostLocal ? kMostLocal : kMostShared),
            "use global memory for what is large"};
    }
    facts.local_bytes = static_cast<std::uint32_t>(local);
    facts.shared_bytes = static_cast<std::uint32_t>(shared);
    const std::uint64_t exact = function.exact_threads.count();
    const std::uint64_t most = exact != 0 ? exact : function.most_threads.count();
    facts.most_threads = most == 0 ? 1024 : static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 1024));
    return facts;
}

Result<void> LoadedModule::use_machine_code(std::string_view kernel, const sass::Code& code) {
    const auto number = parts_->kernel_number(kernel);
    if (!number) {
        return number.error();
    }
    const auto compiled = parts_->code(*number);
    if (!compiled) {
        return compiled.error();
    }
    auto joined = join(**compiled, code);
    if (!joined) {
        return joined.error();
    }
    parts_->schedules[*number] = std::make_unique<Schedule>(std::move(*joined));
    return {};
}

Result<std::unique_ptr<Execution>> LoadedModule::launch(std::string_view kernel, Launch launch,
                                                        ExecuteOptions options) {
    const auto number = parts_->kernel_number(kernel);
    if (!number) {
        return number.error();
    }
    const auto facts_of = facts(kernel);
    if (!facts_of) {
        return facts_of.error();
    }
    const Module& module = *parts_->module;
    const Function& function = module.functions[*number];
    if (auto good = can_launch(function, *facts_of, launch); !good) {
        return good.error();
    }
    LaunchParts parts;
    parts.module = &module;
    parts.memory = parts_->memory;
    parts.functions.resize(module.functions.size());
    parts.program_begin.resize(module.functions.size());
    parts.shared_bytes = facts_of->shared_bytes;
    Program program;
    KernelHeader header;
    const auto numbers = parts_->reachable(*number);
    if (!numbers) {
        return numbers.error();
    }
    for (const std::uint32_t part : *numbers) {
        const Compiled* const code = *parts_->code(part);
        parts.functions[part] = code;
        parts.program_begin[part] = static_cast<std::uint32_t>(program.size());
        for (StaticInstruction instruction : code->program) {
            instruction.pc = program.size() * 16;
            header.has_lines = header.has_lines || instruction.line != 0;
            program.push_back(std::move(instruction));
        }
    }
    parts.kernel = parts.functions[*number];
    const auto schedule = parts_->schedules.find(*number);
    if (schedule != parts_->schedules.end()) {
        parts.schedule = schedule->second.get();
        program = parts.schedule->program;
    }
    if (options.values && parts.schedule != nullptr) {
        return Error{ErrorKind::kUsage, function.name + ": machine code's registers have no values here",
                     "trace operand values without --machine-code"};
    }
    header.name = function.name;
    header.id = 1;
    header.grid = launch.grid;
    header.block = launch.block;
    header.shared_bytes = facts_of->shared_bytes + launch.dynamic_shared;
    header.registers = parts.schedule != nullptr ? parts.schedule->registers : facts_of->registers;
    header.binary_version = module.target;
    header.shared_base = kSharedWindow;
    header.local_base = kLocalWindow;
    header.tracer_version = 5;
    parts.launch = std::move(launch);
    return make_execution(std::move(header), std::move(program), std::move(parts), std::move(options),
                          function.parameter_bytes);
}

Result<Totals> execute(LoadedModule& module, std::string_view kernel, Launch launch) {
    ExecuteOptions options;
    options.trace = false;
    auto execution = module.launch(kernel, std::move(launch), std::move(options));
    if (!execution) {
        return execution.error();
    }
    if (auto done = (*execution)->finish(); !done) {
        return done.error();
    }
    return (*execution)->totals();
}

}  // namespace kymo::gpu::ptx
