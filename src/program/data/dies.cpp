#include "program/data/dies.h"

#include <dwarf.h>

namespace kymo::program {

std::string name_of(Dwarf_Die die) {
    const char* name = dwarf_diename(&die);
    return name == nullptr ? std::string() : name;
}

std::optional<std::uint64_t> number_of(Dwarf_Die die, unsigned attribute) {
    Dwarf_Attribute holder;
    Dwarf_Word value = 0;
    if (dwarf_attr_integrate(&die, attribute, &holder) == nullptr || dwarf_formudata(&holder, &value) != 0) {
        return std::nullopt;
    }
    return value;
}

std::optional<std::int64_t> signed_number_of(Dwarf_Die die, unsigned attribute) {
    Dwarf_Attribute holder;
    Dwarf_Sword value = 0;
    if (dwarf_attr_integrate(&die, attribute, &holder) == nullptr || dwarf_formsdata(&holder, &value) != 0) {
        return std::nullopt;
    }
    return value;
}

bool has_flag(Dwarf_Die die, unsigned attribute) {
    Dwarf_Attribute holder;
    bool value = false;
    return dwarf_attr_integrate(&die, attribute, &holder) != nullptr && dwarf_formflag(&holder, &value) == 0 && value;
}

std::optional<Dwarf_Die> referred(Dwarf_Die die, unsigned attribute) {
    Dwarf_Attribute holder;
    Dwarf_Die other;
    if (dwarf_attr_integrate(&die, attribute, &holder) == nullptr || dwarf_formref_die(&holder, &other) == nullptr) {
        return std::nullopt;
    }
    return other;
}

std::optional<Dwarf_Die> type_of(Dwarf_Die die) {
    std::optional<Dwarf_Die> type = referred(die, DW_AT_type);
    Dwarf_Die peeled;
    if (!type || dwarf_peel_type(&*type, &peeled) != 0) {
        return std::nullopt;
    }
    return peeled;
}

Dwarf_Die tree_of(Dwarf_Die unit) {
    Dwarf_Die split{};
    if (dwarf_cu_info(unit.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
        split.cu != nullptr) {
        return split;
    }
    return unit;
}

}  // namespace kymo::program
