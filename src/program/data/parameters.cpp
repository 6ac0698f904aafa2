// System V ABI for x86-64, 3.2.3: the first six whole numbers and pointers are in rdi, rsi, rdx, rcx, r8, r9.
#include "program/data/parameters.h"

#include "program/data/data_types.h"
#include "program/data/dies.h"
#include "program/data/variables.h"

#include <dwarf.h>
#include <gelf.h>
#include <vector>

namespace kymo::program {
namespace {

constexpr unsigned kRegisters = 6;

constexpr int kMostScopes = 64;

// The function whose first instruction is at an address, in a unit's tree. (dwarf_getscopes() omits the function
// if its first instruction belongs to one inlined into it.)
std::optional<Dwarf_Die> function_at(Dwarf_Die parent, Dwarf_Addr address, int depth = 0) {
    std::optional<Dwarf_Die> found;
    for_each_child(parent, [&](Dwarf_Die child) {
        if (found) {
            return;
        }
        switch (dwarf_tag(&child)) {
            case DW_TAG_subprogram: {
                Dwarf_Addr begin = 0;
                if (dwarf_entrypc(&child, &begin) == 0 && begin == address) {
                    found = child;
                }
                break;
            }
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_class_type:
            case DW_TAG_structure_type:
            case DW_TAG_union_type:
                found = depth < kMostScopes ? function_at(child, address, depth + 1) : std::nullopt;
                break;
            default:
                break;
        }
    });
    return found;
}

std::vector<Dwarf_Die> parameters_of(Dwarf_Die function) {
    std::vector<Dwarf_Die> parameters;
    for_each_child(function, [&](Dwarf_Die child) {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
            parameters.push_back(child);
        }
    });
    return parameters;
}

// Of the DWARF number of a register: which argument it holds; kRegisters: none.
unsigned argument_in(std::uint64_t number) {
    constexpr unsigned kInOrder[kRegisters] = {5, 4, 1, 2, 8, 9};
    unsigned argument = 0;
    while (argument < kRegisters && kInOrder[argument] != number) {
        ++argument;
    }
    return argument;
}

// How many of the registers a parameter takes; none: not a simple value.
std::optional<unsigned> registers_of(Dwarf_Die parameter) {
    const auto type = type_of(parameter);
    Dwarf_Die die = type.value_or(Dwarf_Die{});
    Dwarf_Word bytes = 0;
    if (!type) {
        return std::nullopt;
    }
    switch (dwarf_tag(&die)) {
        case DW_TAG_pointer_type:
        case DW_TAG_reference_type:
        case DW_TAG_rvalue_reference_type:
        case DW_TAG_enumeration_type:
            return 1;
        case DW_TAG_base_type:
            break;
        default:
            return std::nullopt;
    }
    const auto encoding = number_of(die, DW_AT_encoding).value_or(0);
    if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float || encoding == DW_ATE_decimal_float) {
        return 0;
    }
    return dwarf_aggregate_size(&die, &bytes) == 0 && bytes <= 8 ? std::optional<unsigned>(1) : std::nullopt;
}

// If compiled code has no information on entries (not optimised): by the calling convention.
std::string by_convention(Dwarf_Die function, std::size_t index, const std::vector<Dwarf_Die>& parameters,
                          DataPlace& place) {
    if (const auto result = type_of(function)) {
        Dwarf_Die die = *result;
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type) {
            return "is in a register that is not known: the function returns a struct";
        }
    }
    unsigned before = 0;
    for (std::size_t i = 0; i <= index; ++i) {
        const auto registers = registers_of(parameters[i]);
        if (!registers) {
            return i == index ? "is passed as a struct"
                              : "is in a register that is not known: a struct comes before it";
        }
        if (i == index && *registers == 0) {
            return "is a floating-point number";
        }
        before += i == index ? 0 : *registers;
    }
    if (before >= kRegisters) {
        return "is passed in memory; the first six whole numbers and pointers can be read";
    }
    place.argument = before;
    return {};
}

// By its location at the function's first instruction.
std::string by_location(Dwarf_Die parameter, Dwarf_Addr entry, bool* is_told, DataPlace& place) {
    Dwarf_Attribute holder;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(&parameter, DW_AT_location, &holder) == nullptr ||
        dwarf_getlocation_addr(&holder, entry, &operations, &count, 1) != 1 || count == 0) {
        *is_told = true;
        return "is optimised away";
    }
    const auto atom = static_cast<unsigned>(operations[0].atom);
    if (atom == DW_OP_fbreg && dwarf_hasform(&holder, DW_FORM_exprloc) != 0) {
        *is_told = false;  // where it is once the function's first instructions have run
        return {};
    }
    *is_told = true;
    const bool is_register = count == 1 && ((atom >= DW_OP_reg0 && atom <= DW_OP_reg31) || atom == DW_OP_regx);
    place.argument =
        is_register ? argument_in(atom == DW_OP_regx ? operations[0].number : atom - DW_OP_reg0) : kRegisters;
    return place.argument == kRegisters ? "is in no register of an argument at the function's entry" : "";
}

