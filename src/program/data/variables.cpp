#include "program/data/variables.h"

#include "program/data/dies.h"

#include <algorithm>
#include <dwarf.h>
#include <gelf.h>
#include <optional>

namespace kymo::program {
namespace {

constexpr int kMostNesting = 64;  // of name spaces

// "solver::Grid::level": what the entry is declared in.
std::string scoped_name(Dwarf_Die die) {
    const std::string own = name_of(die);
    if (const auto declared = referred(die, DW_AT_specification)) {
        die = *declared;
    }
    Dwarf_Die* raw = nullptr;
    const int count = dwarf_getscopes_die(&die, &raw);
    const Scopes scopes(raw);
    std::string name = own;
    for (int i = 1; i < count; ++i) {
        Dwarf_Die& scope = scopes.get()[i];
        const int tag = dwarf_tag(&scope);
        const bool counts = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                            tag == DW_TAG_union_type || tag == DW_TAG_module;
        if (const std::string text = name_of(scope); counts && !text.empty()) {
            name = text + "::" + name;  // NOLINT(performance-inefficient-string-concatenation): few
        }
    }
    return name;
}

bool is_name(std::string_view whole, std::string_view asked) {
    return whole == asked || (whole.size() > asked.size() + 2 && whole.ends_with(asked) &&
                              whole.substr(whole.size() - asked.size() - 2, 2) == "::");
}

struct Search {
    std::string_view asked;
    std::string_view last;  // of the name
    std::vector<Variable> found;

    void walk(Dwarf_Die parent, int depth) {
        for_each_child(parent, [&](Dwarf_Die child) {
            const int tag = dwarf_tag(&child);
            if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < kMostNesting) {
                walk(child, depth + 1);
            } else if (tag == DW_TAG_variable && !is_declaration(child) && name_of(child) == last) {
                add(child);
            }
        });
    }

    // Of the entry itself: it may complete a declaration.
    static bool is_declaration(Dwarf_Die die) {
        Dwarf_Attribute holder;
        return dwarf_attr(&die, DW_AT_declaration, &holder) != nullptr;
    }

    void add(Dwarf_Die die) {
        Variable variable;
        variable.name = scoped_name(die);
        if (!is_name(variable.name, asked)) {
            return;
        }
        Dwarf_Attribute holder;
        const char* linkage =
            dwarf_attr_integrate(&die, DW_AT_linkage_name, &holder) != nullptr ? dwarf_formstring(&holder) : nullptr;
        variable.linkage = linkage != nullptr ? linkage : name_of(die);
        variable.die = die;
        variable.is_external = has_flag(die, DW_AT_external);
        found.push_back(std::move(variable));
    }
};

bool is_tls(unsigned operation) {
    return operation == DW_OP_form_tls_address || operation == DW_OP_GNU_push_tls_address;
}

struct Extent {
    std::uint64_t begin = 0;  // image offset
    std::uint64_t bytes = 0;
    bool holds(std::uint64_t at, std::uint64_t size) const {
        return at - begin < bytes && size <= bytes - (at - begin);
    }
};

// The parts of the file of a kind (PT_LOAD, PT_TLS).
std::vector<Extent> parts_of(Dwfl_Module* module, unsigned kind) {
    GElf_Addr bias = 0;
    Elf* elf = dwfl_module_getelf(module, &bias);
    std::size_t count = 0;
    std::vector<Extent> parts;
    if (elf == nullptr || elf_getphdrnum(elf, &count) != 0) {
        return parts;
    }
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr part;
        if (gelf_getphdr(elf, static_cast<int>(i), &part) != nullptr && part.p_type == kind) {
            parts.push_back({part.p_vaddr + bias, part.p_memsz});
        }
    }
    return parts;
}

// GCC 12 writes the address of a thread-local variable's first value into a split unit's table instead of its offset.
std::optional<std::uint64_t> thread_offset(Dwfl_Module* module, std::uint64_t value, std::uint64_t bias) {
    const std::vector<Extent> parts = parts_of(module, PT_TLS);
    if (parts.size() != 1) {
        return std::nullopt;
    }
    const bool is_offset = value < parts.front().bytes;
    const bool is_address = parts.front().holds(value + bias, 1);
    if (is_offset == is_address) {
        return std::nullopt;
    }
    return is_offset ? value : value + bias - parts.front().begin;
}

}  // namespace

