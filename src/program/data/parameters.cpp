// System V ABI for x86-64, 3.2.3: the first six whole numbers and pointers are in rdi, rsi, rdx, rcx, r8, r9.
#include "program/data/parameters.h"

#include "program/data/dies.h"
#include "program/data/variables.h"

#include <dwarf.h>
#include <gelf.h>
#include <vector>

namespace kymo::program {
namespace {

constexpr unsigned kRegisters = 6;

// The function whose first instruction is at an address of its unit.
std::optional<Dwarf_Die> function_at(Dwarf_Die unit, Dwarf_Addr address) {
    Dwarf_Die* raw = nullptr;
    const int count = dwarf_getscopes(&unit, address, &raw);
    const Scopes scopes(raw);
    for (int i = 0; i < count; ++i) {
        Dwarf_Die& scope = scopes.get()[i];
        Dwarf_Addr begin = 0;
        if (dwarf_tag(&scope) == DW_TAG_subprogram && dwarf_entrypc(&scope, &begin) == 0 && begin == address) {
            return scope;
        }
    }
    return std::nullopt;
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

// How many of the registers a parameter takes; none: it is no simple value.
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

// Where compiled code says nothing of entries (not optimised): by the calling convention.
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

// Where the compiler says it is at the function's first instruction.
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

}  // namespace

std::string find_parameter(Dwfl_Module* module, std::uint64_t offset, const std::string& name,
                           std::optional<Dwarf_Die>& die, DataPlace& place) {
    die.reset();
    Dwarf_Die unit;
    Dwarf_Addr bias = 0;
    if (!unit_at(module, offset, &unit, &bias)) {
        return {};
    }
    const auto function = function_at(tree_of(unit), offset - bias);
    if (!function) {
        return {};
    }
    std::vector<Dwarf_Die> parameters;
    for_each_child(*function, [&](Dwarf_Die child) {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
            parameters.push_back(child);
        }
    });
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (name_of(parameters[i]) != name) {
            continue;
        }
        die = parameters[i];
        place = {};
        place.base = DataPlace::Base::kArgument;
        place.offsets = {0};
        if (!is_x86_64(module)) {
            return "is a parameter, and its register is not known for this processor";
        }
        bool is_told = false;
        const std::string problem = by_location(parameters[i], offset - bias, &is_told, place);
        return is_told ? problem : by_convention(*function, i, parameters, place);
    }
    return {};
}

}  // namespace kymo::program