bool is_x86_64(Dwfl_Module* module) {
    GElf_Addr bias = 0;
    GElf_Ehdr header;
    Elf* elf = dwfl_module_getelf(module, &bias);
    return elf != nullptr && gelf_getehdr(elf, &header) != nullptr && header.e_machine == EM_X86_64;
}

constexpr const char* kHidesIt = "; ::name is the variable that it hides, if there is one";

// A scope's own names; of an inlined function also those that are optimised away there.
bool declares(Dwarf_Die scope, const std::string& name, int tag) {
    bool does = false;
    for_each_child(scope,
                   [&](Dwarf_Die child) { does = does || (dwarf_tag(&child) == tag && name_of(child) == name); });
    const auto origin = referred(scope, DW_AT_abstract_origin);
    return does || (origin && origin->addr != scope.addr && declares(*origin, name, tag));
}

// Of a member function: whether the object has a member of the name, which the source means by it.
bool is_member(Dwfl_Module* module, Dwarf_Die function, const std::string& name) {
    const std::vector<Dwarf_Die> parameters = parameters_of(function);
    return !parameters.empty() && name_of(parameters.front()) == "this" &&
           DataTypes(module).has_member(parameters.front(), name);
}

NamedInCode refused(std::string problem) {
    return {std::nullopt, {}, problem + kHidesIt};
}

NamedInCode find_in_function(Dwfl_Module* module, Dwarf_Die function, Dwarf_Addr entry, const std::string& name,
                             DataScope::Kind kind) {
    const std::vector<Dwarf_Die> parameters = parameters_of(function);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (name_of(parameters[i]) != name) {
            continue;
        }
        if (kind == DataScope::Kind::kExit) {
            return refused("is a parameter, and parameters can be read at entries only");
        }
        NamedInCode named;
        named.parameter = parameters[i];
        named.place.base = DataPlace::Base::kArgument;
        named.place.offsets = {0};
        if (!is_x86_64(module)) {
            named.problem = "is a parameter, and its register is not known for this processor";
            return named;
        }
        bool is_told = false;
        named.problem = by_location(parameters[i], entry, &is_told, named.place);
        named.problem = is_told ? named.problem : by_convention(function, i, parameters, named.place);
        return named;
    }
    return is_member(module, function, name) ? refused("is a member of the object: write this->" + name)
                                             : NamedInCode{};
}

// In the innermost function around a place, inlined ones counted.
NamedInCode find_at_place(Dwfl_Module* module, Dwarf_Die tree, Dwarf_Addr address, const std::string& name) {
    Dwarf_Die* raw = nullptr;
    const int count = dwarf_getscopes(&tree, address, &raw);
    const Scopes scopes(raw);
    for (int i = 0; i < count; ++i) {
        Dwarf_Die& scope = scopes.get()[i];
        if (declares(scope, name, DW_TAG_variable)) {
            const int tag = dwarf_tag(&scope);
            return tag == DW_TAG_compile_unit ? NamedInCode{} : refused("is a local variable, which cannot be read");
        }
        if (declares(scope, name, DW_TAG_formal_parameter)) {
            return refused("is a parameter, and parameters can be read at entries only");
        }
        if (dwarf_tag(&scope) == DW_TAG_subprogram || dwarf_tag(&scope) == DW_TAG_inlined_subroutine) {
            return is_member(module, scope, name) ? refused("is a member of an object, which cannot be read there")
                                                  : NamedInCode{};
        }
    }
    return {};
}

}  // namespace

NamedInCode find_in_code(Dwfl_Module* module, std::uint64_t offset, const std::string& name, DataScope::Kind kind) {
    Dwarf_Die unit;
    Dwarf_Addr bias = 0;
    if (!unit_at(module, offset, &unit, &bias)) {
        return {};
    }
    const Dwarf_Die tree = tree_of(unit);
    if (kind == DataScope::Kind::kPlace) {
        return find_at_place(module, tree, offset - bias, name);
    }
    const auto function = function_at(tree, offset - bias);
    if (!function) {
        return refused("may be a parameter: the debug information of the function cannot be read");
    }
    return find_in_function(module, *function, offset - bias, name, kind);
}

}  // namespace kymo::program