bool is_inside(Dwfl_Module* module, const DataPlace& place) {
    const auto at = static_cast<std::uint64_t>(place.offsets.front());
    const std::uint64_t bytes = place.offsets.size() > 1 ? sizeof(std::uint64_t) : place.bytes;
    if (place.base == DataPlace::Base::kArgument) {
        return true;
    }
    if (place.base == DataPlace::Base::kThread) {
        const std::vector<Extent> parts = parts_of(module, PT_TLS);
        return parts.size() == 1 && Extent{0, parts.front().bytes}.holds(at, bytes);
    }
    const std::vector<Extent> parts = parts_of(module, PT_LOAD);
    return std::any_of(parts.begin(), parts.end(), [&](const Extent& part) { return part.holds(at, bytes); });
}

std::vector<Variable> variables_named(Dwfl_Module* module, std::string_view name) {
    const std::size_t scope = name.rfind("::");
    Search search{name, scope == std::string_view::npos ? name : name.substr(scope + 2), {}};
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
        const std::size_t first = search.found.size();
        search.walk(tree_of(*unit), 0);
        for (std::size_t i = first; i < search.found.size(); ++i) {
            search.found[i].unit = dwarf_dieoffset(unit);
            search.found[i].file = name_of(tree_of(*unit));
        }
    }
    return std::move(search.found);
}

std::string locate(const Variable& variable, Dwfl_Module* module, DataPlace& place) {
    Dwarf_Die die = variable.die;
    Dwarf_Attribute holder;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(&die, DW_AT_location, &holder) == nullptr) {
        return dwarf_attr_integrate(&die, DW_AT_const_value, &holder) != nullptr
                   ? "was made a constant by the compiler"
                   : "is optimised away";
    }
    if (dwarf_getlocation(&holder, &operations, &count) != 0 || count == 0) {
        return "is optimised away";
    }
    // In a split unit, operands are in a table.
    const auto operand = [&](Dwarf_Op& operation, std::uint64_t* value) {
        Dwarf_Attribute indirect;
        Dwarf_Word number = 0;
        switch (operation.atom) {
            case DW_OP_addr:
            case DW_OP_const4u:
            case DW_OP_const8u:
            case DW_OP_constu:
                *value = operation.number;
                return true;
            case DW_OP_addrx:
            case DW_OP_GNU_addr_index:
            case DW_OP_constx:
            case DW_OP_GNU_const_index:
                if (dwarf_getlocation_attr(&holder, &operation, &indirect) == 0 &&
                    (dwarf_formaddr(&indirect, &number) == 0 || dwarf_formudata(&indirect, &number) == 0)) {
                    *value = number;
                    return true;
                }
                return false;
            default:
                return false;
        }
    };
    std::uint64_t value = 0;
    const bool has_value = operand(operations[0], &value);
    std::uint64_t more = 0;
    std::size_t next = 1;
    const bool is_thread = has_value && count > 1 && is_tls(operations[1].atom);
    next += is_thread ? 1 : 0;
    if (next + 1 == count && operations[next].atom == DW_OP_plus_uconst) {
        more = operations[next].number;
        ++next;
    }
    if (!has_value || next != count) {
        return "has no fixed place";
    }
    Dwarf_Addr bias = 0;
    dwfl_module_getdwarf(module, &bias);
    place.base = is_thread ? DataPlace::Base::kThread : DataPlace::Base::kImage;
    if (is_thread) {
        const auto offset = thread_offset(module, value, bias);
        place.offsets = {static_cast<std::int64_t>(offset.value_or(0) + more)};
        return offset ? "" : "has no place in the threads' storage that is known";
    }
    place.offsets = {static_cast<std::int64_t>(value + more + bias)};
    place.bytes = 1;
    return is_inside(module, place) ? "" : "is not in the file: the linker has dropped it";
}

bool unit_at(Dwfl_Module* module, std::uint64_t offset, Dwarf_Die* unit, Dwarf_Addr* bias) {
    for (Dwarf_Die* each = nullptr; (each = dwfl_module_nextcu(module, each, bias)) != nullptr;) {
        if (dwarf_haspc(each, offset - *bias) == 1) {
            *unit = *each;
            return true;
        }
    }
    return false;
}

}  // namespace kymo::program
