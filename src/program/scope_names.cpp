#include "program/scope_names.h"

#include <dwarf.h>
#include <string_view>

namespace kymo::program {
namespace {

constexpr int kMaxScopes = 200;
constexpr int kMaxReferences = 16;

// gcc leaves closure types without a name: known by their call operator.
bool is_closure(Dwarf_Die* die) {
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0) {
        return false;
    }
    do {
        const char* name = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : nullptr;
        if (name != nullptr && std::string_view(name) == "operator()") {
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

std::string scope_name(Dwarf_Die* die) {
    const char* name = dwarf_diename(die);
    if (name == nullptr) {
        if (dwarf_tag(die) == DW_TAG_namespace) {
            return "(anonymous namespace)";
        }
        return is_closure(die) ? "{lambda}" : "{unnamed}";
    }
    // Other versions name them "<lambda(int)>"; demanglers write braces.
    std::string text = name;
    if (text.size() > 2 && text.front() == '<' && text.back() == '>') {
        text.front() = '{';
        text.back() = '}';
    }
    return text;
}

}  // namespace

std::string ScopeNames::prefix(Dwarf_Die function) {
    for (int i = 0; i < kMaxReferences; ++i) {
        Dwarf_Attribute reference;
        Dwarf_Die next;
        if ((dwarf_attr(&function, DW_AT_abstract_origin, &reference) == nullptr &&
             dwarf_attr(&function, DW_AT_specification, &reference) == nullptr) ||
            dwarf_formref_die(&reference, &next) == nullptr) {
            break;
        }
        function = next;
    }
    Dwarf_Die unit;
    if (dwarf_diecu(&function, &unit, nullptr, nullptr) == nullptr) {
        return {};
    }
    if (units_.insert(unit.addr).second) {
        collect(unit, {}, 0);
    }
    const auto found = prefixes_.find(function.addr);
    return found == prefixes_.end() ? std::string() : found->second;
}

void ScopeNames::collect(Dwarf_Die parent, const std::string& prefix, int depth) {
    Dwarf_Die child;
    if (depth > kMaxScopes || dwarf_child(&parent, &child) != 0) {
        return;
    }
    do {
        switch (dwarf_tag(&child)) {
            case DW_TAG_subprogram:
                if (!prefix.empty()) {
                    prefixes_.emplace(child.addr, prefix);
                }
                [[fallthrough]];
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_class_type:
            case DW_TAG_structure_type:
            case DW_TAG_union_type:
            case DW_TAG_enumeration_type:
                if (dwarf_haschildren(&child) > 0) {
                    collect(child, prefix + scope_name(&child) + "::", depth + 1);
                }
                break;
            case DW_TAG_lexical_block:
                collect(child, prefix, depth + 1);
                break;
            default:
                break;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace kymo::program
